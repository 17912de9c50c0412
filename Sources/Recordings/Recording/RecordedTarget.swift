public import Apus
package import FoundationEssentials
package import HTTPTypes

/// A target that tells the history its name and variables.
public protocol NamedTarget: TargetType {
    /// The name: "Users/Show user".
    var recordedName: String { get }
    /// The variables that its request was made of; the history masks their secrets. The default is none.
    var recordedVariables: [String: String] { get }
}

extension NamedTarget {
    /// None.
    public var recordedVariables: [String: String] { [:] }
}

extension ExchangeOrigin {
    /// The same, of a target.
    package func of(_ target: any TargetType, named name: String? = nil) -> ExchangeOrigin {
        var origin = self
        let known = target as? any NamedTarget
        origin.target = name ?? known?.recordedName ?? origin.target
        origin.variables = known?.recordedVariables ?? [:]
        return origin
    }
}

/// A target that says how its exchanges are recorded; hooks see the target inside.
package struct RecordedTarget: TargetWrapper {
    package let wrapped: any TargetType
    /// Where it is sent from.
    package var origin: ExchangeOrigin
    /// The session that its exchanges belong to; nil for the plugin's.
    package var session: RecordedSession.ID?
    /// Is told when an exchange began that is recorded now.
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
}

/// A request as a target: it is sent as it stands.
package struct RequestTarget: TargetType {
    private let request: PreparedRequest

    package init(_ request: PreparedRequest) { self.request = request }

    package var baseURL: URL {
        let origin = "\(request.head.scheme ?? "http")://\(request.head.authority ?? "")"
        let isPlain = RecordedURL(origin)?.authority == request.head.authority
        return isPlain ? URL(string: origin) ?? URL(filePath: "/") : URL(filePath: "/")
    }
    /// Of its base, and never a URL of its own.
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
        // Only the stream's remark is known.
        case .stream(let stream): .data(Array(stream.remark.utf8))
        }
    }
}
