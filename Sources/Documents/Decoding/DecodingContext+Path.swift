/// The way to the value that is decoded.
extension DecodingContext {
    /// The value at a path; the error names the first part that is missing.
    ///
    /// Of several members of one name it takes the last, as decoding does. Of a query that may find
    /// more than one value it takes the first.
    func node(at path: String) throws -> NodeIndex {
        let query: JSONPath
        do throws(JSONPathError) {
            query = try JSONPath(parsing: path)
        } catch {
            throw badPath(path, error)
        }
        guard query.isSingular else {
            guard let node = document.first(matching: query) else { throw noMatch(path) }
            return node
        }
        return try query.segments.reduce(NodeIndex(root)) { try child(of: $0, $1) }
    }

    /// The value that a singular segment leads to.
    private func child(of node: NodeIndex, _ segment: QuerySegment) throws -> NodeIndex {
        let kind = document.kind(of: node)
        var expected: Any.Type = [String: Any].self
        for selector in segment.selectors {
            switch selector {
            case .name(let name) where kind == .object:
                guard let member = document.member(name.text, of: node) else {
                    throw noMember(DecodingKey(name.text), in: node.rawValue)
                }
                return member
            case .index(let index) where kind == .array:
                let place = index < 0 ? document.childCount(of: node) + index : index
                guard let element = document.child(at: place, of: node) else {
                    throw noElement(index, in: node.rawValue)
                }
                return element
            case .index where !segment.isPlace: expected = [Any].self
            default: break
            }
        }
        throw mismatch(expected, at: node.rawValue)
    }
}
