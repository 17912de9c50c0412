package import FoundationEssentials

/// What a person has to do to sign in.
package enum SignInStep: Sendable, Hashable {
    /// Open a page in a browser of this machine, which then goes to the loopback redirect.
    case page(url: String, until: Date)
    /// Type a code on a page, on any device.
    case code(String, page: String, completePage: String?, until: Date)

    /// The page to open.
    package var url: String {
        switch self {
        case .page(let url, _): url
        case .code(_, let page, let completePage, _): completePage ?? page
        }
    }

    /// Until when it waits.
    package var until: Date {
        switch self {
        case .page(_, let until), .code(_, _, _, let until): until
        }
    }
}

/// Asks a person to sign in.
package struct SignInPrompt: Sendable {
    /// Why nobody can be asked; nil if somebody can.
    package var refusal: @Sendable (SignInPlan) -> String?
    /// Shows what to do, and returns at once.
    package var show: @Sendable (SignInPlan, SignInStep) -> Void
    /// Called when a person has signed in, or will not.
    package var end: @Sendable (SignInPlan) -> Void
    /// Called with each change of who is signed in; nil if nobody is any more.
    package var report: @Sendable (SignInPlan, SignInStatus?) -> Void

    /// Makes a prompt.
    package init(
        refusal: @escaping @Sendable (SignInPlan) -> String? = { _ in nil },
        show: @escaping @Sendable (SignInPlan, SignInStep) -> Void,
        end: @escaping @Sendable (SignInPlan) -> Void = { _ in },
        report: @escaping @Sendable (SignInPlan, SignInStatus?) -> Void = { _, _ in }
    ) {
        (self.refusal, self.show, self.end, self.report) = (refusal, show, end, report)
    }

    /// Nobody is asked: where a person would have to sign in, the request fails and says why.
    package static func none(_ reason: String) -> SignInPrompt {
        SignInPrompt(refusal: { _ in reason }, show: { _, _ in })
    }
}
