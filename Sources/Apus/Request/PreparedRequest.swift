import Documents
public import HTTPTypes
package import Secrets

/// A request that is ready to send: everything is decided.
public struct PreparedRequest: Sendable, Hashable {
    private struct Parts: Sendable, Hashable {
        var head: HTTPRequest
        var body: Body
        var options: TransportOptions
        var destination: DownloadDestination?
    }

    // One reference, because a request is copied many times.
    private var parts: CopyOnWriteBox<Parts>

    /// What the body is made of.
    public enum Body: Sendable, Hashable {
        /// No body.
        case none
        /// Bytes in memory.
        case bytes([UInt8])
        /// A file's bytes, read while they are sent.
        case file(path: String)
        /// Parts, put together while they are sent.
        case multipart(MultipartForm)
        /// Bytes that are produced while they are sent.
        case stream(BodyStream)

        /// Whether any of its bytes are in a file.
        var hasFile: Bool {
            switch self {
            case .none, .bytes, .stream: false
            case .file: true
            case .multipart(let form): form.hasFile
            }
        }
    }

    /// Method, scheme, authority, path with query, and header fields.
    public var head: HTTPRequest {
        get { parts.value.head }
        set { parts = parts.with { $0.head = newValue } }
    }
    /// What is sent after the head.
    public var body: Body {
        get { parts.value.body }
        set { parts = parts.with { $0.body = newValue } }
    }
    /// How the request travels: timeouts, redirects, TLS, HTTP version.
    public var options: TransportOptions {
        get { parts.value.options }
        set { parts = parts.with { $0.options = newValue } }
    }
    /// The file that the response's body goes to; nil to collect it.
    public var destination: DownloadDestination? {
        get { parts.value.destination }
        set { parts = parts.with { $0.destination = newValue } }
    }

    /// Makes a request.
    public init(
        head: HTTPRequest,
        body: Body = .none,
        options: TransportOptions = TransportOptions(),
        destination: DownloadDestination? = nil
    ) {
        parts = CopyOnWriteBox(
            Parts(
                head: head,
                body: body,
                options: options,
                destination: destination
            )
        )
    }

    /// The absolute URL, without a fragment.
    public var url: String {
        "\(head.scheme ?? "http")://\(head.authority ?? "")\(head.path ?? "/")"
    }

    /// The URL as it is sent: a plugin may have given it a host that is not ASCII.
    var sentURL: String {
        get throws(ApusError) {
            let authority = parts.value.head.authority ?? ""
            let isASCII = authority.utf8.withContiguousStorageIfAvailable { bytes in
                bytes.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "%") }
            }
            guard isASCII != true else { return url }
            do throws(HostNameError) {
                return try HostName.url(url)
            } catch {
                throw ApusError(.invalidRequest(.host(url, detail: error.detail)))
            }
        }
    }

    // The following compare in place, because they run for every request.

    /// Whether its options, header fields and scheme equal those of another request.
    func travelsLike(_ other: PreparedRequest) -> Bool {
        let (a, b) = (parts, other.parts)
        return a.value.options == b.value.options
            && a.value.head.headerFields == b.value.head.headerFields
            && a.value.head.scheme == b.value.head.scheme
    }

    /// Whether it goes to the same authority and path as another request of the same scheme.
    func hasURL(of other: PreparedRequest) -> Bool {
        let (a, b) = (parts, other.parts)
        return a === b
            || a.value.head.path == b.value.head.path
                && a.value.head.authority == b.value.head.authority
    }

    /// Whether it has content to send (RFC 9110, 6.4).
    var hasContent: Bool {
        switch parts.value.body {
        case .none: false
        case .bytes(let bytes): !bytes.isEmpty
        case .file, .multipart, .stream: true
        }
    }

    /// Whether an encoded body is requested and decoded; not if the request names codings itself.
    var decodesBody: Bool {
        parts.value.options.decodesContent && parts.value.head.headerFields[.acceptEncoding] == nil
    }

    /// Whether a field that something would add is left out.
    func omits(_ name: HTTPField.Name) -> Bool {
        guard let shared = parts.value.options.shared else { return false }
        return shared.value.omittedFields.contains(name)
    }

    /// Whether it goes to the origin of its target's base, which is what credentials are for unless something
    /// else is said.
    package var isAtOwnOrigin: Bool {
        guard let shared = parts.value.options.shared else { return true }
        return !shared.value.isElsewhere && !shared.value.hasLeftOrigin
    }

    /// Whether it goes through a content delivery network first.
    var hasCDN: Bool {
        guard let shared = parts.value.options.shared else { return false }
        return shared.value.cdn != nil
    }
}

extension PreparedRequest {
    /// Whether the Content-Type says that the body is a form.
    package var hasForm: Bool { head.headerFields.declareForm }

    /// Masks this request's secrets in anything about it, including its response.
    package var mask: CredentialMask { CredentialMask().adding(self) }

    /// The method and URL, with secrets masked.
    package var line: ApusError.RequestLine {
        ApusError.RequestLine(method: head.method.rawValue, url: url, mask: mask)
    }
}

extension HTTPFields {
    /// Whether the Content-Type says that a body is a form.
    ///
    /// A type that only begins with the name counts too, because a form has secrets to be masked.
    var declareForm: Bool {
        let type = self[.contentType]?.asciiLowercased
        return type?.hasPrefix("application/x-www-form-urlencoded") ?? false
    }
}

extension HTTPRequest.Method {
    /// The methods that are known to be idempotent: sent twice, a request has the same effect as sent once
    /// (RFC 9110, section 9.2.2).
    static let idempotentMethods: Set<HTTPRequest.Method> = [
        .get, .head, .put, .delete, .options, .trace,
    ]

    /// Whether a request may be sent again after it may have reached the server; false for an unknown method.
    package var isIdempotent: Bool { Self.idempotentMethods.contains(self) }
}

/// A value that its copies share: passing it on costs one reference count, however large it is.
final class CopyOnWriteBox<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension CopyOnWriteBox: Equatable where Value: Equatable {
    static func == (a: CopyOnWriteBox, b: CopyOnWriteBox) -> Bool { a === b || a.value == b.value }
}

extension CopyOnWriteBox: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension CopyOnWriteBox {
    /// Returns a box with the changed value; this one stays as it is.
    func with(_ change: (inout Value) -> Void) -> CopyOnWriteBox {
        var value = value
        change(&value)
        return CopyOnWriteBox(value)
    }
}
