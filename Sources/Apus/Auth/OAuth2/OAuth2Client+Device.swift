import Documents
public import FoundationEssentials

extension OAuth2Client {
    /// How much longer to wait after each `slow_down` (RFC 8628 section 3.5).
    private static let slowdown = Duration.seconds(5)

    /// Starts to sign in a person on another device (RFC 8628 section 3.1).
    public func deviceAuthorization() async throws(ApusError) -> DeviceAuthorization {
        guard let endpoint = configuration.deviceEndpoint else {
            throw ApusError(.invalidRequest(.combination(detail: "there is no device endpoint")))
        }
        let (response, status) = try await answer(of: endpoint, configuration.scopeParameters)
        guard let deviceCode = response["device_code"].string,
            let userCode = response["user_code"].string,
            // Google's older name for the field.
            let page = response["verification_uri"].string ?? response["verification_url"].string
        else {
            throw ApusError(
                .unexpectedResponse(status: status, detail: "it contains no device code")
            )
        }
        return DeviceAuthorization(
            deviceCode: Secret(deviceCode),
            userCode: userCode,
            page: page,
            completePage: response["verification_uri_complete"].string,
            expires: now().addingTimeInterval(
                OAuth2Token.seconds(response["expires_in"].double) ?? 1800
            ),
            interval: .seconds(max(1, OAuth2Token.seconds(response["interval"].double) ?? 5))
        )
    }

    /// Asks for the token at the server's pace until the person has signed in.
    ///
    /// - Parameters:
    ///   - device: the result of `deviceAuthorization`.
    ///   - clock: measures the pauses between the requests.
    /// - Returns: the token.
    /// - Throws: `.authorization(.refused)` with `access_denied` or `expired_token`;
    ///   `.authorization(.timedOut)` if the code expires by the local clock; `.cancelled`.
    public func token(
        for device: DeviceAuthorization,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws(ApusError) -> OAuth2Token {
        var interval = device.interval
        while true {
            do { try await clock.sleep(for: interval) } catch { throw ApusError(.cancelled) }
            guard now() < device.expires else { throw ApusError(.timedOut) }
            do throws(ApusError) {
                return try await token([
                    ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                    ("device_code", device.deviceCode.value),
                ])
            } catch {
                switch error.reason {
                case .authorization(.refused(let refusal))
                where refusal.code == "authorization_pending": continue
                case .authorization(.refused(let refusal)) where refusal.code == "slow_down":
                    interval += Self.slowdown
                // Section 3.5: wait longer if the server does not respond in time.
                case .timeout: interval *= 2
                default: throw error
                }
            }
        }
    }
}

/// What a person needs to sign in on another device (RFC 8628 section 3.2).
public struct DeviceAuthorization: Sendable, Hashable {
    /// The code that requests the token; the person never sees it.
    public let deviceCode: Secret
    /// The code that the person types.
    public let userCode: String
    /// The URL of the page where the person types it.
    public let page: String
    /// The URL of the page with the code filled in; nil if the server has none.
    public let completePage: String?
    /// When the code expires.
    public let expires: Date
    /// How long to wait between two requests, at first.
    public let interval: Duration

    /// Creates a device authorization.
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
