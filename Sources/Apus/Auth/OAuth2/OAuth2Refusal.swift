/// What an authorization server says when it refuses (RFC 6749 sections 4.1.2.1
/// and 5.2, RFC 8628 section 3.5).
public struct OAuth2Refusal: Sendable, Hashable {
    /// The error code, such as `invalid_grant`.
    public let code: String
    /// The server's own words; nil if it gave none.
    public let text: String?
    /// A page about it; nil if the server named none.
    public let page: String?

    /// Makes a refusal.
    public init(code: String, text: String? = nil, page: String? = nil) {
        self.code = code
        self.text = text
        self.page = page
    }
}
