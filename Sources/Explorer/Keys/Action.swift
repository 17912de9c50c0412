/// What a key can do.
///
/// The one table in `KeyTable` says which key does what; help and footer are made from
/// it.
enum Action: String, CaseIterable {
    // Everywhere
    case quit, help, back, redraw, suspend
    // The explorer
    case cancel, cancelAll
    case nextSource, nextEnvironment
    case focusNext, focusPrevious, focusTargets, focusCache, focusServer, focusProgress
    case zoom, explain
    case activate, fireAgain, filter
    // Moving
    case up, down, left, right, pageUp, pageDown, first, last
    // A document
    case open, toggleFold, foldAll, unfoldAll, unfoldMore, unfoldLess, unfoldLevels, nextForm
    case search, query, goTo, nextMatch, previousMatch, listMatches
    case showFault, resumeAfterFault
    case copy, copyPath, copyShortPath, copyValue, copyText, copyKey, copyMatches, copyMatchPaths
    case compare
    // A line that is being typed
    case accept, dismiss, older, newer, nextPart, toggleExpression
}
