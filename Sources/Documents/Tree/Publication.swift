import Synchronization

/// How much of a tree may be read: the parser moves it on, readers look.
final class Publication: Sendable {
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
