/// What a key can do.
///
/// `KeyTable` binds keys to actions; help and footer are made from it.
enum Action: String, CaseIterable {
    // Everywhere
    case quit, help, back, redraw, suspend, palette, mouse
    // The explorer
    case cancel, cancelAll
    case nextSource, chooseSource, nextEnvironment, chooseTheme
    case focusNext, focusPrevious, focusTargets, focusCache, focusServer, focusProgress
    case zoom, explain, jump
    case narrower, wider, lower, higher, standardSizes
    // The tabs of an answer
    case details, showBody, showHeaders, showCookies, showTiming, showCertificate, showRequest
    case showRaw, showAllFields, copyPage, saveBody
    case activate, sendAgain, filter, edit
    // The history
    case mark, compareMarked, note, copyCommand, recordSession, pastValues, olderAnswer, newerAnswer
    case watch
    // A batch
    case runFailedAgain
    // A chain
    case runAlone
    // The edited request
    case focusRequest, requestBody, requestHeaders, requestQuery, pasteRequest, newRequest
    case previousTab, nextTab, editValue, replaceValue, addRow, removeRow, changeKind, editURL
    case takeBack, save, saveAs, takeDefaults
    // Cookies
    case cookies, revealValues, removeAllCookies
    // Filtering a body
    case filterBody
    // Moving
    case up, down, left, right, pageUp, pageDown, first, last
    // A document
    case open, toggleFold, foldAll, unfoldAll, unfoldMore, unfoldLess, unfoldLevels, nextForm
    case wrap, layOut, lineStart, lineEnd
    case search, query, goTo, nextMatch, previousMatch, listMatches
    case showFault, resumeAfterFault
    case copy, copyPath, copyShortPath, copyValue, copyText, copyKey, copyMatches, copyMatchPaths
    case compare
    // A table
    case table, sortColumn, hideColumn, showColumns, columnLeft, columnRight
    // Typing a line
    case accept, dismiss, older, newer, nextPart, toggleExpression
}

/// A line of the key table.
struct KeyBinding {
    /// Where it works.
    enum Place: String, CaseIterable {
        case everywhere = "Everywhere"
        case explorer = "Explorer"
        case moving = "Moving"
        case targets = "Targets"
        case request = "The request"
        case found = "Search in the request"
        case session = "The session"
        case batch = "A batch"
        case chain = "A chain"
        case cookies = "Cookies"
        case document = "A document"
        case table = "A table"
        case page = "A tab other than the body"
        case tabs = "After i"
        case levels = "Levels"
        case copying = "After y"
        case value = "One value"
        case typing = "While typing"

        /// The explorer's places, in the order of its help.
        static let ofExplorer: [Place] = [
            .everywhere, .explorer, .moving, .targets, .request, .found, .session, .batch, .chain,
            .cookies,
            .tabs, .page, .document, .table, .copying,
            .value, .typing,
        ]
        /// The places of `apus view`.
        static let ofViewer: [Place] = [
            .everywhere, .moving, .document, .table, .levels, .copying, .value, .typing,
        ]
    }

    var place: Place
    var keys: [String]
    var action: Action
    /// Its label in the footer.
    var label: String
    /// Its description in the help.
    var help: String

    /// Whether the keys are a row of digits.
    var isRange: Bool { keys.count > 4 }

    /// The keys as the help writes them, "^l" for "ctrl+l"; for a row of digits, the first and the last.
    var shownKeys: String {
        let names = keys.map { $0.replacing("ctrl+", with: "^") }
        guard isRange, let first = names.first, let last = names.last else {
            return names.joined(separator: " ")
        }
        return "\(first)-\(last)"
    }
}
