import FoundationEssentials

/// A target, resolved: its URL put together, its task turned into a body.
public struct Endpoint: Sendable {
    /// The request that it makes.
    public var request: PreparedRequest
    /// Which statuses are an answer.
    public var validation: Validation
    /// Where answers are kept.
    public var cachePolicy: CachePolicy

    /// Resolves a target.
    ///
    /// - Throws: `ApusError` with the reason `.invalidRequest`; nothing has been
    ///   sent then.
    public init(_ target: some TargetType) throws(ApusError) {
        let url = try RequestURL(base: target.baseURL.absoluteString, appending: target.path)
        var draft = RequestDraft(
            method: target.method,
            url: url,
            fields: target.headerFields,
            options: target.options
        )
        try draft.apply(target.task)
        request = draft.prepared
        validation = target.validation
        cachePolicy = target.cachePolicy
    }
}
