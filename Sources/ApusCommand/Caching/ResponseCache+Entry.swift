import Apus
import HTTPTypes

extension ResponseCache {
    /// The answer that an entry keeps, without counting as a use; nil if it has gone meanwhile.
    func storedResponse(of entry: CacheEntry) async -> Response? {
        let request = PreparedRequest(
            head: HTTPRequest(
                method: HTTPRequest.Method(entry.request.method) ?? .get,
                scheme: nil,
                authority: nil,
                path: entry.request.url
            )
        )
        return await peek(entry.key, for: request)
    }
}
