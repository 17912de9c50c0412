public import FoundationEssentials

/// Signs each request, and each attempt anew, by AWS Signature Version 4.
///
/// libcurl's own signing is not used: it is wrong in the version of Debian 12 for
/// queries and for S3. As an interceptor it signs what really goes out, after all
/// plugins; give it last, next to the server. The cache key has the account in place of the
/// signature, which is another one each second.
public struct AWSSignatureV4: Interceptor {
    /// The credentials for a target; nil sends it unsigned.
    public typealias Credentials = @Sendable (any TargetType) async throws -> AWSCredentials?

    private let signer: AWSSigner
    private let credentials: Credentials
    private let account: String
    private let now: @Sendable () -> Date

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - signer: how is signed, for which region and service.
    ///   - account: whose credentials they are, for caches; nil for a name that only this
    ///     interceptor has, so that a later process does not find what this one leaves on disk.
    ///   - now: the time; AWS refuses one that is more than minutes off.
    ///   - credentials: is asked for each attempt; temporary ones may change.
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

    /// That of its credentials, for requests that it signs.
    public func account(in context: ExchangeContext) -> String? {
        context.request?.isAtOwnOrigin ?? true ? account : nil
    }

    /// Signs the request, if it goes to the origin of its target's base, and sends it.
    public func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: Next
    ) async throws -> Response {
        guard request.isAtOwnOrigin, let credentials = try await credentials(context.target) else {
            return try await next(request)
        }
        return try await next(signer.signing(request, by: credentials, at: now()))
    }
}

/// Who signs a request to AWS.
public struct AWSCredentials: Sendable, Hashable {
    /// The access key's id; it is sent in clear.
    public var accessKeyID: String
    /// The secret key; it never leaves the machine.
    public var secretAccessKey: Secret
    /// The token of temporary credentials.
    public var sessionToken: Secret?

    /// Makes credentials.
    public init(accessKeyID: String, secretAccessKey: Secret, sessionToken: Secret? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}
