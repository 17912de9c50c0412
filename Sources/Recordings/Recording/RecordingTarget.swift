public import Apus
package import FoundationEssentials
package import HTTPTypes

/// A target that reports its name and variables to the history.
public protocol NamedTarget: TargetType {
    /// The name: "Users/Show user".
    var recordedName: String { get }
    /// The variables that were used in its request. The history masks their secrets. Empty by default.
    var recordedVariables: [String: String] { get }
}

extension NamedTarget {
    /// No variables.
    public var recordedVariables: [String: String] { [:] }
}

extension ExchangeOrigin {
    /// A copy of the origin with the name and variables of a target.
    package func of(_ target: any TargetType, named name: String? = nil) -> ExchangeOrigin {
        var origin = self
        let known = target as? any NamedTarget
        origin.target = name ?? known?.recordedName ?? origin.target
        origin.variables = known?.recordedVariables ?? [:]
        return origin
    }

    /// The origin for sending the same request again, outside of its run.
    package var again: ExchangeOrigin {
        var origin = self
        (origin.run, origin.place, origin.step) = (nil, nil, nil)
        return origin
    }
}

/// Wraps a target to say how its exchanges are recorded; hooks see the wrapped target.
package struct RecordingTarget: TargetWrapper {
    package let wrapped: any TargetType
    /// Where the target is sent from.
    package var origin: ExchangeOrigin
    /// The session that its exchanges belong to; nil for the plugin's session.
    package var session: RecordedSession.ID?
    /// Called with the start date of each exchange just before it is recorded.
    package var willRecord: (@Sendable (Date) -> Void)?

    package init(
        _ target: any TargetType,
        origin: ExchangeOrigin,
        session: RecordedSession.ID? = nil,
        willRecord: (@Sendable (Date) -> Void)? = nil
    ) {
        wrapped = target
        self.origin = origin
        self.session = session
        self.willRecord = willRecord
    }

    /// Makes a target record its exchange as a part of a run.
    ///
    /// - Parameters:
    ///   - target: The target; a recording target keeps its own origin.
    ///   - run: The run; nil if it could not be recorded.
    ///   - index: The target's index in the run.
    ///   - step: The name of its step; nil if steps have no names.
    ///   - origin: Where all targets of the run are sent from.
    ///   - session: The session that its exchanges belong to; nil for the plugin's session.
    package init(
        _ target: any TargetType,
        partOf run: RecordedRun.ID?,
        at index: Int,
        step: String?,
        from origin: ExchangeOrigin,
        session: RecordedSession.ID? = nil
    ) {
        self =
            target as? RecordingTarget
            ?? RecordingTarget(target, origin: origin.of(target), session: session)
        (self.origin.run, self.origin.place, self.origin.step) = (run, index, step)
    }
}

/// A prepared request as a target, which is sent unchanged.
package struct RequestTarget: TargetType {
    private let request: PreparedRequest

    package init(_ request: PreparedRequest) { self.request = request }

    package var baseURL: URL {
        let origin = "\(request.head.scheme ?? "http")://\(request.head.authority ?? "")"
        let isPlain = RecordedURL(origin)?.authority == request.head.authority
        return isPlain ? URL(string: origin) ?? URL(filePath: "/") : URL(filePath: "/")
    }
    /// Always relative to the base URL, even if the request's path looks like a URL.
    package var path: String {
        let path = request.head.path ?? "/"
        return path.hasPrefix("/") ? path : "/\(path)"
    }
    package var method: HTTPRequest.Method { request.head.method }
    package var headerFields: HTTPFields { request.head.headerFields }
    package var options: TransportOptions { request.options }
    package var task: RequestTask {
        switch request.body {
        case .none: .plain
        case .bytes(let bytes): .data(bytes)
        case .file(let path): .uploadFile(path: path)
        case .multipart(let form): .multipart(form)
        // The stream is gone; only its remark is known.
        case .stream(let stream): .data(Array(stream.remark.utf8))
        }
    }
}
