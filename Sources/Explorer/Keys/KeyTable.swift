import Terminal

/// Which key does what.
enum KeyTable {
    /// All bindings, in the order of the help.
    static let bindings: [KeyBinding] = [
        bind(.everywhere, ["?", "f1"], .help, "help", "this page"),
        bind(.everywhere, ["escape"], .back, "back", "close, clear, or go back"),
        bind(.everywhere, ["ctrl+l"], .redraw, "redraw", "draw the screen anew"),
        bind(.everywhere, ["ctrl+z"], .suspend, "suspend", "back to the shell; fg returns"),
        bind(.everywhere, ["q", "ctrl+c"], .quit, "quit", "leave"),

        bind(.explorer, ["tab"], .focusNext, "pane", "the next pane"),
        bind(.explorer, ["shift+tab"], .focusPrevious, "pane back", "the pane before"),
        bind(.explorer, ["1"], .focusTargets, "targets", "the targets"),
        bind(.explorer, ["2"], .focusCache, "cache", "what the cache holds"),
        bind(.explorer, ["3"], .focusServer, "server", "what the server says"),
        bind(.explorer, ["4"], .focusProgress, "progress", "what runs and has run"),
        bind(.explorer, ["z"], .zoom, "zoom", "this pane alone, and all again"),
        bind(.explorer, ["s"], .nextSource, "source", "choose where answers come from"),
        bind(.explorer, ["e"], .nextEnvironment, "environment", "the next environment"),
        bind(.explorer, ["r"], .fireAgain, "again", "send the selected target again"),
        bind(.explorer, ["d"], .compare, "diff", "compare the cache with the server"),
        bind(.explorer, ["E"], .explain, "why", "why the cache answered, or did not"),
        bind(.explorer, ["x"], .cancel, "cancel", "cancel what runs: this, else the newest"),
        bind(.explorer, ["X"], .cancelAll, "cancel all", "cancel everything that runs"),

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
        bind(.targets, ["/"], .filter, "filter", "type to filter the targets"),

        bind(.document, ["enter"], .open, "open", "fold or unfold; show a value whole"),
        bind(.document, ["space"], .toggleFold, "fold", "fold or unfold"),
        bind(.document, ["-"], .foldAll, "fold all", "fold all but the outermost"),
        bind(.document, ["+", "="], .unfoldAll, "unfold all", "unfold everything"),
        bind(.document, [">"], .unfoldMore, "deeper", "unfold one level more everywhere"),
        bind(.document, ["<"], .unfoldLess, "flatter", "unfold one level less everywhere"),
        bind(.document, ["/"], .search, "search", "search keys and values"),
        bind(.document, ["$"], .query, "query", "a JSONPath, or a path like a.b[0]"),
        bind(.document, ["n"], .nextMatch, "next", "the next match"),
        bind(.document, ["N"], .previousMatch, "previous", "the match before"),
        bind(.document, ["m"], .listMatches, "list", "only the matches, and all again"),
        bind(.document, ["#"], .goTo, "go to", "a row: 12; a line and column: 12:5"),
        bind(.document, ["!"], .showFault, "fault", "to where the text breaks"),
        bind(.document, ["R"], .resumeAfterFault, "go on", "read on after a fault"),
        bind(.document, ["t"], .nextForm, "tree/text/hex", "show as a tree, as text, as bytes"),
        bind(.document, ["y"], .copy, "copy", "copy: the next letter says what"),
        bind(.document, ["Y"], .copyPath, "copy path", "copy the path at once"),

        bind(
            .levels,
            (1...9).map(String.init),
            .unfoldLevels,
            "levels",
            "unfold so many levels"
        ),

        bind(.copying, ["v", "y"], .copyValue, "value", "the value as written"),
        bind(.copying, ["t"], .copyText, "text", "the value as text, escapes decoded"),
        bind(.copying, ["p"], .copyPath, "path", "the path: $['a'][0]"),
        bind(.copying, ["s"], .copyShortPath, "short path", "the short path: a[0]"),
        bind(.copying, ["k"], .copyKey, "key", "the key, or the place in the array"),
        bind(.copying, ["a"], .copyMatches, "all matches", "the values of all matches"),
        bind(.copying, ["A"], .copyMatchPaths, "their paths", "the paths of all matches"),

        bind(.copying, ["escape"], .back, "back", "copy nothing"),

        bind(.value, ["enter"], .back, "close", "back to the rows"),
        bind(.value, ["y"], .copyText, "copy", "copy the text"),
        bind(.value, ["Y"], .copyPath, "copy path", "copy the path"),

        bind(.typing, ["enter"], .accept, "done", "keep what was found"),
        bind(.typing, ["escape"], .dismiss, "clear", "clear, and back to where it began"),
        bind(.typing, ["up"], .older, "older", "what was typed before"),
        bind(.typing, ["down"], .newer, "newer", "what was typed after that"),
        bind(.typing, ["tab"], .nextPart, "keys/values", "search keys, values, or both"),
        bind(.typing, ["ctrl+r"], .toggleExpression, "regex", "text, or a regular expression"),
        bind(.typing, ["ctrl+c"], .quit, "quit", "leave"),
    ]

    /// What a key does where these are the places that count, the first most.
    static func action(for key: Key, in places: [KeyBinding.Place]) -> Action? {
        for place in places {
            if let action = byPlace[place]?[key] { return action }
        }
        return nil
    }

    /// The first key of an action that works in these places, for the footer.
    static func hint(
        for action: Action,
        in places: [KeyBinding.Place]
    ) -> (key: String, label: String)? {
        for place in places {
            let binding = bindings.first { $0.action == action && $0.place == place }
            if let binding {
                return (binding.isRange ? binding.shownKeys : binding.keys[0], binding.label)
            }
        }
        return nil
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

/// Which lines of the key table count while a pane has the keys.
extension DocumentPane {
    /// Those of the layer that has the keys; `around` are those of the program around the pane.
    func keyPlaces(around: [KeyBinding.Place]) -> [KeyBinding.Place] {
        switch layer {
        case .rows: [.document] + around + [.moving, .everywhere]
        case .prompt: [.typing]
        case .copying: [.copying]
        case .value: [.value, .moving, .everywhere]
        }
    }
}
