import Synchronization

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

/// Whose turn it is, and where the parse stands when it is nobody's.
struct PausedParse {
    /// What is left to do; nil while somebody parses, and when the parse is over.
    var paused: ParseState?
    /// Where a fault ended the parse.
    var stopped: ParseState?
    /// Later faults are passed over too.
    var passesFaults = false
}

/// How much of a tree may be read: the parser moves it on, readers look.
final class PublishedCount: Sendable {
    private let nodes = Atomic(0)
    private let containers = Atomic(0)
    private let bytes = Atomic(0)

    var nodeCount: Int { nodes.load(ordering: .acquiring) }

    /// At least the containers among the published nodes; a few may be newer.
    var containerCount: Int {
        _ = nodes.load(ordering: .acquiring)
        return containers.load(ordering: .relaxed)
    }

    var parsedBytes: Int { bytes.load(ordering: .relaxed) }

    func advance(nodeCount: Int, containerCount: Int, parsedBytes: Int) {
        bytes.store(parsedBytes, ordering: .relaxed)
        containers.store(containerCount, ordering: .relaxed)
        // The one store that lets readers see everything written before it.
        nodes.store(nodeCount, ordering: .releasing)
    }
}

/// How far a body has been taken in.
public struct ParseProgress: Equatable, Sendable {
    /// The bytes that were looked at.
    public let parsedBytes: Int
    /// All bytes.
    public let totalBytes: Int

    /// Says how far a body has been taken in.
    public init(parsedBytes: Int, totalBytes: Int) {
        self.parsedBytes = parsedBytes
        self.totalBytes = totalBytes
    }
}
