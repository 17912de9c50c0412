package import Terminal

/// Which key does what.
package struct KeyTable: Sendable {
    /// All bindings, in the order of the help.
    package let bindings: [KeyBinding]
    private let byPlace: [KeyBinding.Place: [Key: Action]]

    /// The built-in keys of a tree.
    package static let standard = KeyTable(treeBindings)

    /// Makes a table; of two lines with the same key in one place, the later one counts.
    package init(_ bindings: [KeyBinding]) {
        self.bindings = bindings
        var table: [KeyBinding.Place: [Key: Action]] = [:]
        for binding in bindings {
            for name in binding.keys {
                // A test finds names that are not keys.
                if let key = Key(name) { table[binding.place, default: [:]][key] = binding.action }
            }
        }
        byPlace = table
    }

    /// The action of a key in the first of these places that binds it.
    package func action(for key: Key, in places: [KeyBinding.Place]) -> Action? {
        for place in places {
            if let action = byPlace[place]?[key] { return action }
        }
        return nil
    }

    /// The first key of an action in these places, as the footer shows it.
    package func hint(
        for action: Action,
        _ label: String? = nil,
        in places: [KeyBinding.Place]
    ) -> FooterHints.Hint? {
        for place in places {
            let binding = bindings.first {
                $0.action == action && $0.place == place && !$0.keys.isEmpty
            }
            guard let binding else { continue }
            let key = binding.isRange ? binding.shownKeys : binding.keys[0]
            return .init(key.replacing("ctrl+", with: "^"), label ?? binding.label)
        }
        return nil
    }
}

extension KeyTable {
    /// The built-in keys of a tree, in the order of its help.
    package static let treeBindings: [KeyBinding] = [
        KeyBinding(.everywhere, ["?", "f1"], .help, "help", "this page"),
        KeyBinding(.everywhere, ["esc"], .back, "back", "close, clear, or go back"),
        KeyBinding(.everywhere, ["ctrl+l"], .redraw, "redraw", "redraw the screen"),
        KeyBinding(.everywhere, ["ctrl+z"], .suspend, "suspend", "go to the shell; fg returns"),
        KeyBinding(.everywhere, ["q", "ctrl+c"], .quit, "quit", "quit"),

        KeyBinding(.moving, ["up", "k"], .up, "up", "one row up"),
        KeyBinding(.moving, ["down", "j"], .down, "down", "one row down"),
        KeyBinding(.moving, ["left", "h"], .left, "left", "fold, go to the parent; scroll text"),
        KeyBinding(.moving, ["right", "l"], .right, "right", "unfold, or go down; scroll text"),
        KeyBinding(.moving, ["pgup", "ctrl+b", "ctrl+u"], .pageUp, "page up", "a page up"),
        KeyBinding(.moving, ["pgdn", "ctrl+f", "ctrl+d"], .pageDown, "page down", "a page down"),
        KeyBinding(.moving, ["home", "g"], .first, "first", "the first row"),
        KeyBinding(.moving, ["end", "G"], .last, "last", "the last row"),

        KeyBinding(.document, ["enter"], .open, "open", "fold or unfold; show the full value"),
        KeyBinding(.document, ["space"], .toggleFold, "fold", "fold or unfold"),
        KeyBinding(.document, ["-"], .foldAll, "fold all", "fold everything"),
        KeyBinding(.document, ["+", "="], .unfoldAll, "unfold all", "unfold everything"),
        KeyBinding(.document, [">"], .unfoldMore, "unfold one", "unfold one more level"),
        KeyBinding(.document, ["<"], .unfoldLess, "fold one", "fold one level"),
        KeyBinding(.document, ["/"], .search, "search", "search keys and values"),
        KeyBinding(.document, ["$"], .query, "query", "a JSONPath, or a path like a.b[0]"),
        KeyBinding(.document, ["n"], .nextMatch, "next", "the next match"),
        KeyBinding(.document, ["N"], .previousMatch, "previous", "the previous match"),
        KeyBinding(.document, ["m"], .listMatches, "list", "show only the matches, or all"),
        KeyBinding(.document, ["#"], .goTo, "go to", "a row (12), or line and column (12:5)"),
        KeyBinding(.document, ["!"], .showFault, "error", "go to the syntax error"),
        KeyBinding(
            .document,
            ["c"],
            .resumeAfterFault,
            "continue",
            "continue after a syntax error"
        ),
        KeyBinding(.document, ["t"], .nextForm, "tree/text/hex", "show as tree, text or bytes"),
        KeyBinding(.document, ["P"], .layOut, "pretty", "JSON, XML, HTML text: pretty, or as sent"),
        KeyBinding(.document, ["L"], .wrap, "wrap", "wrap long lines of text, or scroll sideways"),
        KeyBinding(
            .document,
            ["shift+left", "^"],
            .lineStart,
            "line start",
            "the start of long lines"
        ),
        KeyBinding(.document, ["shift+right", "&"], .lineEnd, "line end", "the end of long lines"),
        KeyBinding(.document, ["a"], .table, "table", "an array of objects as a table"),
        KeyBinding(.document, ["y"], .copy, "copy", "copy; a second key says what"),
        KeyBinding(.document, ["Y"], .copyPath, "copy path", "copy the path"),

        KeyBinding(.table, ["enter"], .open, "in the tree", "show the value in the tree"),
        KeyBinding(.table, ["s"], .sortColumn, "sort", "sort by the column: up, down, not at all"),
        KeyBinding(.table, ["-"], .hideColumn, "hide", "hide the column"),
        KeyBinding(.table, ["+", "="], .showColumns, "show all", "show all columns"),
        KeyBinding(.table, ["<"], .columnLeft, "move left", "move the column to the left"),
        KeyBinding(.table, [">"], .columnRight, "move right", "move the column to the right"),
        KeyBinding(.table, ["/"], .search, "search", "search keys and values"),
        KeyBinding(.table, ["n"], .nextMatch, "next", "the next match"),
        KeyBinding(.table, ["N"], .previousMatch, "previous", "the previous match"),
        KeyBinding(.table, ["y"], .copy, "copy", "copy the cell; a second key says what"),
        KeyBinding(.table, ["Y"], .copyPath, "copy path", "copy the cell's path"),
        KeyBinding(.table, ["a"], .table, "tree", "back to the tree"),

        KeyBinding(
            .levels,
            (1...9).map(String.init),
            .unfoldLevels,
            "levels",
            "unfold to this level"
        ),

        KeyBinding(.copying, ["v", "y"], .copyValue, "value", "the value as written"),
        KeyBinding(.copying, ["t"], .copyText, "text", "the text, with escapes decoded"),
        KeyBinding(.copying, ["p"], .copyPath, "path", "the path: $['a'][0]"),
        KeyBinding(.copying, ["s"], .copyShortPath, "short path", "the short path: a[0]"),
        KeyBinding(.copying, ["k"], .copyKey, "key", "the key, or the index"),
        KeyBinding(.copying, ["a"], .copyMatches, "all matches", "the values of all matches"),
        KeyBinding(.copying, ["A"], .copyMatchPaths, "their paths", "the paths of all matches"),

        KeyBinding(.copying, ["esc"], .back, "back", "cancel"),

        KeyBinding(
            .value,
            ["enter"],
            .open,
            "close",
            "back to the rows; fold or open a decoded part"
        ),
        KeyBinding(.value, ["space"], .toggleFold, "fold", "fold or unfold a decoded part"),
        KeyBinding(.value, ["t"], .nextForm, "as written", "decoded, or as written"),
        KeyBinding(.value, ["y"], .copyText, "copy", "copy the text"),
        KeyBinding(.value, ["Y"], .copyPath, "copy path", "copy the path"),

        KeyBinding(.typing, ["enter"], .accept, "done", "keep the result"),
        KeyBinding(.typing, ["esc"], .dismiss, "clear", "clear, and go back"),
        KeyBinding(.typing, ["up"], .older, "older", "the previous entry"),
        KeyBinding(.typing, ["down"], .newer, "newer", "the next entry"),
        KeyBinding(.typing, ["tab"], .nextPart, "keys/values", "search keys, values, or both"),
        KeyBinding(
            .typing,
            ["ctrl+r"],
            .toggleExpression,
            "regex",
            "plain text, or a regular expression"
        ),
        KeyBinding(.typing, ["ctrl+c"], .quit, "quit", "quit"),
    ]
}

/// The places of the key table that apply in a document pane.
extension DocumentPane {
    /// The places of the layer that takes the keys; `around` are those of the program around the pane.
    package func keyPlaces(around: [KeyBinding.Place]) -> [KeyBinding.Place] {
        switch layer {
        case .rows: [table == nil ? .document : .table] + around + [.moving, .everywhere]
        case .prompt: [.typing]
        case .copying: [.copying]
        case .value: [.value, .moving, .everywhere]
        }
    }
}
