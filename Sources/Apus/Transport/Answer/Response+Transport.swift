import HTTPTypes

extension Response {
    /// The redirects on the way to this answer, first to last; none for an
    /// answer that no transfer brought.
    public var redirects: [TransferMetrics.Redirect] { metrics?.redirects ?? [] }

    /// The URL that answered, after all redirects, its password masked.
    public var finalURL: String {
        metrics?.effectiveURL ?? CredentialMask.maskingUser(in: request.url)
    }

    /// The phrase that the server sent with the status; empty if none, as always
    /// with HTTP/2.
    public var reasonPhrase: String { head.status.reasonPhrase }

    /// What is known of the status.
    public var statusFacts: HTTPStatus { HTTPStatus(status) }
}
