public import FoundationEssentials

/// Why a request cannot be authorized, or a token cannot be obtained.
///
/// No case holds a secret.
public enum AuthorizationError: Error, Sendable, Hashable {
    /// There is no token, and none can be obtained without asking a person.
    case noToken
    /// A token, user or key is empty or has a character that is not allowed in a header field.
    case unusable(what: String)
    /// The authorization server refused, in the terms of RFC 6749 section 5.2.
    case refused(OAuth2Refusal)
    /// The authorization server's response is not one that RFC 6749 allows.
    case unexpectedResponse(status: Int, detail: String)
    /// The redirect does not belong to the pending authorization.
    case stateMismatch
    /// The person did not sign in in time, or the device code expired.
    case timedOut
    /// The request cannot be signed.
    case unsignable(detail: String)
    /// The token store cannot be read.
    case unreadableStore(detail: String)
}

extension AuthorizationError {
    /// The fault in words.
    public var message: ErrorMessage {
        switch self {
        case .noToken:
            ErrorMessage("There is no access token", advice: "Sign in first.")
        case .unusable(let what):
            ErrorMessage(
                "\(what) is empty or has a character that is not allowed in a header field"
            )
        case .refused(let refusal): refusal.message
        case .unexpectedResponse(let status, let detail):
            ErrorMessage(
                "The authorization server's response is not valid OAuth 2",
                "status \(status), \(detail)",
                advice: "Check the token endpoint's URL."
            )
        case .stateMismatch:
            ErrorMessage(
                "The redirect does not belong to this authorization",
                "the state does not match",
                advice: "Start again, and use the page that was opened last."
            )
        case .timedOut:
            ErrorMessage("The sign-in timed out", advice: "Start again.")
        case .unsignable(let detail): ErrorMessage("The request cannot be signed", detail)
        case .unreadableStore(let detail):
            ErrorMessage("The token store cannot be read", detail, advice: "Sign in again.")
        }
    }

    var code: Int {
        switch self {
        case .noToken: 1401
        case .unusable: 1402
        case .refused: 1403
        case .unexpectedResponse: 1404
        case .stateMismatch: 1405
        case .timedOut: 1406
        case .unsignable: 1407
        case .unreadableStore: 1408
        }
    }
}

extension AuthorizationError: CustomStringConvertible, LocalizedError {
    /// The fault in one line, with what to do.
    public var description: String { message.description }

    /// What happened; also returned by `localizedDescription`.
    public var errorDescription: String? {
        ErrorMessage(message.title, message.detail).description
    }

    /// What to do next; nil if the caller can do nothing.
    public var recoverySuggestion: String? { message.advice }
}

extension OAuth2Refusal {
    /// The refusal in words, with the server's own words as the detail.
    var message: ErrorMessage {
        let detail = [text, page].compactMap(\.self).joined(separator: " ")
        return switch code {
        case "invalid_request": ErrorMessage("The authorization request is malformed", detail)
        case "invalid_client":
            ErrorMessage(
                "The authorization server does not know this client",
                detail,
                advice: "Check the client's id and secret, and how they are sent."
            )
        case "invalid_grant":
            ErrorMessage(
                "The code, password or refresh token is wrong or no longer valid",
                detail,
                advice: "Sign in again."
            )
        case "unauthorized_client": ErrorMessage("This client may not use this grant", detail)
        case "unsupported_grant_type":
            ErrorMessage("The authorization server does not offer this grant", detail)
        case "invalid_scope": ErrorMessage("The scope is unknown or too wide", detail)
        case "access_denied": ErrorMessage("Access was denied", detail)
        case "expired_token":
            ErrorMessage("The device code has expired", detail, advice: "Start again.")
        default: ErrorMessage("The authorization server refused: \(code)", detail)
        }
    }
}

extension ApusError {
    init(_ fault: AuthorizationError, request: RequestLine? = nil) {
        self.init(.authorization(fault), request: request)
    }
}

/// The error response of an authorization server (RFC 6749 sections 4.1.2.1 and 5.2, RFC 8628 section 3.5).
public struct OAuth2Refusal: Sendable, Hashable {
    /// The error code, such as `invalid_grant`.
    public let code: String
    /// The server's description; nil if it gave none.
    public let text: String?
    /// The URL of a page about the error; nil if the server gave none.
    public let page: String?

    /// Creates a refusal.
    public init(code: String, text: String? = nil, page: String? = nil) {
        self.code = code
        self.text = text
        self.page = page
    }
}
