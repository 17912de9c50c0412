/// Gives requests a user and password that libcurl answers the server's challenge
/// with: Basic, Digest, NTLM, Negotiate.
///
/// A scheme that this machine's libcurl does not have is the error
/// `.invalidRequest(.unsupported)` before anything is sent. The credentials are
/// part of the transport options and never of a header field that could be logged.
public struct CredentialsPlugin: Plugin {
    /// The credentials for a target; nil for none.
    public typealias Credentials = @Sendable (any TargetType) async throws -> ServerCredentials?

    private let credentials: Credentials

    /// Asks a closure for each request; what it throws ends the exchange.
    public init(_ credentials: @escaping Credentials) { self.credentials = credentials }

    /// Always the same credentials.
    public init(_ credentials: ServerCredentials) { self.init { _ in credentials } }

    /// Puts the credentials into the transport options; those of the target itself win.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        guard request.options.credentials == nil,
            let credentials = try await credentials(context.target)
        else { return request }
        var request = request
        request.options.credentials = credentials
        return request
    }
}
