import TreeView

/// What the palette calls an action, and the words by which people look for it.
///
/// The footer's labels are shorter, and two panes may use the same one.
enum PaletteWords {
    /// The name of a binding's action in the palette.
    static func title(of binding: KeyBinding) -> String {
        titles[binding.action] ?? binding.label
    }

    /// Further words to find an action by, in lower case.
    static func words(for action: Action) -> String { words[action] ?? "" }

    private static let titles: [Action: String] = [
        .focusNext: "next pane", .focusPrevious: "previous pane", .focusTargets: "targets pane",
        .focusCache: "cache pane", .focusServer: "server pane", .focusProgress: "session pane",
        .focusRequest: "request pane", .requestBody: "request body",
        .requestHeaders: "request headers", .requestQuery: "request query",
        .pasteRequest: "paste request", .save: "save request", .saveAs: "save as new target",
        .saveBody: "save response", .details: "response tabs", .showBody: "response body",
        .showExpectations: "what is expected",
        .showHeaders: "response headers", .showCookies: "response cookies", .showTiming: "timing",
        .showCertificate: "TLS certificate", .showRequest: "request as sent",
        .showRaw: "raw trace", .copyCommand: "copy as", .filterBody: "run through a command",
        .recordSession: "record or share session", .listSessions: "list sessions",
        .query: "JSONPath query", .edit: "edit in $EDITOR",
        .sendAgain: "send again", .nextSource: "next source", .chooseSource: "choose source",
        .newRequest: "new request", .makeGroup: "new group", .moveItem: "rename or move",
        .copyItem: "duplicate", .removeItem: "delete target or group", .expect: "expect this value",
        .removeExpectation: "remove expectation", .shiftUp: "move up in its group",
        .shiftDown: "move down in its group",
        .undoChange: "undo last change of the file", .showVariables: "environments and variables",
        .editURL: "edit URL", .changeKind: "kind of body or credentials",
        .takeBack: "undo edits", .addRow: "new row", .removeRow: "remove row",
        .editValue: "edit value", .replaceValue: "change value",
    ]

    private static let words: [Action: String] = [
        .signIn: "oauth oauth2 login log in token auth authorize refresh account",
        .signOut: "oauth oauth2 logout log out token forget account",
        .showCertificate: "cert certificate certificates tls ssl x509 https expiry chain cipher",
        .showTiming: "time times duration latency dns connect phases waterfall performance slow",
        .showHeaders: "response headers fields status redirects",
        .showExpectations: "expectations assertions checks tests passed failed",
        .expect: "assert assertion test check status value expectation add",
        .removeExpectation: "assertion test check delete",
        .shiftUp: "order sort reorder position", .shiftDown: "order sort reorder position",
        .showCookies: "response set-cookie",
        .showRaw: "wire bytes dump verbose",
        .showRequest: "sent request headers",
        .details: "response headers cookies timing certificate tls raw trace tabs",
        .focusProgress: "history past requests log sent recordings progress",
        .pastValues: "history timeline earlier values trend chart",
        .olderResponse: "history previous version", .newerResponse: "history version",
        .focusRequest: "edit modify url method headers body auth authorization",
        .requestHeaders: "edit header fields authorization auth accept",
        .requestQuery: "edit parameters params url",
        .requestBody: "edit json form multipart graphql data payload",
        .editURL: "address path method verb",
        .changeKind: "json form multipart graphql auth bearer basic",
        .newRequest: "create add make target", .makeGroup: "create add folder",
        .moveItem: "rename move group folder path", .copyItem: "duplicate clone copy",
        .removeItem: "remove delete", .undoChange: "revert take back",
        .showVariables: "env environments edit set secret values base url",
        .pasteRequest: "new import create add curl url http raw",
        .saveAs: "new duplicate copy clone create", .save: "write yaml file workspace store",
        .addRow: "create insert header parameter",
        .saveBody: "download export file response write",
        .filterBody: "jq pipe shell grep command sed awk",
        .query: "jq xpath filter select path json",
        .search: "find grep", .filter: "find search",
        .copyCommand: "export share command line clipboard",
        .copy: "clipboard yank", .edit: "editor vim open file source yaml workspace",
        .watch: "poll repeat interval every until loop monitor",
        .explain: "cache explain reason", .compare: "compare differences changes",
        .compareMarked: "diff differences",
        .nextEnvironment: "env switch staging production variables",
        .forgetValues: "ask again sign in login token command variable prompt refresh",
        .cancel: "stop abort kill", .cancelAll: "stop abort kill",
        .recordSession: "har recording capture share team colleague redis live",
        .listSessions: "join watch shared live colleague team redis history recordings",
        .help: "keys shortcuts keyboard bindings manual",
        .quit: "exit close leave", .zoom: "full screen maximize fullscreen",
        .chooseTheme: "colors colours dark light appearance",
        .mouse: "select text", .cookies: "jar",
        .activate: "run execute request", .sendAgain: "repeat resend rerun replay retry",
        .runFailedAgain: "retry repeat", .runByWorkers: "distributed machines redis load",
        .table: "csv grid columns rows spreadsheet",
        .nextForm: "hex raw text tree pretty plain", .foldAll: "collapse",
        .unfoldAll: "expand", .nextSource: "cache", .chooseSource: "cache",
        .jump: "labels hints", .suspend: "shell background",
    ]
}
