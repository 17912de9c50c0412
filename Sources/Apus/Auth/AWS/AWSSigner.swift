// Apus computes the signature itself because libcurl 7.88 signs wrongly if a query is not sorted or a path
// has an escape.

public import FoundationEssentials
import HTTPTypes

/// Signs requests with AWS Signature Version 4.
///
/// It is pure: the caller passes the date. `AWSSignatureV4` uses it for each attempt.
public struct AWSSigner: Sendable {
    /// How the signature covers the body.
    public enum Payload: Sendable, Hashable {
        /// Includes the body's digest, so that nobody can change it in transit.
        case signed
        /// Leaves the body out: for streams, over TLS, with services that allow it (S3).
        case unsigned
    }

    /// The region, such as `eu-central-1`.
    public var region: String
    /// The service, such as `s3`, `execute-api`, `dynamodb`.
    public var service: String
    /// Whether the signature covers the body.
    public var payload: Payload

    /// Creates a signer.
    public init(region: String, service: String, payload: Payload = .signed) {
        self.region = region
        self.service = service
        self.payload = payload
    }

    /// The request with its signature in the `Authorization` field.
    ///
    /// Also sets `X-Amz-Date`, `X-Amz-Security-Token` for temporary credentials, and `X-Amz-Content-Sha256`
    /// for S3. Replaces the fields of an earlier signature.
    ///
    /// - Throws: `.authorization(.unsignable)` for a stream; `.file` if a body's file cannot be read.
    public func signing(
        _ request: PreparedRequest,
        by credentials: AWSCredentials,
        at date: Date
    ) async throws(ApusError) -> PreparedRequest {
        var request = request
        let scope = AWSScope(at: date, region: region, service: service)
        let hash =
            payload == .unsigned
            ? AWSPayload.unsigned : try await AWSPayload.hash(of: request.body)
        request.head.headerFields[.authorization] = nil
        Self.set("X-Amz-Date", to: scope.timestamp, in: &request.head)
        Self.set("X-Amz-Security-Token", to: credentials.sessionToken?.value, in: &request.head)
        if service == "s3" || payload == .unsigned {
            Self.set("X-Amz-Content-Sha256", to: hash, in: &request.head)
        }
        let canonical = AWSCanonicalRequest(request.head, service: service, payloadHash: hash)
        let signature = scope.signature(of: canonical.text, by: credentials.secretAccessKey)
        request.head.headerFields[.authorization] =
            "\(AWSScope.algorithm) Credential=\(credentials.accessKeyID)/\(scope.text),"
            + "SignedHeaders=\(canonical.signedHeaders),Signature=\(signature)"
        return request
    }

    /// The request with its signature in the query: anyone who has its URL can send it until it expires.
    ///
    /// The body is signed, except for S3. Of the header fields only those that are in the request now are
    /// signed; they have to be sent with the URL.
    ///
    /// The body is not signed, and of the fields only those that are in the request
    /// now; they have to be sent with the URL.
    ///
    /// - Parameters:
    ///   - request: the request to be sent later.
    ///   - credentials: the credentials to sign with.
    ///   - date: when the URL becomes valid.
    ///   - expires: how long it stays valid, from one second to seven days.
    /// - Returns: the request, with the URL to hand out.
    /// - Throws: `.authorization(.unsignable)` if AWS does not allow the duration or the body is a stream;
    ///   `.file` if a body's file cannot be read.
    public func presigning(
        _ request: PreparedRequest,
        by credentials: AWSCredentials,
        at date: Date,
        expires: Duration
    ) async throws(ApusError) -> PreparedRequest {
        let seconds = expires.components.seconds
        guard (1...604_800).contains(seconds) else {
            throw ApusError(.unsignable(detail: "a URL can be valid for one second to seven days"))
        }
        var request = request
        let scope = AWSScope(at: date, region: region, service: service)
        // Only S3 accepts a URL that does not cover the body.
        let hash =
            service == "s3" ? AWSPayload.unsigned : try await AWSPayload.hash(of: request.body)
        request.head.headerFields[.authorization] = nil
        let signed = AWSCanonicalRequest(request.head, service: service, payloadHash: hash)
        var parameters = [
            ("X-Amz-Algorithm", AWSScope.algorithm),
            ("X-Amz-Credential", "\(credentials.accessKeyID)/\(scope.text)"),
            ("X-Amz-Date", scope.timestamp),
            ("X-Amz-Expires", String(seconds)),
            ("X-Amz-SignedHeaders", signed.signedHeaders),
        ]
        if let token = credentials.sessionToken {
            parameters.append(("X-Amz-Security-Token", token.value))
        }
        let bare = QueryEditing.removing("X-Amz-Signature", from: request.head.path ?? "/")
        request.head.path = parameters.reduce(bare) { path, parameter in
            QueryEditing.setting(parameter.0, to: parameter.1, in: path)
        }
        let canonical = AWSCanonicalRequest(request.head, service: service, payloadHash: hash)
        request.head.path = QueryEditing.setting(
            "X-Amz-Signature",
            to: scope.signature(of: canonical.text, by: credentials.secretAccessKey),
            in: request.head.path ?? "/"
        )
        return request
    }

    private static func set(_ name: String, to value: String?, in head: inout HTTPRequest) {
        if let name = HTTPField.Name(name) { head.headerFields[name] = value }
    }
}

/// What a signature is valid for: a day, a region and a service.
struct AWSScope: Sendable, Hashable {
    /// The algorithm's name, in the signature and in the signed text.
    static let algorithm = "AWS4-HMAC-SHA256"

    /// `20130524T000000Z`.
    let timestamp: String
    let region: String
    let service: String

    init(at date: Date, region: String, service: String) {
        timestamp = Self.timestamp(of: date)
        self.region = region
        self.service = service
    }

    /// `20130524/us-east-1/s3/aws4_request`.
    var text: String { "\(day)/\(region)/\(service)/aws4_request" }

    private var day: Substring { timestamp.prefix(8) }

    /// The text that the signature is computed from.
    func textToSign(canonicalRequest: String) -> String {
        let digest = ContentDigest.hex(of: canonicalRequest)
        return "\(Self.algorithm)\n\(timestamp)\n\(text)\n\(digest)"
    }

    /// Derives the key from the secret by a chain of HMACs and returns the signature in hexadecimal digits.
    func signature(of canonicalRequest: String, by secret: Secret) -> String {
        let parts = [String(day), region, service, "aws4_request"]
        let key = parts.reduce(Array("AWS4\(secret.value)".utf8)) { key, part in
            SHA256.authenticationCode(of: part, key: key)
        }
        let text = textToSign(canonicalRequest: canonicalRequest)
        return ContentDigest.hex(SHA256.authenticationCode(of: text, key: key))
    }

    private static func timestamp(of date: Date) -> String {
        let date = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        return date.formatted(style)
    }
}
