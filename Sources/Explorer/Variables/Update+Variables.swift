import Terminal
import TreeView
import Workspaces

/// The environments and the variables, listed and changed over the panes.
extension Model {
    mutating func openVariables() -> [Effect] {
        guard workspace.catalog != nil else {
            return say("there are no variables: \(workspace.sourceName) is not read yet")
        }
        layers.variables = VariablesPage()
        layers.variables?.awaited = workspace.environmentName
        refreshVariables()
        return []
    }

    /// Reads the environments and their variables again if they are on the screen.
    mutating func refreshVariables() {
        guard layers.variables != nil, let catalog = workspace.catalog else { return }
        // A workspace that names no environment has one that is in no file.
        let names = catalog.environments.filter { catalog.source.isInFiles(environment: $0) }
        layers.variables?.show(names)
        showValues()
        fitPanes()
    }

    /// The wheel moves through the column that it is over; a click chooses a line.
    mutating func handleInVariables(_ mouse: MouseEvent) -> [Effect] {
        if let effects = handleDrag(mouse) ?? clickFooter(mouse) { return effects }
        guard let page = layers.variables else { return [] }
        let area = PageLayout(size: size).inside
        let isRight = VariablesPage.columns(of: area).1.contains(mouse.position)
        let column: VariablesPage.Column = isRight ? .values : .environments
        let rows =
            switch mouse.kind {
            case .scrollUp: -3
            case .scrollDown: 3
            default: 0
            }
        if column == .values {
            layers.variables?.values.scroll(by: rows)
        } else {
            layers.variables?.environments.scroll(by: rows)
        }
        guard mouse.kind == .press, mouse.button == .left, area.contains(mouse.position) else {
            return []
        }
        layers.variables?.column = column
        let line = mouse.position.y - area.y
        if column == .values {
            layers.variables?.values.select(line + page.values.offset)
        } else {
            layers.variables?.environments.select(line + page.environments.offset)
            showValues()
        }
        return []
    }

    private mutating func showValues() {
        guard let page = layers.variables, let source = workspace.catalog?.source else { return }
        let settings = source.settings(of: page.environment).map {
            VariablesPage.Row(definition: $0, isSetting: true)
        }
        let variables = source.definitions(in: page.environment).map {
            VariablesPage.Row(definition: $0, isSetting: false)
        }
        layers.variables?.show(settings + variables)
    }

    /// Handles a key while the environments and variables are listed.
    mutating func handleInVariables(_ key: Key, _ page: VariablesPage) -> [Effect] {
        guard let action = keys.action(for: key, in: keyPlaces) else { return [] }
        switch action {
        case .back, .showVariables, .quit:
            layers.variables = nil
            fitPanes()
        case .help: openHelp()
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        case .nextColumn, .right, .left:
            let goesLeft = action == .left || action == .nextColumn && page.column == .values
            layers.variables?.column = goesLeft ? .environments : .values
        case .up, .down, .pageUp, .pageDown, .first, .last:
            if page.column == .values {
                layers.variables?.values.move(action)
            } else {
                layers.variables?.environments.move(action)
                layers.variables?.values.moveToFirst()
                showValues()
            }
        case .undoChange: return undoChange()
        case .useEnvironment: return use(page.environment)
        case .editValue:
            return page.column == .environments ? use(page.environment) : editValue(page)
        case .addRow, .moveItem, .copyItem, .removeRow:
            guard canChangeFiles() else { return [] }
            return page.column == .environments
                ? changeEnvironment(action, page.environment) : changeVariable(action, page)
        default: break
        }
        return []
    }

    /// Makes an environment the one that requests are sent in.
    private mutating func use(_ name: String?) -> [Effect] {
        guard let name, let index = workspace.catalog?.environments.firstIndex(of: name) else {
            return say("what is set here holds in every environment; choose one of them")
        }
        return enter(environment: index)
    }

    private mutating func changeEnvironment(_ action: Action, _ name: String?) -> [Effect] {
        if action == .addRow {
            return ask(
                .environment(extending: name),
                "",
                placeholder: "live https://api.example.com"
            )
        }
        guard let name else {
            return refuse("what is set here holds in every environment; choose one of them")
        }
        switch action {
        case .moveItem: return ask(.renameEnvironment(name), name)
        case .copyItem: return ask(.copyEnvironment(name), "\(name) copy")
        default:
            layers.changeQuestion = ChangeQuestion(
                text: "Delete the environment \(name) and its variables?",
                answer: .change(.deleteEnvironment(name))
            )
            return []
        }
    }

    private mutating func editValue(_ page: VariablesPage) -> [Effect] {
        guard canChangeFiles() else { return [] }
        guard let row = page.selected else { return startVariable(page) }
        let definition = row.definition
        guard row.isSetting else {
            guard definition.isEditable else {
                let place = definition.location.map { " in \($0)" } ?? ""
                return refuse("\(definition.name) is set\(place): change it there")
            }
            // What an environment has from elsewhere is overridden for it alone.
            return ask(.value(definition, environment: page.environment), definition.written)
        }
        if definition.name == "danger" {
            let value = definition.written == "true" ? "" : "true"
            return make(.setSetting("danger", value, environment: page.environment))
        }
        let effects = ask(
            .setting(definition.name, environment: page.environment),
            definition.written,
            placeholder: definition.name == "extends"
                ? "another environment" : "https://api.example.com"
        )
        if definition.name == "extends" {
            layers.prompt?.choices = page.names.filter { $0 != page.environment }
        }
        return effects
    }

    private mutating func startVariable(_ page: VariablesPage) -> [Effect] {
        ask(.variable(environment: page.environment), "", placeholder: "name=value")
    }

    private mutating func changeVariable(_ action: Action, _ page: VariablesPage) -> [Effect] {
        if action == .addRow { return startVariable(page) }
        guard let row = page.selected else { return refuse("there is no variable here") }
        let definition = row.definition
        if row.isSetting {
            guard action == .removeRow, !definition.written.isEmpty else {
                return refuse("\(definition.name) is a setting: it can only be set or removed")
            }
            return make(.setSetting(definition.name, "", environment: page.environment))
        }
        guard definition.isEditable else { return editValue(page) }
        switch action {
        case .moveItem: return ask(.renameVariable(definition.name), definition.name)
        case .copyItem:
            return refuse("a variable has one value in an environment; n adds another variable")
        default:
            let place = definition.environment.map { "of \($0)" } ?? "of every environment"
            layers.changeQuestion = ChangeQuestion(
                text: "Delete \(definition.name) \(place)?",
                answer: .change(
                    .deleteVariable(definition.name, environment: definition.environment)
                )
            )
            return []
        }
    }
}
