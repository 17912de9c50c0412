extension JSON {
    /// The first value that a path finds, or a missing value.
    ///
    /// A short path such as `users[0].name` or `users>0>name`, or a query of RFC 9535 such as
    /// `$..name`; `$` is this value. A path of names and places goes as the subscripts do: of
    /// several members of one name it takes the last. Any other query is asked of the document; a
    /// value that was built or changed is written and read again for it, in time and memory that
    /// grow with its size.
    public func at(path: String) throws(JSONPathError) -> JSON {
        at(try JSONPath(parsing: path), writtenAs: path)
    }

    /// The first value that a query finds, or a missing value, as `at(path:)` does.
    public func at(_ query: JSONPath) -> JSON { at(query, writtenAs: query.description) }

    private func at(_ query: JSONPath, writtenAs path: @autoclosure () -> String) -> JSON {
        if query.isSingular {
            return self[path: steps(of: query)]
        }
        if case .missing = storage { return self }
        guard let (document, node) = source ?? copy() else { return unmatched(path()) }
        let evaluation = QueryEvaluation(document, absoluteQueryCount: query.absoluteQueryCount)
        var walk = QueryWalk(query.segments, from: node.rawValue, evaluation)
        return walk.next().map { JSON(document: document, node: $0) } ?? unmatched(path())
    }

    /// A singular query as steps; digits are a place in an array and a name elsewhere.
    private func steps(of query: JSONPath) -> [PathStep] {
        var steps: [PathStep] = []
        var value = self
        for segment in query.segments {
            let isArray = value.kind == .array
            let step = segment.selectors.lazy.compactMap { selector -> PathStep? in
                switch selector {
                case .name(let name): segment.isPlace && isArray ? nil : .name(name.text)
                case .index(let index): .index(index < 0 && isArray ? value.count + index : index)
                case .wildcard, .slice, .filter: nil
                }
            }.first
            guard let step else { break }
            steps.append(step)
            value = value.value(step)
        }
        return steps
    }

    /// The value as a document of its own; nil when it cannot be written.
    private func copy() -> (document: Document, node: NodeIndex)? {
        // A value with an incomplete container has no text, so that nothing matches.
        guard let bytes = try? bytes() else { return nil }
        return (Document.parse(DocumentBytes(bytes)), .root)
    }

    private func unmatched(_ path: String) -> JSON {
        JSON(.missing(JSONMissing(.nothingMatches, origin: source, steps: [.name(path)])))
    }
}

/// So that a member of type `JSON` of a decoded type refers to the document and copies nothing.
extension JSON: NodeDecodable {}
