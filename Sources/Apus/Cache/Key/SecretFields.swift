package import HTTPTypes

/// Header fields that carry credentials: a key holds only their digests, a
/// recording only a mask.
package enum SecretFields {
    private static let names: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key",
        "x-auth-token", "x-access-token", "x-csrf-token", "x-xsrf-token", "x-amz-security-token",
        "x-goog-api-key", "x-functions-key", "ocp-apim-subscription-key", "private-token",
        "authentication-info",
    ]

    /// Those that change from request to request, or are for somebody on the way.
    private static let passing: Set<String> = [
        "proxy-authorization", "set-cookie", "x-csrf-token", "x-xsrf-token", "authentication-info",
    ]

    /// Whether a field of this name tells a server whose request it is.
    static func nameAccount(_ name: HTTPField.Name) -> Bool {
        contains(name) && !passing.contains(name.canonicalName)
    }

    /// Whether a field of this name carries credentials.
    package static func contains(_ name: HTTPField.Name) -> Bool {
        names.contains(name.canonicalName)
    }
}
