import FoundationEssentials
import HTTPTypes

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
    /// - Parameters:
    ///   - target: what is resolved.
    ///   - task: what it carries; nil for the target's own task.
    /// - Throws: `ApusError` with the reason `.invalidRequest`; nothing has been
    ///   sent then.
    public init(_ target: some TargetType, task: RequestTask? = nil) throws(ApusError) {
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
        if let cdn = target.cdn, !RequestURL.isAbsolute(target.path) {
            draft.options.uncommon.cdn = CDNBase(
                try RequestURL(absolute: cdn.absoluteString),
                standingFor: try RequestURL(absolute: base.absoluteString)
            )
        }
        try draft.complete(with: task ?? target.task)
        request = draft.prepared
        validation = target.validation
        cachePolicy = target.cachePolicy
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
