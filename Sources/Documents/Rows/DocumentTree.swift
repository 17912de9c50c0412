/// A document as a tree of rows.
struct DocumentTree: RowTree {
    let document: Document

    var nodeCount: Int { document.nodeCount }

    func subtreeSize(of node: Int, within count: Int) -> Int {
        document.subtreeSize(of: NodeIndex(node), within: count)
    }

    func parent(of node: Int) -> Int? { document.parent(of: NodeIndex(node))?.rawValue }

    func visitContainers(in nodes: Range<Int>, fromDepth depth: Int, _ body: (Int) -> Void) {
        let first = document.containerCount(under: nodes.lowerBound)
        let end = document.containerCount(under: nodes.upperBound)
        for index in first..<max(first, end) {
            let container = document.containers.read(index)
            if container.depth >= depth && !container.isString { body(Int(container.node)) }
        }
    }
}
