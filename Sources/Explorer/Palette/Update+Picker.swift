import Documents
import Recordings
import Terminal
import TreeView

/// The palette and the other pickers.
extension Model {
    /// Opens the list of everything that can be done or gone to.
    mutating func openPalette() -> [Effect] {
        open(Picker(.palette, paletteItems, targets: targetIndex, height: pickerLayout.list.rows))
        let effects: [Effect] = [.listThemes] + (hasHistory ? [.history(.listSessions)] : [])
        guard targetIndex == nil, let catalog else { return effects }
        return [.indexTargets(catalog)] + effects
    }

    /// Opens the list of sources for answers.
    mutating func openSources() -> [Effect] {
        open(Picker(.sources, sourceItems, height: pickerLayout.list.rows))
        picker?.select(.source(sourceChoice))
        return []
    }

    /// Opens the list of themes, with the cursor on the current theme.
    mutating func openThemes() -> [Effect] {
        open(Picker(.themes, themeItems, height: pickerLayout.list.rows))
        picker?.select(.theme(themeName))
        return [.listThemes]
    }

    /// Switches between two environments; if there are more, opens a list.
    mutating func chooseEnvironment() -> [Effect] {
        guard let catalog else { return [] }
        switch catalog.environments.count {
        case ...1:
            notice = Notice(
                kind: .information,
                text: "\(catalog.name) has only one environment"
            )
            return []
        case 2: return enter(environment: 1 - environment)
        default:
            open(Picker(.environments, environmentItems, height: pickerLayout.list.rows))
            picker?.select(.environment(environment))
            return []
        }
    }

    private mutating func open(_ picker: Picker) {
        self.picker = picker
        fitPicker()
    }

    private mutating func enter(environment index: Int) -> [Effect] {
        environment = index
        if let catalog, catalog.environments.indices.contains(index) {
            let name = catalog.environments[index]
            notice = Notice(kind: .information, text: "environment: \(name)")
        }
        return lookAtSelection()
    }

    // MARK: What can be chosen

    private var paletteItems: [Picker.Item] {
        let own = actionItems
        return Picker.Item.distinct(
            own + environmentItems + sourceItems + sessionItems + settingItems + themeItems
                + otherPaneItems(besides: own)
        )
    }

    private var sessionItems: [Picker.Item] {
        var seen: Set<String> = []
        return sessions.filter { seen.insert($0.name).inserted }.map { session in
            Picker.Item(
                choice: .session(session.name),
                name: session.name,
                detail: session.count == 1
                    ? "1 exchange" : "\(Readable.count(session.count)) exchanges",
                note: "session"
            )
        }
    }

    private var settingItems: [Picker.Item] {
        var items = [
            Picker.Item(
                choice: .setting(.mouse),
                name: hasMouse ? "mouse off" : "mouse on",
                detail: hasMouse
                    ? "the terminal selects text with it" : "it clicks and scrolls here",
                note: "setting"
            )
        ]
        if catalog?.marks.values.contains(where: \.isDangerous) == true {
            items.append(
                Picker.Item(
                    choice: .setting(.asking),
                    name: asksBeforeDanger ? "confirmations off" : "confirmations on",
                    detail: asksBeforeDanger
                        ? "send to dangerous environments without asking"
                        : "ask before changing something in a dangerous environment",
                    note: "setting"
                )
            )
        }
        return items
    }

    private var actionItems: [Picker.Item] {
        let hidden: [KeyBinding.Place] = [.moving, .levels, .copying, .value, .typing]
        var seen: Set<Action> = [.palette]
        return keyPlaces.filter { !hidden.contains($0) }
            .flatMap { items(of: $0, besides: &seen) { .action($0, $1) } }
    }

    /// The actions of the answer's tabs, the answer and the request, where another pane has the keys.
    private func otherPaneItems(besides own: [Picker.Item]) -> [Picker.Item] {
        guard case .target? = list.selected?.kind, cookies == nil else { return [] }
        var seen: Set<Action> = [.palette, .back, .nextMatch, .previousMatch]
        for case .action(let action, _) in own.map(\.choice) { seen.insert(action) }
        return items(of: .tabs, besides: &seen) { .action($0, $1) }
            + items(of: .document, besides: &seen) { .actionIn(.server, $0, $1) }
            + (canShowRequest
                ? items(of: .request, besides: &seen) { .actionIn(.request, $0, $1) } : [])
    }

    private func items(
        of place: KeyBinding.Place,
        besides seen: inout Set<Action>,
        _ choice: (Action, Key) -> Picker.Choice
    ) -> [Picker.Item] {
        var items: [Picker.Item] = []
        for binding in keys.bindings where binding.place == place {
            guard let name = binding.keys.first, let key = Key(name),
                seen.insert(binding.action).inserted
            else { continue }
            let keys = binding.shownKeys
            items.append(
                Picker.Item(
                    choice: choice(binding.action, key),
                    name: PaletteWords.title(of: binding),
                    detail: binding.help,
                    // These keys come after another one.
                    note: place == .tabs ? "i \(keys)" : keys,
                    words: "\(binding.label) \(PaletteWords.words(for: binding.action))"
                )
            )
        }
        return items
    }

    private var environmentItems: [Picker.Item] {
        (catalog?.environments ?? []).enumerated().map { index, name in
            Picker.Item(
                choice: .environment(index),
                mark: mark(ofEnvironment: index),
                name: name,
                detail: [
                    index == environment ? "in use" : "",
                    mark(ofEnvironment: index).summary ?? "",
                ].filter { !$0.isEmpty }.joined(separator: "; "),
                note: "environment"
            )
        }
    }

    private var sourceItems: [Picker.Item] {
        SourceChoice.allCases.map { choice in
            Picker.Item(
                choice: .source(choice),
                name: choice.title,
                detail: choice.explanation,
                note: choice == sourceChoice ? "in use" : "source"
            )
        }
    }

    private var themeItems: [Picker.Item] {
        let automatic = Picker.Item(
            choice: .theme(AutomaticTheme.name),
            name: AutomaticTheme.name,
            detail: "light or dark, as the terminal's background is"
                + (followsBackground ? "; in use" : ""),
            note: "theme"
        )
        return [automatic]
            + themeNames.map { name in
                Picker.Item(
                    choice: .theme(name),
                    name: name,
                    detail: name == themeName ? "in use" : "",
                    note: "theme"
                )
            }
    }

    /// The theme that a choice means, for the automatic one that of the terminal's background.
    private func themeName(of choice: String) -> String {
        choice == AutomaticTheme.name ? AutomaticTheme.name(on: background) : choice
    }

    /// Takes the theme for the terminal's background, unless one was chosen.
    mutating func follow(_ background: PixelColor) -> [Effect] {
        self.background = background
        let name = AutomaticTheme.name(on: background)
        guard followsBackground, name != themeName else { return [] }
        themeName = name
        return [.loadTheme(name)]
    }

    // MARK: Keys

    /// Handles a key for the list; nil if none is open.
    mutating func handleInPicker(_ key: Key) -> [Effect]? {
        guard picker != nil else { return nil }
        switch key.code {
        case .escape: return closePicker()
        case .enter: return choose()
        case .up: picker?.scroll.move(by: -1)
        case .down: picker?.scroll.move(by: 1)
        case .tab: picker?.scroll.move(by: key.modifiers.contains(.shift) ? -1 : 1)
        case .pageUp: picker?.scroll.page(by: -1)
        case .pageDown: picker?.scroll.page(by: 1)
        default:
            guard picker?.field.handle(key) == true else {
                return key == Key("ctrl+c") ? leave() : []
            }
            picker?.search()
        }
        return previewTheme()
    }

    mutating func pasteIntoPicker(_ text: String) -> [Effect] {
        picker?.field.paste(text)
        picker?.search()
        return previewTheme()
    }

    /// Shows the theme under the cursor before it is chosen.
    private func previewTheme() -> [Effect] {
        guard case .theme(let name)? = picker?.selected?.choice, picker?.kind == .themes else {
            return []
        }
        return [.loadTheme(themeName(of: name))]
    }

    /// Closes the list; the preview of a theme ends.
    private mutating func closePicker() -> [Effect] {
        let wasThemes = picker?.kind == .themes
        picker = nil
        return wasThemes ? [.session(.use(theme))] : []
    }

    private mutating func choose() -> [Effect] {
        guard let choice = picker?.selected?.choice else { return [] }
        picker = nil
        switch choice {
        case .action(let action, let key): return dispatch(action, key)
        case .actionIn(let pane, let action, let key): return go(to: pane, toDo: action, key)
        case .environment(let index):
            guard catalog?.environments.indices.contains(index) == true else { return [] }
            return enter(environment: index)
        case .source(let choice):
            sourceChoice = choice
            notice = Notice(kind: .information, text: "\(choice.title): \(choice.explanation)")
            return []
        case .theme(let name):
            followsBackground = name == AutomaticTheme.name
            themeName = themeName(of: name)
            return [.loadTheme(themeName), .keepTheme(name)]
        case .session(let name):
            session.filter.start(placeholder: "", limit: 1024)
            session.filter?.field.text = "session:\"\(name.replacing("\"", with: ""))\""
            session.filter?.isTyping = false
            move(to: .progress)
            return sessionFilterChanged()
        case .setting(.mouse): return perform(.mouse)
        case .setting(.asking):
            asksBeforeDanger.toggle()
            return []
        case .target(let id):
            guard let catalog else { return [] }
            list.reveal(id, in: catalog)
            move(to: .targets)
            return lookAtSelection()
        }
    }

    /// Gives a pane the keys and performs an action there.
    private mutating func go(to pane: Focus, toDo action: Action, _ key: Key) -> [Effect] {
        if pane == .request {
            let opening = showsRequestPane && focus == .request ? [] : openRequest(at: nil)
            return focus == .request ? opening + dispatch(action, key) : opening
        }
        guard selectedView?.server.document.body != nil else {
            notice = Notice(
                kind: .information,
                text: "there is no answer yet; enter sends the target"
            )
            return []
        }
        move(to: pane)
        return dispatch(action, key)
    }

    // MARK: Messages

    mutating func take(_ sessions: [RecordedSession]) {
        self.sessions = sessions
        remakePicker()
    }

    /// Makes the list again after its items have changed; keeps the input and the line under the cursor.
    private mutating func remakePicker() {
        guard let old = picker, old.kind == .themes || old.kind == .palette else { return }
        var new = Picker(
            old.kind,
            old.kind == .themes ? themeItems : paletteItems,
            targets: targetIndex,
            height: old.scroll.height
        )
        new.field = old.field
        new.search()
        if let choice = old.selected?.choice { new.select(choice) }
        picker = new
    }

    mutating func take(_ message: ThemeMessage) -> [Effect] {
        switch message {
        case .listed(let names):
            themeNames = names
            remakePicker()
        case .loaded(let name, let theme, let warning):
            if let warning { notice = Notice(kind: .warning, text: warning) }
            // The cursor may be on another theme by now.
            if case .theme(let wanted)? = picker?.selected?.choice, picker?.kind == .themes {
                if name == themeName { self.theme = theme }
                return themeName(of: wanted) == name ? [.session(.use(theme))] : []
            }
            guard name == themeName else { return [] }
            self.theme = theme
            return [.session(.use(theme))]
        case .failed(let text): notice = Notice(kind: .failure, text: text)
        case .changed: return [.loadTheme(themeName)]
        }
        return []
    }

    // MARK: The mouse

    /// A click chooses a line, or outside of the list closes it; nil if no list is open.
    mutating func handleInPicker(_ mouse: MouseEvent) -> [Effect]? {
        guard picker != nil else { return nil }
        let layout = pickerLayout
        switch mouse.kind {
        case .scrollUp: picker?.scroll.scroll(by: -3)
        case .scrollDown: picker?.scroll.scroll(by: 3)
        case .press where mouse.button == .left:
            guard layout.frame.contains(mouse.position) else { return closePicker() }
            guard layout.list.contains(mouse.position), let scroll = picker?.scroll else {
                return []
            }
            let row = mouse.position.y - layout.list.y + scroll.offset
            guard row < scroll.count else { return [] }
            picker?.scroll.select(row)
            return choose()
        default: break
        }
        return []
    }

    var pickerLayout: PickerLayout { PickerLayout(size: size) }

    mutating func fitPicker() {
        let height = pickerLayout.list.rows
        picker?.fit(height: height)
    }
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
