import Documents
import FoundationEssentials
import HTTPTypes

extension ReuseEvaluation {
    /// The response made from a usable stored one, and the rule if it is a 304; otherwise nil.
    func answer(from chosen: StoredHead) -> (ServedResponse, CacheRule?) {
        let age = ResponseAge(of: chosen, at: now).fieldValue
        if CallerCondition(request)?.isNotModified(chosen, now: now) == true {
            return (Self.notModified(chosen, age), .callerHasCurrent)
        }
        return (Self.whole(chosen, age, request.method), nil)
    }

    private static func whole(
        _ chosen: StoredHead,
        _ age: String,
        _ method: HTTPRequest.Method
    ) -> ServedResponse {
        var response = chosen.response
        response.headerFields[.age] = age
        return ServedResponse(
            id: chosen.id,
            response: response,
            body: method == .head ? .none : .whole
        )
    }

    /// A 304 with the fields that it must have (RFC 9110, 15.4.5).
    private static func notModified(_ chosen: StoredHead, _ age: String) -> ServedResponse {
        let kept: Set<HTTPField.Name> = [
            .cacheControl, .contentLocation, .date, .eTag, .expires, .vary,
        ]
        // Without a tag, `Last-Modified` is the validator.
        let isKept: (HTTPField) -> Bool = { field in
            kept.contains(field.name)
                || field.name == .lastModified && chosen.fields.entityTag == nil
        }
        var response = HTTPResponse(
            status: .notModified,
            headerFields: HTTPFields(chosen.fields.filter(isKept))
        )
        response.headerFields[.age] = age
        return ServedResponse(id: chosen.id, response: response, body: .none)
    }
}

extension ReuseEvaluation {
    /// The request with the validators of stored responses (RFC 9111, 4.3.1); nil if there are none or
    /// conditions would not help.
    ///
    /// They do not help for HEAD, which has no body to save, for a range, or if the caller asks for `*`.
    func conditional(for chosen: StoredHead?) -> ConditionalRequest? {
        let fields = request.headerFields
        let callers = EntityTagCondition(fields)
        guard request.method == .get, !fields.contains(.range), callers != .anything else {
            return nil
        }
        var conditional = request
        var validated: [StoredHead] = []
        if let chosen, chosen.sendableTag == nil {
            guard let modified = chosen.sendableDate, callers == nil else { return nil }
            conditional.headerFields[.ifModifiedSince] = modified
            validated = [chosen]
        } else {
            let tags: String
            (validated, tags) = withTags(startingWith: chosen, and: callers)
            guard let first = validated.first, chosen == nil || first.id == chosen?.id else {
                return nil
            }
            conditional.headerFields[.ifNoneMatch] = tags
            conditional.headerFields[.ifModifiedSince] =
                validated.count == 1 && callers == nil ? chosen?.sendableDate : nil
        }
        return ConditionalRequest(
            request: conditional,
            original: request,
            selected: chosen?.id,
            validated: validated.map(\.id)
        )
    }

    /// The whole responses with a tag, `chosen` first and then the most recent, and their tags and the
    /// caller's as a field value.
    ///
    /// As many as fit, but all of the caller's: without them the response could not be interpreted.
    private func withTags(
        startingWith chosen: StoredHead?,
        and callers: EntityTagCondition?
    ) -> (validated: [StoredHead], tags: String) {
        let others = stored.filter {
            $0.isWhole && $0.id != chosen?.id && !$0.isInvalidated
        }.sorted { $0.responseTime > $1.responseTime }
        var callersTags: [String] = []
        if case .tags(let tags) = callers { callersTags = tags.map(\.description) }
        var room = EntityTag.largestField - callersTags.reduce(0) { $0 + $1.utf8.count + 2 }
        var count = 0
        var texts: [String] = []
        var validated: [StoredHead] = []
        for head in (chosen.map { [$0] } ?? []) + others {
            guard let tag = head.sendableTag?.description else { continue }
            if !texts.contains(tag), !callersTags.contains(tag) {
                guard count < EntityTag.largestCount, tag.utf8.count + 2 <= room else { continue }
                room -= tag.utf8.count + 2
                count += 1
            }
            if !texts.contains(tag) { texts.append(tag) }
            validated.append(head)
        }
        for tag in callersTags where !texts.contains(tag) { texts.append(tag) }
        return (validated, texts.joined(separator: ", "))
    }
}

extension StoredHead {
    /// The tag; nil if it is too long for a condition.
    var sendableTag: EntityTag? {
        fields.entityTag.flatMap { tag in
            tag.description.utf8.count + 2 <= EntityTag.largestField ? tag : nil
        }
    }

    /// `Last-Modified`; nil if it is too long for a condition.
    fileprivate var sendableDate: String? {
        fields[values: .lastModified].first.flatMap { text in
            text.utf8.count <= EntityTag.largestField ? text : nil
        }
    }
}

extension ReuseEvaluation {
    /// Answers a range from a stored whole or a part that contains it; otherwise asks the origin.
    ///
    /// A cache may answer with the whole (RFC 9110, 14.2), but the caller may not have room for that.
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
        return fetch(stored.isEmpty ? absence() : .rangeNotStored)
    }

    private func answersNotModified(_ chosen: StoredHead) -> Bool {
        chosen.isWhole && CallerCondition(request)?.isNotModified(chosen, now: now) == true
    }

    /// The requested range; nil if the stored bytes do not contain it.
    ///
    /// Also nil with a content coding: the stored bytes are decoded, but the range counts encoded ones.
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

    /// Whether `If-Range` is missing or names exactly this version (RFC 9110, 13.1.5).
    private func isRangeConditionMet(_ chosen: StoredHead) -> Bool {
        guard let condition = request.headerFields[.ifRange] else { return true }
        return chosen.fields.entityTag?.isStronglyEqual(to: EntityTag(condition)) == true
    }

    private func answer(with range: ContentRange, of chosen: StoredHead) -> ServedResponse {
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
        return ServedResponse(id: chosen.id, response: response, body: .slice(slice))
    }
}

extension ByteRange {
    /// The range's bytes in the representation `part` is from; nil if that needs its length, which is
    /// unknown.
    fileprivate func resolved(in part: ContentRange) -> Range<Int>? {
        if let total = part.total { return resolved(in: total) }
        guard case .from(let first, let last?) = self, last < Int.max else { return nil }
        return first..<last + 1
    }
}

/// A condition of the caller's that the cache may evaluate (RFC 9111, 4.3.2).
enum CallerCondition: Sendable, Equatable {
    case noneMatch(EntityTagCondition)
    case modifiedSince(String)

    /// Nil if there is none; `If-None-Match` takes precedence over `If-Modified-Since`.
    init?(_ request: HTTPRequest) {
        if let condition = EntityTagCondition(request.headerFields) {
            self = .noneMatch(condition)
        } else if let value = request.headerFields[values: .ifModifiedSince].first {
            self = .modifiedSince(value)
        } else {
            return nil
        }
    }

    /// Whether the caller gets a 304 instead of the response.
    func isNotModified(_ stored: StoredHead, now: Date) -> Bool {
        guard stored.response.status == .ok else { return false }
        switch self {
        case .noneMatch(let condition): return condition.matches(stored.fields.entityTag)
        case .modifiedSince(let text):
            guard let since = HTTPDate.parse(Substring(text).trimmingBlanks, now: now) else {
                return false
            }
            let modified = stored.fields.date(.lastModified, now: stored.responseTime)
            return (modified ?? stored.date) <= since
        }
    }
}
