/// What a key can do.
///
/// The one table in `KeyTable` says which key does what; help and footer are made from
/// it.
enum Action: String, CaseIterable {
    // Everywhere
    case quit, help, cancel, cancelAll, redraw, suspend
    case nextSource, nextEnvironment
    case focusNext, focusPrevious, focusTargets, focusCache, focusServer, focusProgress
    case zoom, back
    // Moving
    case up, down, left, right, pageUp, pageDown, first, last
    // Doing
    case activate, fireAgain, toggleFold, foldAll, unfoldAll, nextForm
    case filter
    case copyValue, copyPath
}
