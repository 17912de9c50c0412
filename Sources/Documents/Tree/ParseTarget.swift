/// Where a parser writes, and how it tells readers.
///
/// Plain values only: a reference that is counted would keep the parser's fields in memory. The
/// document, which owns all of it, outlives the parse.
struct ParseTarget {
    let form: DocumentForm
    let nodes: UnsafeMutablePointer<Node>
    let containers: UnsafeMutablePointer<Container>
    let publication: Unmanaged<Publication>

    @inline(never) static func publish(
        _ publication: Unmanaged<Publication>,
        nodeCount: Int,
        containerCount: Int,
        at: Int
    ) {
        publication._withUnsafeGuaranteedRef {
            $0.advance(nodeCount: nodeCount, containerCount: containerCount, parsedBytes: at)
        }
    }
}
