import HTTPTypes

extension ReuseDeliberation {
    /// The request with the validators of what is stored (RFC 9111, 4.3.1).
    ///
    /// Nil if there is none, or if conditions would not help: HEAD has no body to
    /// save, a range is asked for, or the caller asks that nothing exists.
    func conditional(for chosen: StoredHead?) -> ConditionalRequest? {
        let fields = request.headerFields
        let callers = EntityTagCondition(fields)
        guard request.method == .get, !fields.contains(.range), callers != .anything else {
            return nil
        }
        var conditional = request
        var validated: [StoredHead] = []
        if let chosen, chosen.fields.entityTag == nil {
            guard let modified = chosen.fields[values: .lastModified].first, callers == nil else {
                return nil
            }
            conditional.headerFields[.ifModifiedSince] = modified
            validated = [chosen]
        } else {
            validated = withTags(startingWith: chosen)
            guard !validated.isEmpty else { return nil }
            conditional.headerFields[.ifNoneMatch] = union(of: validated, and: callers)
            conditional.headerFields[.ifModifiedSince] =
                validated.count == 1 && callers == nil
                ? chosen?.fields[values: .lastModified].first : nil
        }
        return ConditionalRequest(
            request: conditional,
            original: request,
            selected: chosen?.id,
            validated: validated.map(\.id)
        )
    }

    /// The whole responses that have a tag, `chosen` first.
    private func withTags(startingWith chosen: StoredHead?) -> [StoredHead] {
        let others = stored.filter {
            $0.isWhole && $0.id != chosen?.id && !$0.isInvalidated && $0.fields.entityTag != nil
        }
        return (chosen.map { [$0] } ?? []) + others
    }

    private func union(of validated: [StoredHead], and callers: EntityTagCondition?) -> String {
        var tags = validated.compactMap(\.fields.entityTag)
        if case .tags(let more) = callers { tags += more }
        var texts: [String] = []
        for tag in tags where !texts.contains(tag.description) { texts.append(tag.description) }
        return texts.joined(separator: ", ")
    }
}
