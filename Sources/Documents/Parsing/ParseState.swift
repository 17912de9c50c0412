import Synchronization

/// The state of a parse between two values, from which it can continue.
///
/// The stack of open containers is the chain of parents in the container table.
struct ParseState {
    var at = 0
    var nodeCount = 0
    var containerCount = 0
    var open = Node.noContainer
    var childCount: UInt32 = 0
    var entry = Entry.start
    /// The key bits for the node of the next value.
    var keyBits: UInt64 = 0
    /// The offset after the last complete value; after a fault, `entry` belongs to it.
    var mark = 0
    var outcome = Outcome.paused

    enum Outcome: Equatable {
        case paused
        case complete
        case fault(DocumentFault.Kind)
        /// A fault to be passed over before the parser continues.
        case passing(DocumentFault.Kind)
    }

    /// What is expected at `at`.
    enum Entry {
        /// The beginning of the text.
        case start
        /// After an opening bracket: the first value or the end.
        case container
        /// After a value: a comma or an end.
        case separator
        /// A value; its key has been read.
        case value
        /// The rest of a broken line of a sequence.
        case line
    }
}

/// Where a parse stands while no thread is parsing.
struct PausedParse {
    /// The state to continue from; nil while a thread is parsing and when the parse is over.
    var paused: ParseState?
    /// The state at the fault that ended the parse; nil if there is none.
    var stopped: ParseState?
    /// Whether later faults are passed over too.
    var recoversFromFaults = false
}

/// How much of a tree may be read: advanced by the parser, loaded by readers on any thread.
final class PublishedCount: Sendable {
    private let nodes = Atomic(0)
    private let containers = Atomic(0)
    private let bytes = Atomic(0)

    var nodeCount: Int { nodes.load(ordering: .acquiring) }

    /// At least the number of containers among the published nodes, perhaps a few more.
    var containerCount: Int {
        _ = nodes.load(ordering: .acquiring)
        return containers.load(ordering: .relaxed)
    }

    var parsedBytes: Int { bytes.load(ordering: .relaxed) }

    func advance(nodeCount: Int, containerCount: Int, parsedBytes: Int) {
        bytes.store(parsedBytes, ordering: .relaxed)
        containers.store(containerCount, ordering: .relaxed)
        // This one store makes everything written before it visible to readers.
        nodes.store(nodeCount, ordering: .releasing)
    }
}

/// How much of a body has been parsed.
public struct ParseProgress: Equatable, Sendable {
    /// The number of bytes parsed.
    public let parsedBytes: Int
    /// The number of bytes in all.
    public let totalBytes: Int

    /// Creates a progress report.
    public init(parsedBytes: Int, totalBytes: Int) {
        self.parsedBytes = parsedBytes
        self.totalBytes = totalBytes
    }
}
