import FoundationEssentials
import HTTPTypes

extension ReuseDeliberation {
    /// The answer that a usable stored response gives, and the rule if it is not the whole.
    func answer(from chosen: StoredHead) -> (StoredAnswer, CacheRule?) {
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
    ) -> StoredAnswer {
        var response = chosen.response
        response.headerFields[.age] = age
        return StoredAnswer(
            id: chosen.id,
            response: response,
            body: method == .head ? .none : .whole
        )
    }

    /// The fields that a 304 has (RFC 9110, 15.4.5).
    private static func notModified(_ chosen: StoredHead, _ age: String) -> StoredAnswer {
        let kept: Set<HTTPField.Name> = [
            .cacheControl, .contentLocation, .date, .eTag, .expires, .vary,
        ]
        // Without a tag the date is the validator.
        let isKept: (HTTPField) -> Bool = { field in
            kept.contains(field.name)
                || field.name == .lastModified && chosen.fields.entityTag == nil
        }
        var response = HTTPResponse(
            status: .notModified,
            headerFields: HTTPFields(chosen.fields.filter(isKept))
        )
        response.headerFields[.age] = age
        return StoredAnswer(id: chosen.id, response: response, body: .none)
    }
}
