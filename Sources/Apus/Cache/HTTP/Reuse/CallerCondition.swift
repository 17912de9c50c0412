import FoundationEssentials
import HTTPTypes

/// A condition of the caller's that the cache may judge (RFC 9111, 4.3.2).
enum CallerCondition: Sendable, Equatable {
    case noneMatch(EntityTagCondition)
    case modifiedSince(String)

    /// Nil if there is none; `If-None-Match` goes before `If-Modified-Since`.
    init?(_ request: HTTPRequest) {
        if let condition = EntityTagCondition(request.headerFields) {
            self = .noneMatch(condition)
        } else if let value = request.headerFields[values: .ifModifiedSince].first {
            self = .modifiedSince(value)
        } else {
            return nil
        }
    }

    /// Whether the caller is told 304 instead of being given the response.
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
