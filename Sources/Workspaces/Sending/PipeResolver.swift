package import Apus
import Documents

/// Makes targets from the lines of `apus pipe`.
package struct PipeResolver: Sendable {
    /// A target and where its response comes from.
    package struct Resolved: Sendable {
        /// What is sent.
        package let target: any TargetType
        /// Where its response comes from.
        package let source: DataSource
        /// The workspace's target that it was made of, whose secrets the line does not contain; nil for a URL.
        package private(set) var own: WorkspaceTarget?
    }

    /// How many redirects are followed, as browsers do.
    private static let redirectLimit = 20
    /// The largest body, because many responses may be in memory at once.
    private static let sizeLimit = 256 << 20

    /// The workspace with the targets; nil if none is named.
    package let workspace: NamedWorkspace?
    /// Where responses are stored; nil leaves that to the targets.
    private let cache: PipeCacheMode?
    /// The engine's policy for `cache`; nil if `cache` is nil.
    private let policy: CachePolicy?
    private let overrides: PolicyOverrides
    private let decodesContent: Bool?

    /// Makes a resolver.
    ///
    /// - Parameters:
    ///   - workspace: The workspace with the targets; nil if none is named.
    ///   - cache: Where responses are stored; nil leaves that to the targets.
    ///   - hasFolder: Whether the cache has a folder.
    ///   - overrides: What is changed of all cache policies.
    ///   - decodesContent: Whether bodies are decoded; if it is nil, those of URLs are not, and those of targets as
    ///     the workspace says.
    package init(
        workspace: NamedWorkspace?,
        cache: PipeCacheMode?,
        hasFolder: Bool,
        overrides: PolicyOverrides,
        decodesContent: Bool?
    ) {
        self.decodesContent = decodesContent
        self.workspace = workspace
        self.cache = cache
        policy = cache.map { overrides.applied(to: $0.policy(hasFolder: hasFolder)) }
        self.overrides = overrides
    }

    /// The target and source of a request.
    package func resolve(_ request: PipeRequest) throws(PipeError) -> Resolved {
        switch request.subject {
        case .url(let url, let method, let fields, let body):
            var target = QuickTarget(
                method,
                QuickTarget.withLowercaseScheme(url),
                task: body.map { .data($0) } ?? .plain,
                headerFields: fields,
                options: options(request, Self.standardOptions)
            )
            target.cachePolicy = policy ?? .none
            return Resolved(target: target, source: source(request, nil))
        case .target(let name, let values):
            return try resolve(name, values, request)
        }
    }

    private func resolve(
        _ name: String,
        _ values: [(name: String, value: JSON)],
        _ request: PipeRequest
    ) throws(PipeError) -> Resolved {
        guard let workspace else { throw PipeError("target needs --workspace FILE") }
        let own: WorkspaceTarget
        do throws(WorkspaceError) {
            own = try workspace.target(
                named: name,
                values: Dictionary(values.map { ($0.name, Value(cutting: $0.value)) }) { $1 }
            )
        } catch {
            throw PipeError(error.line)
        }
        var target = OverridingTarget(own)
        target.options = options(request, own.options)
        if own.options.maximumBodySize == nil { target.options.maximumBodySize = Self.sizeLimit }
        target.cachePolicy = policy ?? overrides.applied(to: own.cachePolicy)
        return Resolved(
            target: target,
            source: source(request, own.source),
            own: own
        )
    }

    private func options(_ request: PipeRequest, _ own: TransportOptions) -> TransportOptions {
        var options = request.applied(to: own)
        if let decodesContent { options.decodesContent = decodesContent }
        return options
    }

    private func source(_ request: PipeRequest, _ own: DataSource?) -> DataSource {
        if let source = request.source?.source { return source }
        if cache == nil, let own { return own }
        return (cache ?? .none).source.source
    }

    /// The options for a URL: bodies are not decompressed.
    private static let standardOptions = TransportOptions(
        maximumRedirects: redirectLimit,
        decodesContent: false,
        maximumBodySize: sizeLimit
    )
}

extension PipeRequest {
    /// The options, changed as the line says.
    fileprivate func applied(to options: TransportOptions) -> TransportOptions {
        var options = options
        if let followsRedirects {
            options.maximumRedirects = followsRedirects ? max(options.maximumRedirects, 1) : 0
        }
        if let timeout { options.timeout = timeout == 0 ? nil : .milliseconds(timeout) }
        return options
    }
}

extension Value {
    /// A JSON value as a template's value.
    ///
    /// Values nested more than `levels` deep become null, because no template uses them.
    fileprivate init(cutting json: JSON, levels: Int = Value.maximumLevels) {
        switch json.kind {
        case .true: self = .boolean(true)
        case .false: self = .boolean(false)
        case .integer, .decimal: self = .number(json.numberText ?? "0")
        case .string: self = .string(json.string ?? "")
        case .array where levels > 0:
            self = .array(json.elements.map { Value(cutting: $0, levels: levels - 1) })
        case .object where levels > 0:
            self = .object(
                json.members.map { Member($0.key, Value(cutting: $0.value, levels: levels - 1)) }
            )
        case .null, .array, .object, nil: self = .null
        }
    }
}
