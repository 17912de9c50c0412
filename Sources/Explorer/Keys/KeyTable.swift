import Terminal

/// A line of the key table.
struct KeyBinding {
    /// Where it works.
    enum Place: String, CaseIterable {
        case everywhere = "Everywhere"
        case moving = "Moving"
        case targets = "Targets"
        case answers = "Cache and server"
    }

    var place: Place
    var keys: [String]
    var action: Action
    /// What the footer calls it.
    var label: String
    /// What the help says of it.
    var help: String
}

/// Which key does what.
enum KeyTable {
    /// All bindings, in the order of the help.
    static let bindings: [KeyBinding] = [
        bind(.everywhere, ["tab"], .focusNext, "pane", "the next pane"),
        bind(.everywhere, ["shift+tab"], .focusPrevious, "pane back", "the pane before"),
        bind(.everywhere, ["1"], .focusTargets, "targets", "the targets"),
        bind(.everywhere, ["2"], .focusCache, "cache", "what the cache holds"),
        bind(.everywhere, ["3"], .focusServer, "server", "what the server says"),
        bind(.everywhere, ["4"], .focusProgress, "progress", "what runs and has run"),
        bind(.everywhere, ["z"], .zoom, "zoom", "this pane alone, and all again"),
        bind(.everywhere, ["s"], .nextSource, "source", "choose where answers come from"),
        bind(.everywhere, ["e"], .nextEnvironment, "environment", "the next environment"),
        bind(.everywhere, ["r"], .fireAgain, "again", "send the selected target again"),
        bind(.everywhere, ["x"], .cancel, "cancel", "cancel what runs: this, else the newest"),
        bind(.everywhere, ["X"], .cancelAll, "cancel all", "cancel everything that runs"),
        bind(.everywhere, ["/"], .filter, "filter", "type to filter the targets"),
        bind(.everywhere, ["?", "f1"], .help, "help", "this page"),
        bind(
            .everywhere,
            ["escape"],
            .back,
            "back",
            "close, clear the filter, back to the targets"
        ),
        bind(.everywhere, ["ctrl+l"], .redraw, "redraw", "draw the screen anew"),
        bind(.everywhere, ["ctrl+z"], .suspend, "suspend", "back to the shell; fg returns"),
        bind(.everywhere, ["q", "ctrl+c"], .quit, "quit", "leave"),

        bind(.moving, ["up", "k"], .up, "up", "one row up"),
        bind(.moving, ["down", "j"], .down, "down", "one row down"),
        bind(.moving, ["left", "h"], .left, "left", "fold, or to the row above that holds this"),
        bind(.moving, ["right", "l"], .right, "right", "unfold, or one row down"),
        bind(.moving, ["pageup", "ctrl+b", "ctrl+u"], .pageUp, "page up", "a page up"),
        bind(.moving, ["pagedown", "ctrl+f", "ctrl+d"], .pageDown, "page down", "a page down"),
        bind(.moving, ["home", "g"], .first, "first", "the first row"),
        bind(.moving, ["end", "G"], .last, "last", "the last row"),

        bind(.targets, ["enter"], .activate, "send", "send the target; fold a group"),
        bind(.targets, ["space"], .toggleFold, "fold", "fold or unfold the group"),

        bind(.answers, ["enter", "space"], .toggleFold, "fold", "fold or unfold the value"),
        bind(.answers, ["-"], .foldAll, "fold all", "fold all but the outermost"),
        bind(.answers, ["+", "="], .unfoldAll, "unfold all", "unfold everything"),
        bind(.answers, ["t"], .nextForm, "tree/text/hex", "show as a tree, as text, as bytes"),
        bind(.answers, ["y"], .copyValue, "copy", "copy the value to the clipboard"),
        bind(.answers, ["Y"], .copyPath, "copy path", "copy the value's path"),
    ]

    /// What a key does in a pane.
    static func action(for key: Key, in focus: Focus) -> Action? {
        byPlace[place(of: focus)]?[key] ?? byPlace[.moving]?[key] ?? byPlace[.everywhere]?[key]
    }

    /// The first key of an action that works in a pane, for the footer.
    static func hint(for action: Action, in focus: Focus) -> (key: String, label: String)? {
        let places = [place(of: focus), .moving, .everywhere]
        guard
            let binding = bindings.first(where: { $0.action == action && places.contains($0.place) }
            )
        else { return nil }
        return (binding.keys[0], binding.label)
    }

    private static let byPlace: [KeyBinding.Place: [Key: Action]] = {
        var table: [KeyBinding.Place: [Key: Action]] = [:]
        for binding in bindings {
            for name in binding.keys {
                // A name that is no key is our own mistake; a test finds it.
                if let key = Key(name) { table[binding.place, default: [:]][key] = binding.action }
            }
        }
        return table
    }()

    private static func place(of focus: Focus) -> KeyBinding.Place {
        focus == .targets || focus == .progress ? .targets : .answers
    }

    private static func bind(
        _ place: KeyBinding.Place,
        _ keys: [String],
        _ action: Action,
        _ label: String,
        _ help: String
    ) -> KeyBinding {
        KeyBinding(place: place, keys: keys, action: action, label: label, help: help)
    }
}
