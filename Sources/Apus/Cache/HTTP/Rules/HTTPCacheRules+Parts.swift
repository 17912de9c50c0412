import HTTPTypes

extension HTTPCacheRules {
    /// Combines a newer part with a stored one that it overlaps or touches; nil if there is none.
    ///
    /// Both must be of the same version by a strong tag (RFC 9111, 3.4).
    func combination(
        of newer: StoredHead,
        with stored: [StoredHead],
        for request: HTTPRequest
    ) -> PartCombination? {
        guard case .part(let new) = newer.content else { return nil }
        let parts = VariantSelection(of: stored, for: request.headerFields).parts
        for part in parts {
            guard case .part(let old) = part.content, Self.isSameVersion(part, newer),
                old.total == new.total || old.total == nil || new.total == nil,
                old.bytes.lowerBound <= new.bytes.upperBound,
                new.bytes.lowerBound <= old.bytes.upperBound,
                // A part may end after the total that the other one gives; then one of them is wrong.
                max(old.bytes.upperBound, new.bytes.upperBound) <= new.total ?? old.total ?? .max
            else { continue }
            if let combined = combination(part, old, newer, new) { return combined }
        }
        return nil
    }

    private func combination(
        _ part: StoredHead,
        _ old: ContentRange,
        _ newer: StoredHead,
        _ new: ContentRange
    ) -> PartCombination? {
        guard
            let merged = StorableFields.merged(
                part.fields,
                with: newer.fields,
                receivedAt: newer.responseTime
            )
        else { return nil }
        let start = old.bytes.lowerBound
        let before = 0..<max(0, min(new.bytes.lowerBound, old.bytes.upperBound) - start)
        let after =
            max(0, min(new.bytes.upperBound, old.bytes.upperBound) - start)..<old.bytes.count
        let bytes =
            min(start, new.bytes.lowerBound)..<max(old.bytes.upperBound, new.bytes.upperBound)
        var head = newer
        head.response.headerFields = merged
        head.content = .part(ContentRange(bytes: bytes, total: new.total ?? old.total))
        return PartCombination(
            base: part.id,
            before: before,
            after: max(after.lowerBound, before.upperBound)..<old.bytes.count,
            head: head.wholeIfComplete
        )
    }

    /// Whether both are certainly the same version.
    static func isSameVersion(_ one: StoredHead, _ other: StoredHead) -> Bool {
        guard let tag = one.fields.entityTag, let otherTag = other.fields.entityTag else {
            return false
        }
        return tag.isStronglyEqual(to: otherTag)
    }

    /// The ids of the stored parts that a newer one replaces: other versions, and those it contains.
    func superseded(
        byPart newer: StoredHead,
        to request: HTTPRequest,
        among stored: [StoredHead]
    ) -> [Int] {
        guard case .part(let new) = newer.content else {
            return superseded(by: request, among: stored)
        }
        let parts = VariantSelection(of: stored, for: request.headerFields).parts
        return parts.filter { part in
            guard case .part(let old) = part.content else { return false }
            return !Self.isSameVersion(part, newer)
                || new.bytes.lowerBound <= old.bytes.lowerBound
                    && old.bytes.upperBound <= new.bytes.upperBound
        }.map(\.id)
    }
}

extension StoredHead {
    /// The head as that of a whole, if no byte is missing.
    var wholeIfComplete: StoredHead {
        guard case .part(let range) = content, let total = range.total, range.bytes == 0..<total
        else {
            var part = self
            if case .part(let range) = content {
                part.response.headerFields[.contentRange] = range.value
                part.response.headerFields[.contentLength] = String(range.bytes.count)
            }
            return part
        }
        var whole = self
        whole.content = .whole(length: total)
        whole.response.status = .ok
        whole.response.headerFields[.contentRange] = nil
        whole.response.headerFields[.contentLength] = String(total)
        return whole
    }
}

extension ReuseEvaluation {
    /// A request for the missing bytes of one of the parts; nil if they are not a single range.
    func completion(of parts: [StoredHead]) -> PartCompletion? {
        guard request.method == .get, CallerCondition(request) == nil, !isOffline else {
            return nil
        }
        for part in parts {
            guard case .part(let range) = part.content, let total = range.total,
                let tag = part.sendableTag, !tag.isWeak,
                part.fields[.contentEncoding] == nil
            else { continue }
            var missing: Range<Int>?
            guard range.bytes.upperBound <= total else { continue }
            if range.bytes.lowerBound == 0 { missing = range.bytes.upperBound..<total }
            if range.bytes.upperBound == total { missing = 0..<range.bytes.lowerBound }
            guard let missing, !missing.isEmpty else { continue }
            var completing = request
            let isRest = missing.upperBound == total
            completing.headerFields[.range] =
                "bytes=\(missing.lowerBound)-\(isRest ? "" : String(missing.upperBound - 1))"
            completing.headerFields[.ifRange] = tag.description
            return PartCompletion(request: completing, part: part.id)
        }
        return nil
    }
}

/// A stored part combined with a newer one of the same version (RFC 9111, 3.4).
struct PartCombination: Sendable, Equatable {
    /// The id of the stored part.
    let base: Int
    /// The bytes of the stored part before and after the newer part, counted from the start of its body.
    let before: Range<Int>
    let after: Range<Int>
    /// The head of the combination; that of a whole if nothing is missing.
    let head: StoredHead

    /// The combined bytes; nil if `base` is too short.
    func body(_ base: [UInt8], _ newer: [UInt8]) -> [UInt8]? {
        guard before.upperBound <= base.count, after.upperBound <= base.count else { return nil }
        return base[before] + newer + base[after]
    }
}

/// A request for the missing bytes of a stored part.
struct PartCompletion: Sendable, Equatable {
    /// The request to send: the caller's with `Range` and `If-Range`.
    let request: HTTPRequest
    /// The id of the stored part.
    let part: Int
}
