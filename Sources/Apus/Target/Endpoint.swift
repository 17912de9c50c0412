import FoundationEssentials
import HTTPTypes

/// A target, resolved: its URL put together, its task turned into a body.
public struct Endpoint: Sendable {
    /// The request that it makes; to the content delivery network, if it has one.
    public var request: PreparedRequest
    /// The same request to the target's own server, if `request` goes to a
    /// content delivery network.
    public var origin: PreparedRequest?
    /// Which statuses are an answer.
    public var validation: Validation
    /// Where answers are kept.
    public var cachePolicy: CachePolicy

    /// Resolves a target.
    ///
    /// - Throws: `ApusError` with the reason `.invalidRequest`; nothing has been
    ///   sent then.
    public init(_ target: some TargetType) throws(ApusError) {
        let environment = target.environment
        let base = environment?.effectiveBaseURL ?? target.baseURL
        let url = try RequestURL(base: base.absoluteString, appending: target.path)
        var draft = RequestDraft(
            method: target.method,
            url: url,
            fields: target.headerFields,
            options: target.options
        )
        if let environment { draft.adopt(environment) }
        try draft.complete(with: target.task)
        request = draft.prepared
        validation = target.validation
        cachePolicy = target.cachePolicy
        guard let cdn = target.cdn, !RequestURL.isAbsolute(target.path) else { return }
        origin = request
        try redirect(to: cdn, path: target.path)
    }

    /// The request that the cache's key is made from: the same for the content
    /// delivery network and the target's own server.
    public var keyRequest: PreparedRequest { origin ?? request }

    private mutating func redirect(to cdn: URL, path: String) throws(ApusError) {
        var url = try RequestURL(base: cdn.absoluteString, appending: path)
        // The query that the task has added belongs to it too.
        url.query = request.head.path.flatMap { target in
            target.utf8.firstIndex(of: UInt8(ascii: "?")).map { mark in
                String(target[target.utf8.index(after: mark)...])
            }
        }
        request.head.scheme = url.scheme
        request.head.authority = url.authority
        request.head.path = url.requestTarget
    }
}

extension RequestDraft {
    /// Adds what the environment says and the target does not.
    mutating func adopt(_ environment: TargetEnvironment) {
        shared = environment.parameters
        for field in environment.headerFields where fields[field.name] == nil {
            fields.append(field)
        }
        if let timeout = environment.timeout, options.timeout == TransportOptions.defaultTimeout {
            options.timeout = timeout
        }
    }
}
