/// Where a parse stands between two values: enough to go on from there.
///
/// The stack of open containers is the parents' chain in the container table.
struct ParseState {
    var at = 0
    var nodeCount = 0
    var containerCount = 0
    var open = Node.noContainer
    var childCount: UInt32 = 0
    var entry = Entry.start
    /// The key's part of the node of the value that comes next.
    var keyBits: UInt64 = 0
    /// After a fault: the place behind the last value that is whole, which `entry` belongs to.
    var mark = 0
    var outcome = Outcome.paused

    enum Outcome: Equatable {
        case paused
        case complete
        case fault(DocumentFault.Kind)
        /// A fault that is to be passed over before the parser goes on.
        case passing(DocumentFault.Kind)
    }

    /// What is expected at `at`.
    enum Entry {
        /// The text begins.
        case start
        /// A container was opened: its first value or its end.
        case container
        /// Behind a value: a comma or an end.
        case separator
        /// A value; the key is known.
        case value
        /// The rest of a broken line of a sequence.
        case line
    }
}
