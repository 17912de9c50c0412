import FoundationEssentials
import HTTPTypes

extension ReuseDeliberation {
    /// Answers a range from a stored whole or from a part that has all of it; everything else
    /// goes to the origin as it is.
    ///
    /// A cache may answer with the whole (RFC 9110, 14.2), but who asks for a range may not
    /// have room for the whole. So: the exact bytes, or the origin.
    mutating func planRange(_ selection: VariantSelection) -> ReusePlan {
        for chosen in selection.matching + selection.parts {
            guard let slice = slice(of: chosen) else { continue }
            switch judge(chosen) {
            case .use(let outcome, let rule):
                if log.consider(.callerHasCurrent, answersNotModified(chosen)) {
                    let (answer, _) = answer(from: chosen)
                    let decision = log.decide(outcome, .callerHasCurrent)
                    return ReusePlan(
                        decision: decision,
                        action: .answer(answer),
                        selected: chosen.id
                    )
                }
                _ = log.consider(.rangeStored, true)
                return ReusePlan(
                    decision: log.decide(outcome, outcome == .fresh ? .rangeStored : rule),
                    action: .answer(answer(with: slice, of: chosen)),
                    selected: chosen.id
                )
            case .useAndRevalidate(let rule), .validate(let rule):
                return fetch(rule)
            }
        }
        _ = log.consider(.rangeNotStored, true)
        return fetch(stored.isEmpty ? .nothingStored : .rangeNotStored)
    }

    private func answersNotModified(_ chosen: StoredHead) -> Bool {
        chosen.isWhole && CallerCondition(request)?.isNotModified(chosen, now: now) == true
    }

    /// The range asked for, if these stored bytes have it.
    ///
    /// The stored bytes of a response with a content coding are decoded: the range is one of the
    /// coded bytes.
    private func slice(of chosen: StoredHead) -> ContentRange? {
        guard let text = request.headerFields[.range], let range = ByteRange(text),
            chosen.fields[.contentEncoding] == nil, isRangeConditionMet(chosen)
        else { return nil }
        switch chosen.content {
        case .whole(let length):
            guard chosen.response.status == .ok, let length, let bytes = range.resolved(in: length)
            else { return nil }
            return ContentRange(bytes: bytes, total: length)
        case .part(let part):
            guard let bytes = range.resolved(in: part), part.bytes.lowerBound <= bytes.lowerBound,
                part.bytes.upperBound >= bytes.upperBound
            else { return nil }
            return ContentRange(bytes: bytes, total: part.total)
        }
    }

    /// Whether `If-Range` names exactly this version (RFC 9110, 13.1.5).
    private func isRangeConditionMet(_ chosen: StoredHead) -> Bool {
        guard let condition = request.headerFields[.ifRange] else { return true }
        return chosen.fields.entityTag?.isStronglyEqual(to: EntityTag(condition)) == true
    }

    private func answer(with range: ContentRange, of chosen: StoredHead) -> StoredAnswer {
        var response = chosen.response
        response.status = .partialContent
        response.headerFields[.age] = ResponseAge(of: chosen, at: now).fieldValue
        response.headerFields[.contentRange] = range.value
        response.headerFields[.contentLength] = String(range.bytes.count)
        var slice = range.bytes
        if case .part(let part) = chosen.content {
            let start = part.bytes.lowerBound
            slice = slice.lowerBound - start..<slice.upperBound - start
        }
        return StoredAnswer(id: chosen.id, response: response, body: .slice(slice))
    }
}

extension ByteRange {
    /// The bytes meant in the representation that `part` is from; nil if its length must be
    /// known for it and is not.
    fileprivate func resolved(in part: ContentRange) -> Range<Int>? {
        if let total = part.total { return resolved(in: total) }
        guard case .from(let first, let last?) = self, last < Int.max else { return nil }
        return first..<last + 1
    }
}
