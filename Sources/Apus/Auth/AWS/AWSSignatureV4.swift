public import FoundationEssentials

/// Signs each attempt of a request with AWS Signature Version 4.
///
/// libcurl's own signing is not used, because Debian 12's version signs queries and S3 requests wrongly. As
/// an interceptor it signs the request as it goes out, after all plugins. Put it last, next to the server.
/// The cache key contains the account instead of the signature, which changes every second.
public struct AWSSignatureV4: Interceptor {
    /// Returns the credentials for a target, or nil to send its request unsigned.
    public typealias Credentials = @Sendable (any TargetType) async throws -> AWSCredentials?

    private let signer: AWSSigner
    private let credentials: Credentials
    private let account: String
    private let now: @Sendable () -> Date

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - signer: signs for a region and a service.
    ///   - account: the owner of the credentials, for cache keys. Nil uses a random name, so that a later
    ///     process does not find what this one leaves on disk.
    ///   - now: returns the time; AWS refuses one that is off by more than a few minutes.
    ///   - credentials: is called for each attempt, because temporary credentials change.
    public init(
        _ signer: AWSSigner,
        account: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() },
        credentials: @escaping Credentials
    ) {
        self.signer = signer
        self.credentials = credentials
        self.account = account ?? UUID().uuidString
        self.now = now
    }

    /// The account of the credentials, for requests that it signs.
    public func account(in context: ExchangeContext) -> String? {
        context.request?.isAtOwnOrigin ?? true ? account : nil
    }

    /// Signs the request, if it goes to the origin of its target's base, and sends it.
    public func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: NextCall
    ) async throws -> Response {
        guard request.isAtOwnOrigin, let credentials = try await credentials(context.target) else {
            return try await next(request)
        }
        return try await next(signer.signing(request, by: credentials, at: now()))
    }
}

/// The credentials that sign a request to AWS.
public struct AWSCredentials: Sendable, Hashable {
    /// The ID of the access key, which is sent in clear text.
    public var accessKeyID: String
    /// The secret key, which is never sent.
    public var secretAccessKey: Secret
    /// The token of temporary credentials; nil for permanent ones.
    public var sessionToken: Secret?

    /// Creates credentials.
    public init(accessKeyID: String, secretAccessKey: Secret, sessionToken: Secret? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}
