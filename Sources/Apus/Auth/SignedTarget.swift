/// Credentials that a request gets while it is sent, from an interceptor that knows how.
package protocol RequestCredentials: Sendable {
    /// Puts a mask where they will be, into a request that is shown or copied and not sent.
    func addPlaceholder(to request: inout PreparedRequest)
    /// Removes those that a recorded request had, so that it gets those of now.
    func removeCredentials(from recorded: inout PreparedRequest)
}

/// A target whose requests get such credentials.
package protocol SignedTarget: TargetType {
    /// What they get; nil for requests that are sent as they are.
    var credentials: (any RequestCredentials)? { get }
}

/// A target that is sent with the credentials of another: a recorded request, with those that its target has now.
package struct SigningTarget: TargetWrapper {
    package let wrapped: any TargetType
    /// What its request gets.
    package let credentials: any RequestCredentials

    /// Wraps a target.
    package init(_ target: any TargetType, _ credentials: any RequestCredentials) {
        (wrapped, self.credentials) = (target, credentials)
    }
}

extension TargetType {
    /// What its request, or that of the target inside, gets while it is sent; nil for nothing.
    package var signedCredentials: (any RequestCredentials)? {
        var target: any TargetType = self
        while let wrapper = target as? any TargetWrapper {
            if let signing = wrapper as? SigningTarget { return signing.credentials }
            target = wrapper.wrapped
        }
        return (target as? any SignedTarget)?.credentials
    }
}

extension ExchangeContext {
    /// What the exchange's request gets while it is sent; nil for nothing.
    package var signedCredentials: (any RequestCredentials)? {
        exchange.planned.target.signedCredentials
    }
}
