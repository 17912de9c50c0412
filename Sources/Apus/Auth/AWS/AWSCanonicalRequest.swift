import Documents
import FoundationEssentials
import Glibc
import HTTPTypes

/// The canonical form of a request, from which AWS and the client both compute the signature.
struct AWSCanonicalRequest: Sendable {
    let text: String
    /// The names of the signed fields, sorted and joined by semicolons.
    let signedHeaders: String

    /// Fields that proxies change, and the field that holds the signature.
    private static let unsigned: Set<String> = [
        "authorization", "connection", "expect", "transfer-encoding", "user-agent",
        "x-amzn-trace-id", "te", "upgrade", "keep-alive", "proxy-authorization", "trailer",
        "accept-encoding", "content-length",
    ]

    init(_ head: HTTPRequest, service: String, payloadHash: String) {
        let target = (head.path ?? "/").split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let path = Self.path(String(target.first ?? ""), service: service)
        let query = Self.query(target.count > 1 ? String(target[1]) : "")
        let fields = Self.fields(of: head)
        signedHeaders = fields.map(\.name).joined(separator: ";")
        let lines = fields.map { "\($0.name):\($0.value)\n" }.joined()
        text =
            "\(head.method.rawValue)\n\(path)\n\(query)\n\(lines)\n\(signedHeaders)\n\(payloadHash)"
    }

    // MARK: path

    /// For S3, escapes the path once and keeps it otherwise, because objects may be named `a//b/../c`.
    ///
    /// All other services remove dot segments and escape the escaped path again.
    private static func path(_ path: String, service: String) -> String {
        guard service != "s3" else { return escapingOnce(path.isEmpty ? "/" : path) }
        return escaping(removingDotSegments(path))
    }

    private static func removingDotSegments(_ path: String) -> String {
        var kept: [Substring] = []
        for segment in path.split(separator: "/") {
            switch segment {
            case ".": continue
            case "..": if !kept.isEmpty { kept.removeLast() }
            default: kept.append(segment)
            }
        }
        let isFolder = path.hasSuffix("/") || path.hasSuffix("/.") || path.hasSuffix("/..")
        return "/" + kept.joined(separator: "/") + (isFolder && !kept.isEmpty ? "/" : "")
    }

    private static func escaping(_ path: String) -> String {
        segments(of: path) { PercentEncoding.component(String($0)) }
    }

    private static func escapingOnce(_ path: String) -> String {
        segments(of: path) { reescaped($0) }
    }

    private static func segments(of path: String, _ change: (Substring) -> String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map(change)
            .joined(separator: "/")
    }

    /// Decodes the text, then escapes everything but unreserved characters.
    private static func reescaped(_ text: Substring) -> String {
        PercentEncoding.component(bytes: PercentEncoding.decode(Array(text.utf8)).bytes)
    }

    // MARK: query

    /// Sorted by escaped name, then by escaped value.
    private static func query(_ query: String) -> String {
        query.split(separator: "&")
            .map { pair -> (name: String, value: String) in
                let name = pair.prefix { $0 != "=" }
                return (reescaped(name), reescaped(pair[name.endIndex...].dropFirst()))
            }
            .sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    // MARK: fields

    private static func fields(of head: HTTPRequest) -> [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for field in head.headerFields where !unsigned.contains(field.name.canonicalName) {
            values[field.name.canonicalName, default: []].append(trimmed(field.value))
        }
        if values["host"] == nil { values["host"] = [head.hostField] }
        return values.map { ($0.key, $0.value.joined(separator: ",")) }
            .sorted { $0.name < $1.name }
    }

    /// Trims spaces and tabs at the ends and collapses those in between to one space.
    private static func trimmed(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }
}

/// The digest of a request's body that goes into an AWS signature.
enum AWSPayload {
    /// Used instead of the digest when the body is not signed.
    static let unsigned = "UNSIGNED-PAYLOAD"

    /// The SHA-256 in hexadecimal digits; files are read to their end.
    ///
    /// - Throws: `.authorization(.unsignable)` for a stream, because its bytes are not known in advance;
    ///   `.file` for a file that cannot be read; `.cancelled`.
    @concurrent
    static func hash(of body: PreparedRequest.Body) async throws(ApusError) -> String {
        switch body {
        case .none: return ContentDigest.hex(of: [UInt8]())
        case .bytes(let bytes): return ContentDigest.hex(of: bytes)
        case .file(let path):
            var state = SHA256()
            try add(file: path, to: &state)
            return ContentDigest.hex(state.finalize())
        case .multipart(let form): return try hash(of: form.pieces())
        case .stream(let stream): return try hash(of: [.stream(stream)])
        }
    }

    private static func hash(of pieces: [BodyPiece]) throws(ApusError) -> String {
        var state = SHA256()
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): state.update(bytes)
            case .file(let path): try add(file: path, to: &state)
            case .stream:
                throw ApusError(
                    .unsignable(detail: "the bytes of a stream are not known in advance")
                )
            }
        }
        return ContentDigest.hex(state.finalize())
    }

    private static func add(file path: String, to state: inout SHA256) throws(ApusError) {
        _ = try BodyPiece.file(path: path).count()
        guard ContentDigest.add(file: path, to: &state, while: { !Task.isCancelled }) != nil else {
            if Task.isCancelled { throw ApusError(.cancelled) }
            throw ApusError(.file(path: path, errno: EIO))
        }
    }
}
