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
