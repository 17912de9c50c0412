/// A target that says how, and whether, its requests carry an access token.
public protocol AccessTokenAuthorizable {
    /// The scheme; nil for requests without a token.
    var accessTokenScheme: AccessTokenScheme? { get }
}

extension AccessTokenScheme {
    /// What a target says, or `other` for one that says nothing.
    static func of(_ target: any TargetType, else other: AccessTokenScheme?) -> AccessTokenScheme? {
        guard let target = target as? any AccessTokenAuthorizable else { return other }
        return target.accessTokenScheme
    }
}
