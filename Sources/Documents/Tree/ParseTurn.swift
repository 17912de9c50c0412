/// Whose turn it is, and where the parse stands when it is nobody's.
struct ParseTurn {
    /// What is left to do; nil while somebody parses, and when the parse is over.
    var paused: ParseState?
    /// Where a fault ended the parse.
    var stopped: ParseState?
    /// Later faults are passed over too.
    var passesFaults = false
}
