@testable import Documents

/// The algorithm of RFC 9535 word for word: lists of nodes, one segment after the other.
struct NaiveQuery {
    let document: Document

    init(_ document: Document) {
        self.document = document
    }

    func nodes(_ segments: [QuerySegment]) -> [NodeIndex] {
        segments.reduce(document.nodeCount > 0 ? [.root] : []) { nodes, segment in
            nodes.flatMap { node in
                (segment.isDescendant ? preorder(node) : [node]).flatMap { node in
                    segment.selectors.flatMap { select($0, node) }
                }
            }
        }
    }

    private func preorder(_ node: NodeIndex) -> [NodeIndex] {
        [node] + document.children(of: node).flatMap(preorder)
    }

    private func select(_ selector: QuerySelector, _ node: NodeIndex) -> [NodeIndex] {
        let children = Array(document.children(of: node))
        let isArray = document.kind(of: node) == .array
        switch selector {
        case .wildcard: return children
        case .name(let name):
            return isArray ? [] : children.filter { document.isNamed($0, name.text) }
        case .index(let index):
            let place = index < 0 ? index + children.count : index
            return isArray && children.indices.contains(place) ? [children[place]] : []
        case .slice(let slice): return isArray ? select(slice, children) : []
        case .filter: return []
        }
    }

    /// RFC 9535 section 2.3.4.2.2.
    private func select(_ slice: QuerySlice, _ children: [NodeIndex]) -> [NodeIndex] {
        let (step, count) = (slice.step, children.count)
        guard step != 0 else { return [] }
        func normalize(_ place: Int) -> Int { place >= 0 ? place : count + place }
        let start = normalize(slice.start ?? (step >= 0 ? 0 : count - 1))
        let end = slice.end.map(normalize) ?? (step >= 0 ? count : -1)
        var found: [NodeIndex] = []
        if step > 0 {
            var at = min(max(start, 0), count)
            while at < min(max(end, 0), count) {
                found.append(children[at])
                at += step
            }
        } else {
            var at = min(max(start, -1), count - 1)
            while at > min(max(end, -1), count - 1) {
                found.append(children[at])
                at += step
            }
        }
        return found
    }
}
