import Terminal

/// Which key does what.
struct KeyTable {
    /// All bindings, in the order of the help.
    let bindings: [KeyBinding]
    private let byPlace: [KeyBinding.Place: [Key: Action]]

    /// The built-in keys.
    static let standard = KeyTable(bindings)

    init(_ bindings: [KeyBinding]) {
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
    func action(for key: Key, in places: [KeyBinding.Place]) -> Action? {
        for place in places {
            if let action = byPlace[place]?[key] { return action }
        }
        return nil
    }

    /// The first key of an action in these places, as the footer shows it.
    func hint(
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
    /// The built-in bindings, in the order of the help.
    static let bindings: [KeyBinding] = [
        bind(.everywhere, ["?", "f1"], .help, "help", "this page"),
        bind(.everywhere, ["esc"], .back, "back", "close, clear, or go back"),
        bind(.everywhere, ["ctrl+l"], .redraw, "redraw", "redraw the screen"),
        bind(.everywhere, ["ctrl+z"], .suspend, "suspend", "go to the shell; fg returns"),
        bind(.everywhere, ["q", "ctrl+c"], .quit, "quit", "quit"),

        bind(.explorer, ["tab"], .focusNext, "pane", "the next pane"),
        bind(.explorer, ["shift+tab"], .focusPrevious, "previous pane", "the previous pane"),
        bind(.explorer, ["1"], .focusTargets, "targets", "the targets"),
        bind(.explorer, ["2"], .focusCache, "cache", "the cached answer"),
        bind(.explorer, ["3"], .focusServer, "server", "the server's answer"),
        bind(.explorer, ["4"], .focusProgress, "session", "what runs, and what was sent"),
        bind(.explorer, ["5"], .focusRequest, "request", "open the request, or close it"),
        bind(.explorer, ["B"], .requestBody, "body", "the request's body"),
        bind(.explorer, ["H"], .requestHeaders, "headers", "the request's header fields"),
        bind(.explorer, ["Q"], .requestQuery, "query", "the request's query parameters"),
        bind(
            .explorer,
            ["p"],
            .pasteRequest,
            "paste",
            "a curl command, URL or raw HTTP as a request"
        ),
        bind(.explorer, ["S"], .save, "save", "write the edits to the workspace's file"),
        bind(
            .explorer,
            ["I"],
            .takeDefaults,
            "defaults",
            "with the workspace's defaults, or as it stands"
        ),
        bind(.explorer, [":"], .palette, "commands", "find an action, a target, a theme"),
        bind(.explorer, ["z"], .zoom, "zoom", "show only this pane, or all"),
        bind(.explorer, ["'"], .jump, "jump", "label everything; type a label to go there"),
        bind(.explorer, ["{", "ctrl+left"], .narrower, "narrower", "make this pane narrower"),
        bind(.explorer, ["}", "ctrl+right"], .wider, "wider", "make this pane wider"),
        bind(.explorer, ["(", "ctrl+up"], .lower, "shorter", "make this pane shorter"),
        bind(.explorer, [")", "ctrl+down"], .higher, "taller", "make this pane taller"),
        bind(.explorer, ["0"], .standardSizes, "sizes", "reset the pane sizes"),
        bind(.explorer, ["s"], .nextSource, "source", "the next source for answers"),
        bind(.explorer, ["D"], .chooseSource, "sources", "choose where answers come from"),
        bind(
            .explorer,
            ["e"],
            .nextEnvironment,
            "environment",
            "the other environment; of more, choose"
        ),
        bind(.explorer, ["T"], .chooseTheme, "theme", "choose a theme, and see it at once"),
        bind(.explorer, ["M"], .mouse, "mouse", "give the terminal the mouse, or take it back"),
        bind(.explorer, ["r"], .sendAgain, "again", "send the selected target again"),
        bind(.explorer, ["o"], .edit, "edit", "edit the target in $EDITOR"),
        bind(.explorer, ["d"], .compare, "diff", "compare the cache with the server"),
        bind(.explorer, ["E"], .explain, "why", "explain what the cache did"),
        bind(.explorer, ["i"], .details, "headers", "headers; again, or a letter: another tab"),
        bind(.explorer, ["W"], .saveBody, "save", "save the answer's body to a file"),
        bind(.explorer, ["["], .olderAnswer, "older", "the previous answer, beside this one"),
        bind(.explorer, ["]"], .newerAnswer, "newer", "the next answer, beside the one after"),
        bind(.explorer, ["v"], .pastValues, "over time", "this value in earlier answers"),
        bind(.explorer, ["w"], .watch, "watch", "send it repeatedly, and mark changes"),
        bind(.explorer, ["C"], .copyCommand, "curl", "copy the request as a curl command"),
        bind(.explorer, ["K"], .cookies, "cookies", "the cookies of this environment"),
        bind(.explorer, ["|"], .filterBody, "through", "run the answer through a command"),
        bind(.explorer, ["R"], .recordSession, "session", "record a session by name, or end it"),
        bind(.explorer, ["x"], .cancel, "cancel", "cancel this request, or the newest"),
        bind(.explorer, ["X"], .cancelAll, "cancel all", "cancel everything that runs"),

        bind(.moving, ["up", "k"], .up, "up", "one row up"),
        bind(.moving, ["down", "j"], .down, "down", "one row down"),
        bind(.moving, ["left", "h"], .left, "left", "fold, go to the parent; scroll text"),
        bind(.moving, ["right", "l"], .right, "right", "unfold, or go down; scroll text"),
        bind(.moving, ["pgup", "ctrl+b", "ctrl+u"], .pageUp, "page up", "a page up"),
        bind(.moving, ["pgdn", "ctrl+f", "ctrl+d"], .pageDown, "page down", "a page down"),
        bind(.moving, ["home", "g"], .first, "first", "the first row"),
        bind(.moving, ["end", "G"], .last, "last", "the last row"),

        bind(.targets, ["enter"], .activate, "send", "send the target; fold a group"),
        bind(.targets, ["space"], .toggleFold, "fold", "fold or unfold the group"),
        bind(.targets, ["n"], .newRequest, "new", "a new request: type its method and URL"),
        bind(.targets, ["/"], .filter, "filter", "type to filter the targets"),

        bind(.request, ["enter"], .editValue, "edit", "edit the value; again keeps it"),
        bind(.request, ["c"], .replaceValue, "change", "type another value in its place"),
        bind(.request, ["n"], .addRow, "new", "add a row after this one"),
        bind(.request, ["x", "del"], .removeRow, "remove", "remove the row, or stop sending it"),
        bind(.request, ["right", "l"], .nextTab, "tab", "the next tab"),
        bind(.request, ["left", "h"], .previousTab, "previous tab", "the previous tab"),
        bind(.request, ["t"], .changeKind, "kind", "another kind of body or credentials"),
        bind(.request, ["u"], .editURL, "URL", "edit the method and the URL"),
        bind(.request, ["ctrl+r"], .takeBack, "take back", "undo the row's edit; twice, all edits"),
        bind(.request, ["A"], .saveAs, "save as", "save it as a new target"),
        bind(.request, ["y"], .copy, "copy", "copy the request; a second key says how"),
        bind(.request, ["space"], .toggleFold, "fold", "fold or unfold a part of the body"),
        bind(.request, ["-"], .foldAll, "fold all", "fold all parts of the body"),
        bind(.request, ["+", "="], .unfoldAll, "unfold all", "unfold all parts of the body"),
        bind(.request, ["/"], .search, "search", "search this tab"),

        bind(.found, ["n"], .nextMatch, "next", "the next match"),
        bind(.found, ["N"], .previousMatch, "previous", "the previous match"),
        bind(.found, ["esc"], .back, "clear", "end the search"),

        bind(.session, ["enter"], .open, "open", "show it beside the latest answer"),
        bind(.session, ["r"], .sendAgain, "again", "send it again as it was"),
        bind(.session, ["space"], .mark, "mark", "mark or unmark it"),
        bind(.session, ["="], .compareMarked, "compare", "compare the two marked ones"),
        bind(.session, ["N"], .note, "note", "write a note about it"),
        bind(.session, ["/"], .filter, "filter", "status:5xx method:post after:2h, or words"),

        bind(.batch, ["enter"], .open, "open", "open the request, or unfold; run the batch"),
        bind(.batch, ["space"], .toggleFold, "fold", "fold or unfold the group"),
        bind(.batch, ["f"], .runFailedAgain, "resend failed", "send the failed requests again"),

        bind(.chain, ["enter"], .open, "open", "open the step; run the chain"),
        bind(.chain, ["r"], .sendAgain, "from here", "run again from the chosen step"),
        bind(.chain, ["a"], .runAlone, "alone", "send the step's request alone"),

        bind(.cookies, ["enter"], .editValue, "edit", "edit the value"),
        bind(.cookies, ["x", "del"], .removeRow, "delete", "delete the cookie"),
        bind(
            .cookies,
            ["X"],
            .removeAllCookies,
            "delete all",
            "delete all cookies of the environment"
        ),
        bind(.cookies, ["v"], .revealValues, "show values", "show the values, or hide them"),
        bind(.cookies, ["y"], .copyText, "copy", "copy the cookie"),
        bind(.cookies, ["K"], .cookies, "close", "close the list"),

        bind(.tabs, ["i"], .details, "next", "the next tab"),
        bind(.tabs, ["b"], .showBody, "body", "the body"),
        bind(.tabs, ["h"], .showHeaders, "headers", "status, header fields, redirects"),
        bind(.tabs, ["c"], .showCookies, "cookies", "cookies set and sent"),
        bind(.tabs, ["t"], .showTiming, "timing", "where the time went, who answered"),
        bind(.tabs, ["s"], .showCertificate, "TLS", "the certificates, and days left"),
        bind(.tabs, ["r"], .showRequest, "request", "the request as it was sent"),
        bind(.tabs, ["w"], .showRaw, "raw", "the wire trace"),

        bind(.page, ["right", "l"], .right, "next tab", "the next tab"),
        bind(.page, ["left", "h"], .left, "tab before", "the tab before"),
        bind(.page, ["esc"], .back, "body", "clear, or back to the body"),
        bind(.page, ["/"], .search, "search", "search this tab"),
        bind(.page, ["n"], .nextMatch, "next", "the next match"),
        bind(.page, ["N"], .previousMatch, "previous", "the previous match"),
        bind(.page, ["y"], .copyText, "copy", "copy the value under the cursor"),
        bind(.page, ["Y"], .copyPage, "copy all", "copy the whole tab"),
        bind(.page, ["a"], .showAllFields, "all fields", "TLS: every field of the certificates"),

        bind(.document, ["enter"], .open, "open", "fold or unfold; show the full value"),
        bind(.document, ["space"], .toggleFold, "fold", "fold or unfold"),
        bind(.document, ["-"], .foldAll, "fold all", "fold everything"),
        bind(.document, ["+", "="], .unfoldAll, "unfold all", "unfold everything"),
        bind(.document, [">"], .unfoldMore, "unfold one", "unfold one more level"),
        bind(.document, ["<"], .unfoldLess, "fold one", "fold one level"),
        bind(.document, ["/"], .search, "search", "search keys and values"),
        bind(.document, ["$"], .query, "query", "a JSONPath, or a path like a.b[0]"),
        bind(.document, ["n"], .nextMatch, "next", "the next match"),
        bind(.document, ["N"], .previousMatch, "previous", "the previous match"),
        bind(.document, ["m"], .listMatches, "list", "show only the matches, or all"),
        bind(.document, ["#"], .goTo, "go to", "a row (12), or line and column (12:5)"),
        bind(.document, ["!"], .showFault, "error", "go to the syntax error"),
        bind(.document, ["c"], .resumeAfterFault, "continue", "continue after a syntax error"),
        bind(.document, ["t"], .nextForm, "tree/text/hex", "show as tree, text or bytes"),
        bind(.document, ["P"], .layOut, "pretty", "JSON, XML, HTML text: pretty, or as sent"),
        bind(.document, ["L"], .wrap, "wrap", "wrap long lines of text, or scroll sideways"),
        bind(.document, ["shift+left", "^"], .lineStart, "line start", "the start of long lines"),
        bind(.document, ["shift+right", "&"], .lineEnd, "line end", "the end of long lines"),
        bind(.document, ["a"], .table, "table", "an array of objects as a table"),
        bind(.document, ["y"], .copy, "copy", "copy; a second key says what"),
        bind(.document, ["Y"], .copyPath, "copy path", "copy the path"),

        bind(.table, ["enter"], .open, "in the tree", "show the value in the tree"),
        bind(.table, ["s"], .sortColumn, "sort", "sort by the column: up, down, not at all"),
        bind(.table, ["-"], .hideColumn, "hide", "hide the column"),
        bind(.table, ["+", "="], .showColumns, "show all", "show all columns"),
        bind(.table, ["<"], .columnLeft, "move left", "move the column to the left"),
        bind(.table, [">"], .columnRight, "move right", "move the column to the right"),
        bind(.table, ["/"], .search, "search", "search keys and values"),
        bind(.table, ["n"], .nextMatch, "next", "the next match"),
        bind(.table, ["N"], .previousMatch, "previous", "the previous match"),
        bind(.table, ["y"], .copy, "copy", "copy the cell; a second key says what"),
        bind(.table, ["Y"], .copyPath, "copy path", "copy the cell's path"),
        bind(.table, ["a"], .table, "tree", "back to the tree"),

        bind(
            .levels,
            (1...9).map(String.init),
            .unfoldLevels,
            "levels",
            "unfold to this level"
        ),

        bind(.copying, ["v", "y"], .copyValue, "value", "the value as written"),
        bind(.copying, ["t"], .copyText, "text", "the text, with escapes decoded"),
        bind(.copying, ["p"], .copyPath, "path", "the path: $['a'][0]"),
        bind(.copying, ["s"], .copyShortPath, "short path", "the short path: a[0]"),
        bind(.copying, ["k"], .copyKey, "key", "the key, or the index"),
        bind(.copying, ["a"], .copyMatches, "all matches", "the values of all matches"),
        bind(.copying, ["A"], .copyMatchPaths, "their paths", "the paths of all matches"),

        bind(.copying, ["esc"], .back, "back", "cancel"),

        bind(.value, ["enter"], .open, "close", "back to the rows; fold or open a decoded part"),
        bind(.value, ["space"], .toggleFold, "fold", "fold or unfold a decoded part"),
        bind(.value, ["t"], .nextForm, "as written", "decoded, or as written"),
        bind(.value, ["y"], .copyText, "copy", "copy the text"),
        bind(.value, ["Y"], .copyPath, "copy path", "copy the path"),

        bind(.typing, ["enter"], .accept, "done", "keep the result"),
        bind(.typing, ["esc"], .dismiss, "clear", "clear, and go back"),
        bind(.typing, ["up"], .older, "older", "the previous entry"),
        bind(.typing, ["down"], .newer, "newer", "the next entry"),
        bind(.typing, ["tab"], .nextPart, "keys/values", "search keys, values, or both"),
        bind(
            .typing,
            ["ctrl+r"],
            .toggleExpression,
            "regex",
            "plain text, or a regular expression"
        ),
        bind(.typing, ["ctrl+c"], .quit, "quit", "quit"),
    ]

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

/// The places of the key table that apply in a document pane.
extension DocumentPane {
    /// The places of the layer that takes the keys; `around` are those of the program around the pane.
    func keyPlaces(around: [KeyBinding.Place]) -> [KeyBinding.Place] {
        switch layer {
        case .rows: [table == nil ? .document : .table] + around + [.moving, .everywhere]
        case .prompt: [.typing]
        case .copying: [.copying]
        case .value: [.value, .moving, .everywhere]
        }
    }
}
