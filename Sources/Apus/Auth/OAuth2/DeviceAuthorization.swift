public import FoundationEssentials

/// What a person needs to sign in on another device (RFC 8628 section 3.2).
public struct DeviceAuthorization: Sendable, Hashable {
    /// What we ask with; the person never sees it.
    public let deviceCode: Secret
    /// What the person types.
    public let userCode: String
    /// The page where.
    public let page: String
    /// The same page with the code in it; nil if the server has none.
    public let completePage: String?
    /// When the code ends.
    public let expires: Date
    /// How long to wait between questions, at first.
    public let interval: Duration

    /// Makes one.
    public init(
        deviceCode: Secret,
        userCode: String,
        page: String,
        completePage: String? = nil,
        expires: Date,
        interval: Duration = .seconds(5)
    ) {
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.page = page
        self.completePage = completePage
        self.expires = expires
        self.interval = interval
    }
}
