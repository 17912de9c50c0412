import TreeView

/// The explorer's own actions.
extension Action {
    // On the whole screen
    static let palette = Action("palette")
    static let mouse = Action("mouse")

    // The explorer
    static let cancel = Action("cancel")
    static let cancelAll = Action("cancelAll")
    static let nextSource = Action("nextSource")
    static let chooseSource = Action("chooseSource")
    static let nextEnvironment = Action("nextEnvironment")
    static let chooseTheme = Action("chooseTheme")
    static let focusNext = Action("focusNext")
    static let focusPrevious = Action("focusPrevious")
    static let focusTargets = Action("focusTargets")
    static let focusCache = Action("focusCache")
    static let focusServer = Action("focusServer")
    static let focusProgress = Action("focusProgress")
    static let zoom = Action("zoom")
    static let explain = Action("explain")
    static let jump = Action("jump")
    static let signIn = Action("signIn")
    static let signOut = Action("signOut")
    static let narrower = Action("narrower")
    static let wider = Action("wider")
    static let lower = Action("lower")
    static let higher = Action("higher")
    static let standardSizes = Action("standardSizes")

    // The tabs of a response
    static let details = Action("details")
    static let showBody = Action("showBody")
    static let showExpectations = Action("showExpectations")
    static let showHeaders = Action("showHeaders")
    static let showCookies = Action("showCookies")
    static let showTiming = Action("showTiming")
    static let showCertificate = Action("showCertificate")
    static let showRequest = Action("showRequest")
    static let showRaw = Action("showRaw")
    static let showAllFields = Action("showAllFields")
    static let copyPage = Action("copyPage")
    static let saveBody = Action("saveBody")
    static let activate = Action("activate")
    static let sendAgain = Action("sendAgain")
    static let filter = Action("filter")
    static let edit = Action("edit")

    // The history
    static let mark = Action("mark")
    static let compareMarked = Action("compareMarked")
    static let note = Action("note")
    static let copyCommand = Action("copyCommand")
    static let recordSession = Action("recordSession")
    static let listSessions = Action("listSessions")
    static let pastValues = Action("pastValues")
    static let olderResponse = Action("olderResponse")
    static let newerResponse = Action("newerResponse")
    static let watch = Action("watch")

    // A batch
    static let runFailedAgain = Action("runFailedAgain")
    static let runByWorkers = Action("runByWorkers")

    // A chain
    static let runAlone = Action("runAlone")

    // The edited request
    static let focusRequest = Action("focusRequest")
    static let requestBody = Action("requestBody")
    static let requestHeaders = Action("requestHeaders")
    static let requestQuery = Action("requestQuery")
    static let pasteRequest = Action("pasteRequest")
    static let newRequest = Action("newRequest")
    static let previousTab = Action("previousTab")
    static let nextTab = Action("nextTab")
    static let editValue = Action("editValue")
    static let replaceValue = Action("replaceValue")
    static let addRow = Action("addRow")
    static let removeRow = Action("removeRow")
    static let changeKind = Action("changeKind")
    static let editURL = Action("editURL")
    static let takeBack = Action("takeBack")
    static let save = Action("save")
    static let saveAs = Action("saveAs")
    static let takeDefaults = Action("takeDefaults")

    // Cookies
    static let cookies = Action("cookies")
    static let revealValues = Action("revealValues")
    static let removeAllCookies = Action("removeAllCookies")

    // Values that requests need
    static let forgetValues = Action("forgetValues")
    // What is expected of responses
    static let expect = Action("expect")
    static let removeExpectation = Action("removeExpectation")
    // The workspace's files
    static let makeGroup = Action("makeGroup")
    static let moveItem = Action("moveItem")
    static let copyItem = Action("copyItem")
    static let removeItem = Action("removeItem")
    static let shiftUp = Action("shiftUp")
    static let shiftDown = Action("shiftDown")
    static let undoChange = Action("undoChange")
    static let showVariables = Action("showVariables")
    static let useEnvironment = Action("useEnvironment")
    static let nextColumn = Action("nextColumn")

    // Filtering a body
    static let filterBody = Action("filterBody")

    // A document
    static let compare = Action("compare")
}

/// The explorer's own places.
extension KeyBinding.Place {
    static let explorer = Self("explorer", title: "Explorer")
    static let targets = Self("targets", title: "Targets")
    static let request = Self("request", title: "The request")
    static let found = Self("found", title: "Search in the request")
    static let session = Self("session", title: "The session")
    static let batch = Self("batch", title: "A batch")
    static let chain = Self("chain", title: "A chain")
    static let cookies = Self("cookies", title: "Cookies")
    static let variables = Self("variables", title: "Environments and variables")
    static let expectations = Self("expectations", title: "The tab Expect")
    static let page = Self("page", title: "A tab other than the body")
    static let tabs = Self("tabs", title: "After i")

    /// All places, in the order of a file of keys.
    static let all = [
        everywhere, explorer, moving, targets, request, found, session, batch, chain, cookies,
        variables, document, table, expectations, page, tabs, levels, copying, value, typing,
    ]
    /// The explorer's places, in the order of its help.
    static let ofExplorer = [
        everywhere, explorer, moving, targets, request, found, session, batch, chain, cookies,
        variables, tabs, page, expectations, document, table, copying, value, typing,
    ]
}
