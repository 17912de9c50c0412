import TreeView

extension KeyTable {
    /// The built-in keys of the explorer and of the trees in it, in the order of the help.
    static let explorer = KeyTable(
        (KeyBinding.Place.ofExplorer + [.levels]).flatMap { place in
            (treeBindings + explorerBindings).filter { $0.place == place }
        }
    )

    private static let explorerBindings: [KeyBinding] = [
        KeyBinding(.explorer, ["tab"], .focusNext, "pane", "the next pane"),
        KeyBinding(.explorer, ["shift+tab"], .focusPrevious, "previous pane", "the previous pane"),
        KeyBinding(.explorer, ["1"], .focusTargets, "targets", "the targets"),
        KeyBinding(.explorer, ["2"], .focusCache, "cache", "the cached response"),
        KeyBinding(.explorer, ["3"], .focusServer, "server", "the server's response"),
        KeyBinding(.explorer, ["4"], .focusProgress, "session", "what runs, and what was sent"),
        KeyBinding(.explorer, ["5"], .focusRequest, "request", "open the request, or close it"),
        KeyBinding(.explorer, ["B"], .requestBody, "body", "the request's body"),
        KeyBinding(.explorer, ["H"], .requestHeaders, "headers", "the request's header fields"),
        KeyBinding(.explorer, ["Q"], .requestQuery, "query", "the request's query parameters"),
        KeyBinding(
            .explorer,
            ["p"],
            .pasteRequest,
            "paste",
            "a curl command, URL or raw HTTP as a request"
        ),
        KeyBinding(.explorer, ["S"], .save, "save", "write the edits to the workspace's file"),
        KeyBinding(
            .explorer,
            ["I"],
            .takeDefaults,
            "defaults",
            "with the workspace's defaults, or as it stands"
        ),
        KeyBinding(.explorer, [":"], .palette, "commands", "find an action, a target, a theme"),
        KeyBinding(.explorer, ["z"], .zoom, "zoom", "show only this pane, or all"),
        KeyBinding(.explorer, ["'"], .jump, "jump", "label everything; type a label to go there"),
        KeyBinding(
            .explorer,
            ["{", "ctrl+left"],
            .narrower,
            "narrower",
            "make this pane narrower"
        ),
        KeyBinding(.explorer, ["}", "ctrl+right"], .wider, "wider", "make this pane wider"),
        KeyBinding(.explorer, ["(", "ctrl+up"], .lower, "shorter", "make this pane shorter"),
        KeyBinding(.explorer, [")", "ctrl+down"], .higher, "taller", "make this pane taller"),
        KeyBinding(.explorer, ["0"], .standardSizes, "sizes", "reset the pane sizes"),
        KeyBinding(.explorer, ["s"], .nextSource, "source", "the next source for responses"),
        KeyBinding(.explorer, ["D"], .chooseSource, "sources", "choose where responses come from"),
        KeyBinding(
            .explorer,
            ["e"],
            .nextEnvironment,
            "environment",
            "the other environment; of more, choose"
        ),
        KeyBinding(
            .explorer,
            ["V"],
            .showVariables,
            "variables",
            "list and change environments, variables"
        ),
        KeyBinding(.explorer, ["T"], .chooseTheme, "theme", "choose a theme, and see it at once"),
        KeyBinding(
            .explorer,
            ["M"],
            .mouse,
            "mouse",
            "give the terminal the mouse, or take it back"
        ),
        KeyBinding(.explorer, ["r"], .sendAgain, "again", "send the selected target again"),
        KeyBinding(.explorer, ["o"], .edit, "edit", "edit the target in $EDITOR"),
        KeyBinding(.explorer, ["d"], .compare, "diff", "compare the cache with the server"),
        KeyBinding(.explorer, ["E"], .explain, "why", "explain what the cache did"),
        KeyBinding(
            .explorer,
            ["i"],
            .details,
            "headers",
            "headers; again, or a letter: another tab"
        ),
        KeyBinding(.explorer, ["W"], .saveBody, "save", "save the response's body to a file"),
        KeyBinding(
            .explorer,
            ["["],
            .olderResponse,
            "older",
            "the previous response, beside this one"
        ),
        KeyBinding(
            .explorer,
            ["]"],
            .newerResponse,
            "newer",
            "the next response, beside the one after"
        ),
        KeyBinding(.explorer, ["v"], .pastValues, "over time", "this value in earlier responses"),
        KeyBinding(.explorer, ["w"], .watch, "watch", "send it repeatedly, and mark changes"),
        KeyBinding(
            .explorer,
            ["C"],
            .copyCommand,
            "copy as",
            "copy the request as curl, .http, hurl and others"
        ),
        KeyBinding(.explorer, ["K"], .cookies, "cookies", "the cookies of this environment"),
        KeyBinding(
            .explorer,
            ["F"],
            .forgetValues,
            "forget values",
            "forget values that were asked for or sent for"
        ),
        KeyBinding(
            .explorer,
            ["O"],
            .signIn,
            "sign in",
            "sign in with OAuth 2, as the target says"
        ),
        KeyBinding(.explorer, ["ctrl+o"], .signOut, "sign out", "forget the target's token"),
        KeyBinding(.explorer, ["|"], .filterBody, "through", "run the response through a command"),
        KeyBinding(
            .explorer,
            ["R"],
            .recordSession,
            "session",
            "record a session by name, or share it; end it"
        ),
        KeyBinding(
            .explorer,
            ["J"],
            .listSessions,
            "sessions",
            "list sessions; join those of colleagues"
        ),
        KeyBinding(.explorer, ["x"], .cancel, "cancel", "cancel this request, or the newest"),
        KeyBinding(.explorer, ["X"], .cancelAll, "cancel all", "cancel everything that runs"),

        KeyBinding(.targets, ["enter"], .activate, "send", "send the target; fold a group"),
        KeyBinding(.targets, ["space"], .toggleFold, "fold", "fold or unfold the group"),
        KeyBinding(
            .targets,
            ["n", "N"],
            .newRequest,
            "new",
            "a new request: type its method and URL"
        ),
        KeyBinding(.targets, ["+"], .makeGroup, "group", "make a group"),
        KeyBinding(.targets, ["m"], .moveItem, "move", "rename it, or move it to another group"),
        KeyBinding(.targets, ["c"], .copyItem, "copy", "a copy of the target or the group"),
        KeyBinding(.targets, ["-", "del"], .removeItem, "delete", "delete it from the file; asks"),
        KeyBinding(
            .targets,
            ["<"],
            .shiftUp,
            "up",
            "before the one above it in its group, in the file"
        ),
        KeyBinding(
            .targets,
            [">"],
            .shiftDown,
            "down",
            "after the one below it in its group, in the file"
        ),
        KeyBinding(.targets, ["u"], .undoChange, "undo", "undo what was written to the file last"),
        KeyBinding(.targets, ["/"], .filter, "filter", "type to filter the targets"),

        KeyBinding(.request, ["enter"], .editValue, "edit", "edit the value; again keeps it"),
        KeyBinding(.request, ["c"], .replaceValue, "change", "type another value in its place"),
        KeyBinding(.request, ["n"], .addRow, "new", "add a row after this one"),
        KeyBinding(.request, ["N"], .newRequest, "new request", "a new request beside this one"),
        KeyBinding(
            .request,
            ["x", "del"],
            .removeRow,
            "remove",
            "remove the row, or stop sending it"
        ),
        KeyBinding(.request, ["right", "l"], .nextTab, "tab", "the next tab"),
        KeyBinding(.request, ["left", "h"], .previousTab, "previous tab", "the previous tab"),
        KeyBinding(.request, ["t"], .changeKind, "kind", "another kind of body or credentials"),
        KeyBinding(.request, ["u"], .editURL, "URL", "edit the method and the URL"),
        KeyBinding(
            .request,
            ["ctrl+r"],
            .takeBack,
            "take back",
            "undo the row's edit; twice, all edits"
        ),
        KeyBinding(.request, ["A"], .saveAs, "save as", "save it as a new target"),
        KeyBinding(.request, ["y"], .copy, "copy", "copy the request; a second key says how"),
        KeyBinding(.request, ["space"], .toggleFold, "fold", "fold or unfold a part of the body"),
        KeyBinding(.request, ["-"], .foldAll, "fold all", "fold all parts of the body"),
        KeyBinding(.request, ["+", "="], .unfoldAll, "unfold all", "unfold all parts of the body"),
        KeyBinding(.request, ["/"], .search, "search", "search this tab"),

        KeyBinding(.found, ["n"], .nextMatch, "next", "the next match"),
        KeyBinding(.found, ["N"], .previousMatch, "previous", "the previous match"),
        KeyBinding(.found, ["esc"], .back, "clear", "end the search"),

        KeyBinding(.session, ["enter"], .open, "open", "show it beside the latest response"),
        KeyBinding(.session, ["r"], .sendAgain, "again", "send it again as it was"),
        KeyBinding(.session, ["space"], .mark, "mark", "mark or unmark it"),
        KeyBinding(.session, ["="], .compareMarked, "compare", "compare the two marked ones"),
        KeyBinding(.session, ["N"], .note, "note", "write a note about it"),
        KeyBinding(.session, ["/"], .filter, "filter", "status:5xx method:post after:2h, or words"),

        KeyBinding(.batch, ["enter"], .open, "open", "open the request, or unfold; run the batch"),
        KeyBinding(.batch, ["space"], .toggleFold, "fold", "fold or unfold the group"),
        KeyBinding(
            .batch,
            ["f"],
            .runFailedAgain,
            "resend failed",
            "send the failed requests again"
        ),
        KeyBinding(
            .batch,
            ["W"],
            .runByWorkers,
            "by workers",
            "have workers (apus work) send the batch"
        ),

        KeyBinding(.chain, ["enter"], .open, "open", "open the step; run the chain"),
        KeyBinding(.chain, ["r"], .sendAgain, "from here", "run again from the chosen step"),
        KeyBinding(.chain, ["a"], .runAlone, "alone", "send the step's request alone"),

        KeyBinding(.cookies, ["enter"], .editValue, "edit", "edit the value"),
        KeyBinding(.cookies, ["x", "del"], .removeRow, "delete", "delete the cookie"),
        KeyBinding(
            .cookies,
            ["X"],
            .removeAllCookies,
            "delete all",
            "delete all cookies of the environment"
        ),
        KeyBinding(.cookies, ["v"], .revealValues, "show values", "show the values, or hide them"),
        KeyBinding(.cookies, ["y"], .copyText, "copy", "copy the cookie"),
        KeyBinding(.cookies, ["K"], .cookies, "close", "close the list"),

        KeyBinding(
            .variables,
            ["enter"],
            .editValue,
            "edit",
            "edit the value; use the environment"
        ),
        KeyBinding(.variables, ["e", "space"], .useEnvironment, "use it", "use the environment"),
        KeyBinding(.variables, ["n"], .addRow, "new", "a new variable, or environment"),
        KeyBinding(.variables, ["m"], .moveItem, "rename", "rename it, wherever it is named"),
        KeyBinding(.variables, ["c"], .copyItem, "copy", "a copy of the environment"),
        KeyBinding(.variables, ["x", "-", "del"], .removeRow, "delete", "delete it; asks"),
        KeyBinding(.variables, ["u"], .undoChange, "undo", "undo what was written last"),
        KeyBinding(.variables, ["tab", "shift+tab"], .nextColumn, "column", "the other column"),
        KeyBinding(.variables, ["V"], .showVariables, "close", "close the page"),

        KeyBinding(.tabs, ["i"], .details, "next", "the next tab"),
        KeyBinding(.tabs, ["b"], .showBody, "body", "the body"),
        KeyBinding(
            .tabs,
            ["e"],
            .showExpectations,
            "expect",
            "what is expected, and what there is instead"
        ),
        KeyBinding(.tabs, ["h"], .showHeaders, "headers", "status, header fields, redirects"),
        KeyBinding(.tabs, ["c"], .showCookies, "cookies", "cookies set and sent"),
        KeyBinding(.tabs, ["t"], .showTiming, "timing", "where the time went, who answered"),
        KeyBinding(.tabs, ["s"], .showCertificate, "TLS", "the certificates, and days left"),
        KeyBinding(.tabs, ["r"], .showRequest, "request", "the request as it was sent"),
        KeyBinding(.tabs, ["w"], .showRaw, "raw", "the wire trace"),

        KeyBinding(.page, ["right", "l"], .right, "next tab", "the next tab"),
        KeyBinding(.page, ["left", "h"], .left, "tab before", "the tab before"),
        KeyBinding(.page, ["esc"], .back, "body", "clear, or back to the body"),
        KeyBinding(.page, ["A"], .expect, "expect", "expect this field, this time, the status"),
        KeyBinding(.page, ["u"], .undoChange, "undo", "undo what was written to the file last"),

        KeyBinding(.expectations, ["enter"], .open, "to the value", "go to what it is about"),
        KeyBinding(.expectations, ["A"], .expect, "change", "expect something else of it"),
        KeyBinding(
            .expectations,
            ["-", "del"],
            .removeExpectation,
            "remove",
            "take it out of the file"
        ),

        KeyBinding(
            .document,
            ["A"],
            .expect,
            "expect",
            "expect this value from now on; in the file"
        ),
        KeyBinding(.document, ["u"], .undoChange, "undo", "undo what was written to the file last"),
        KeyBinding(.table, ["A"], .expect, "expect", "expect this value from now on; in the file"),

        KeyBinding(.page, ["/"], .search, "search", "search this tab"),
        KeyBinding(.page, ["n"], .nextMatch, "next", "the next match"),
        KeyBinding(.page, ["N"], .previousMatch, "previous", "the previous match"),
        KeyBinding(.page, ["y"], .copyText, "copy", "copy the value under the cursor"),
        KeyBinding(.page, ["Y"], .copyPage, "copy all", "copy the whole tab"),
        KeyBinding(
            .page,
            ["a"],
            .showAllFields,
            "all fields",
            "TLS: every field of the certificates"
        ),
    ]
}
