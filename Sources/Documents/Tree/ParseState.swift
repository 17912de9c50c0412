/// Where a parse stands between two values: enough to go on from there.
///
/// The stack of open containers is the parents' chain in the container table.
struct ParseState {
    var at = 0
    var nodeCount = 0
    var containerCount = 0
    var open = Node.noContainer
    var childCount: UInt32 = 0
    var depth: UInt64 = 0
    var outcome = Outcome.paused

    enum Outcome: Equatable {
        case paused
        case complete
        case fault(DocumentFault.Kind)
    }
}
