import Documents
import Recordings
import Terminal
import TreeView

/// The palette and the other pickers.
extension Model {
    /// Opens the list of everything that can be done or gone to.
    mutating func openPalette() -> [Effect] {
        open(
            Picker(
                .palette,
                PickerItems(model: self).all,
                targets: palette.targets,
                height: pickerLayout.list.rows
            )
        )
        let effects: [Effect] =
            [.listThemes] + (session.hasHistory ? [.history(.listSessions)] : [])
        guard palette.targets == nil, let catalog = workspace.catalog else { return effects }
        return [.indexTargets(catalog)] + effects
    }

    /// Opens the list of sources for responses.
    mutating func openSources() -> [Effect] {
        open(Picker(.sources, PickerItems(model: self).sources, height: pickerLayout.list.rows))
        layers.picker?.select(.source(sending.source))
        return []
    }

    /// Opens the list of themes, with the cursor on the current theme.
    mutating func openThemes() -> [Effect] {
        open(Picker(.themes, PickerItems(model: self).themes, height: pickerLayout.list.rows))
        layers.picker?.select(.theme(appearance.themeName))
        return [.listThemes]
    }

    /// Opens the list of formats that the selected request can be copied in.
    mutating func openExports() {
        open(Picker(.exports, PickerItems(model: self).exports, height: pickerLayout.list.rows))
    }

    /// Switches between two environments; if there are more, opens a list.
    mutating func chooseEnvironment() -> [Effect] {
        guard let catalog = workspace.catalog else { return [] }
        switch catalog.environments.count {
        case ...1:
            return say("\(catalog.name) has only one environment")
        case 2: return enter(environment: 1 - workspace.environment)
        default:
            open(
                Picker(
                    .environments,
                    PickerItems(model: self).environments,
                    height: pickerLayout.list.rows
                )
            )
            layers.picker?.select(.environment(workspace.environment))
            return []
        }
    }

    mutating func open(_ picker: Picker) {
        self.layers.picker = picker
        let pickerRows = pickerLayout.list.rows
        layers.picker?.fit(height: pickerRows)
    }

    mutating func enter(environment index: Int) -> [Effect] {
        workspace.environment = index
        if let catalog = workspace.catalog, catalog.environments.indices.contains(index) {
            let name = catalog.environments[index]
            say("environment: \(name)")
        }
        return lookAtSelection()
    }

    // MARK: Keys

    /// Handles a key for the open list.
    mutating func handleInPicker(_ key: Key) -> [Effect] {
        if let effects = handleInSessions(key) { return effects }
        switch key.code {
        case .escape: return closePicker()
        case .enter: return choose()
        case .up: layers.picker?.scroll.move(by: -1)
        case .down: layers.picker?.scroll.move(by: 1)
        case .tab: layers.picker?.scroll.move(by: key.modifiers.contains(.shift) ? -1 : 1)
        case .pageUp: layers.picker?.scroll.page(by: -1)
        case .pageDown: layers.picker?.scroll.page(by: 1)
        default:
            guard layers.picker?.field.handle(key) == true else {
                return key == Key("ctrl+c") ? leave() : []
            }
            layers.picker?.search()
        }
        return previewTheme()
    }

    mutating func pasteIntoPicker(_ text: String) -> [Effect] {
        layers.picker?.field.paste(text)
        layers.picker?.search()
        return previewTheme()
    }

    /// Shows the theme under the cursor before it is chosen.
    private func previewTheme() -> [Effect] {
        guard case .theme(let name)? = layers.picker?.selected?.choice,
            layers.picker?.kind == .themes
        else {
            return []
        }
        return [.loadTheme(appearance.themeName(of: name))]
    }

    /// Closes the list; the preview of a theme ends.
    private mutating func closePicker() -> [Effect] {
        let wasThemes = layers.picker?.kind == .themes
        layers.picker = nil
        return wasThemes ? [.session(.use(appearance.theme))] : []
    }

    private mutating func choose() -> [Effect] {
        guard let choice = layers.picker?.selected?.choice else { return [] }
        layers.picker = nil
        switch choice {
        case .action(let action, let key): return dispatch(action, key)
        case .actionIn(let pane, let action, let key): return go(to: pane, toDo: action, key)
        case .environment(let index):
            guard workspace.catalog?.environments.indices.contains(index) == true else { return [] }
            return enter(environment: index)
        case .source(let choice):
            sending.source = choice
            return say("\(choice.title): \(choice.explanation)")
        case .theme(let name):
            appearance.followsBackground = name == AutomaticTheme.name
            appearance.themeName = appearance.themeName(of: name)
            return [.loadTheme(appearance.themeName), .keepTheme(name)]
        case .session(let name): return show(sessionNamed: name)
        case .shared(let name): return watchSession(name, fromNow: false)
        case .server: return askForServer()
        case .importFile: return startImport()
        case .setting(.mouse): return perform(.mouse)
        case .setting(.asking):
            sending.asksBeforeDanger.toggle()
            return []
        case .export(let format): return copyRequest(as: format)
        case .target(let id):
            guard let catalog = workspace.catalog else { return [] }
            targets.reveal(id, in: catalog)
            move(to: .targets)
            return lookAtSelection()
        }
    }

    /// Gives a pane the keys and performs an action there.
    private mutating func go(to pane: Focus, toDo action: Action, _ key: Key) -> [Effect] {
        if pane == .request {
            let opening = showsRequestPane && panes.focus == .request ? [] : openRequest(at: nil)
            return panes.focus == .request ? opening + dispatch(action, key) : opening
        }
        guard selectedView?.server.document.body != nil else {
            return say("there is no response yet; enter sends the target")
        }
        move(to: pane)
        return dispatch(action, key)
    }

    // MARK: Messages

    mutating func list(_ sessions: [RecordedSession]) {
        self.palette.sessions = sessions
        remakePicker()
    }

    /// Makes the list again after its items have changed; keeps the input and the line under the cursor.
    mutating func remakePicker() {
        guard let old = layers.picker else { return }
        let items = PickerItems(model: self)
        let lines: [Picker.Item]
        switch old.kind {
        case .themes: lines = items.themes
        case .palette: lines = items.all
        case .sessions: lines = items.allSessions
        case .environments, .sources, .exports: return
        }
        var new = Picker(
            old.kind,
            lines,
            targets: palette.targets,
            height: old.scroll.height
        )
        new.field = old.field
        new.search()
        if let choice = old.selected?.choice { new.select(choice) }
        layers.picker = new
    }

    mutating func receive(_ message: ThemeMessage) -> [Effect] {
        switch message {
        case .listed(let names):
            appearance.themeNames = names
            remakePicker()
        case .loaded(let name, let theme, let warning):
            if let warning { warn(warning) }
            // The cursor may be on another theme by now.
            if case .theme(let wanted)? = layers.picker?.selected?.choice,
                layers.picker?.kind == .themes
            {
                if name == appearance.themeName { self.appearance.theme = theme }
                return appearance.themeName(of: wanted) == name ? [.session(.use(theme))] : []
            }
            guard name == appearance.themeName else { return [] }
            self.appearance.theme = theme
            return [.session(.use(theme))]
        case .failed(let text): fail(text)
        case .changed: return [.loadTheme(appearance.themeName)]
        }
        return []
    }

    // MARK: The mouse

    /// A click chooses a line, or outside of the list closes it.
    mutating func handleInPicker(_ mouse: MouseEvent) -> [Effect] {
        let layout = pickerLayout
        switch mouse.kind {
        case .scrollUp: layers.picker?.scroll.scroll(by: -3)
        case .scrollDown: layers.picker?.scroll.scroll(by: 3)
        case .press where mouse.button == .left:
            guard layout.frame.contains(mouse.position) else { return closePicker() }
            guard layout.list.contains(mouse.position), let scroll = layers.picker?.scroll else {
                return []
            }
            let row = mouse.position.y - layout.list.y + scroll.offset
            guard row < scroll.count else { return [] }
            layers.picker?.scroll.select(row)
            return choose()
        default: break
        }
        return []
    }

    var pickerLayout: PickerLayout { PickerLayout(size: size) }
}

/// The result of work on themes.
enum ThemeMessage: Sendable {
    /// The names of all themes.
    case listed([String])
    /// A theme, and what is wrong with its file.
    case loaded(String, Theme, warning: String?)
    /// Why a theme could not be loaded.
    case failed(String)
    /// A theme file of the user's has changed.
    case changed
}
