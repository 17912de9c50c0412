import Documents
import Interchange
import Recordings
import Terminal
import TreeView

/// What the palette finds besides actions, environments and themes.
struct PaletteIndex {
    /// The targets, ready to be searched; nil until the first search, and after a change.
    var targets: TargetIndex?
    /// The sessions of the history, newest first; empty until they are searched for.
    var sessions: [RecordedSession] = []
}

/// What can be chosen in the palette and the other pickers.
struct PickerItems {
    let model: Model

    /// The lines of the palette.
    var all: [Picker.Item] {
        let own = actions
        return Picker.Item.distinct(
            own + environments + sources + ownSessions + imports + settings + themes
                + actionsOfOtherPanes(besides: own)
        )
    }

    /// The sessions of the history, each name once.
    var ownSessions: [Picker.Item] {
        var seen: Set<String> = []
        return model.palette.sessions.filter { seen.insert($0.name).inserted }.map { session in
            Picker.Item(
                choice: .session(session.name),
                name: session.name,
                detail: session.count == 1
                    ? "1 exchange" : "\(Readable.count(session.count)) exchanges",
                note: "session"
            )
        }
    }

    private var imports: [Picker.Item] {
        guard model.workspace.catalog != nil else { return [] }
        return [
            Picker.Item(
                choice: .importFile,
                name: "Import a file…",
                detail:
                    "OpenAPI, Postman, Insomnia, Bruno, .http, hurl, HAR or curl, into this workspace",
                note: "import",
                words: "open add load swagger collection rest url folder merge"
            )
        ]
    }

    private var settings: [Picker.Item] {
        var items = [
            Picker.Item(
                choice: .setting(.mouse),
                name: model.panes.hasMouse ? "mouse off" : "mouse on",
                detail: model.panes.hasMouse
                    ? "the terminal selects text with it" : "it clicks and scrolls here",
                note: "setting"
            )
        ]
        if model.workspace.hasDanger {
            items.append(
                Picker.Item(
                    choice: .setting(.asking),
                    name: model.sending.asksBeforeDanger ? "confirmations off" : "confirmations on",
                    detail: model.sending.asksBeforeDanger
                        ? "send to dangerous environments without asking"
                        : "ask before changing something in a dangerous environment",
                    note: "setting"
                )
            )
        }
        return items
    }

    private var actions: [Picker.Item] {
        let hidden: [KeyBinding.Place] = [.moving, .levels, .copying, .value, .typing]
        var seen: Set<Action> = [.palette]
        return model.keyPlaces.filter { !hidden.contains($0) }
            .flatMap { items(of: $0, besides: &seen) { .action($0, $1) } }
    }

    /// The actions of the response's tabs, the response and the request, where another pane has the keys.
    private func actionsOfOtherPanes(besides own: [Picker.Item]) -> [Picker.Item] {
        guard case .target? = model.targets.selected?.kind, model.layers.page == nil else {
            return []
        }
        var seen: Set<Action> = [.palette, .back, .nextMatch, .previousMatch]
        for case .action(let action, _) in own.map(\.choice) { seen.insert(action) }
        return items(of: .tabs, besides: &seen) { .action($0, $1) }
            + items(of: .document, besides: &seen) { .actionIn(.server, $0, $1) }
            + (model.canShowRequest
                ? items(of: .request, besides: &seen) { .actionIn(.request, $0, $1) } : [])
    }

    private func items(
        of place: KeyBinding.Place,
        besides seen: inout Set<Action>,
        _ choice: (Action, Key) -> Picker.Choice
    ) -> [Picker.Item] {
        var items: [Picker.Item] = []
        for binding in model.keys.bindings where binding.place == place {
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

    var environments: [Picker.Item] {
        (model.workspace.catalog?.environments ?? []).enumerated().map { index, name in
            Picker.Item(
                choice: .environment(index),
                mark: model.workspace.mark(ofEnvironment: index),
                name: name,
                detail: [
                    index == model.workspace.environment ? "in use" : "",
                    model.workspace.mark(ofEnvironment: index).summary ?? "",
                ].filter { !$0.isEmpty }.joined(separator: "; "),
                note: "environment"
            )
        }
    }

    var sources: [Picker.Item] {
        SourceChoice.allCases.map { choice in
            Picker.Item(
                choice: .source(choice),
                name: choice.title,
                detail: choice.explanation,
                note: choice == model.sending.source ? "in use" : "source"
            )
        }
    }

    /// The formats that a request is copied in.
    var exports: [Picker.Item] {
        Exporters.all.map { exporter in
            Picker.Item(
                choice: .export(exporter.name),
                name: exporter.name,
                detail: exporter.abstract,
                note: "format"
            )
        }
    }

    var themes: [Picker.Item] {
        let automatic = Picker.Item(
            choice: .theme(AutomaticTheme.name),
            name: AutomaticTheme.name,
            detail: "light or dark, as the terminal's background is"
                + (model.appearance.followsBackground ? "; in use" : ""),
            note: "theme"
        )
        return [automatic]
            + model.appearance.themeNames.map { name in
                Picker.Item(
                    choice: .theme(name),
                    name: name,
                    detail: name == model.appearance.themeName ? "in use" : "",
                    note: "theme"
                )
            }
    }
}
