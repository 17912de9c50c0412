/// Why a request cannot be authorized, or a token cannot be had.
///
/// No case holds a secret.
public enum AuthorizationFault: Error, Sendable, Hashable {
    /// There is no token, and no way to get one without a person.
    case noToken
    /// A token, user or key holds a character that may not stand in a header field.
    case unusable(what: String)
    /// The authorization server refused, in the terms of RFC 6749 section 5.2.
    case refused(OAuth2Refusal)
    /// The authorization server's answer is not one that RFC 6749 allows.
    case unexpectedAnswer(status: Int, detail: String)
    /// The redirect does not belong to the authorization that was asked for.
    case stateMismatch
    /// The person did not answer in time, or the device code ran out.
    case timedOut
    /// The request cannot be signed.
    case unsignable(detail: String)
    /// The token store cannot be read.
    case unreadableStore(detail: String)
}
