import Documents
public import FoundationEssentials

extension OAuth2Client {
    /// What the server asks us to wait longer by (RFC 8628 section 3.5).
    private static let slowdown = Duration.seconds(5)

    /// Begins to sign a person in on another device (RFC 8628 section 3.1).
    public func deviceAuthorization() async throws(ApusError) -> DeviceAuthorization {
        guard let endpoint = configuration.deviceEndpoint else {
            throw ApusError(.invalidRequest(.combination(detail: "there is no device endpoint")))
        }
        let (answer, status) = try await answer(of: endpoint, configuration.scopeParameters)
        guard let deviceCode = answer["device_code"].string,
            let userCode = answer["user_code"].string,
            // Google's older name for it.
            let page = answer["verification_uri"].string ?? answer["verification_url"].string
        else {
            throw ApusError(
                .unexpectedAnswer(status: status, detail: "there is no device code in it")
            )
        }
        return DeviceAuthorization(
            deviceCode: Secret(deviceCode),
            userCode: userCode,
            page: page,
            completePage: answer["verification_uri_complete"].string,
            expires: now().addingTimeInterval(
                OAuth2Token.seconds(answer["expires_in"].double) ?? 1800
            ),
            interval: .seconds(max(1, OAuth2Token.seconds(answer["interval"].double) ?? 5))
        )
    }

    /// The token, once the person has signed in; asks for it at the server's pace.
    ///
    /// - Parameters:
    ///   - device: what `deviceAuthorization` gave.
    ///   - clock: measures the pauses.
    /// - Returns: the token.
    /// - Throws: `.authorization(.refused)` with `access_denied` or `expired_token`;
    ///   `.authorization(.timedOut)` if the code ends by our own clock; `.cancelled`.
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
                // Section 3.5: ask more seldom of a server that cannot keep up.
                case .timeout: interval *= 2
                default: throw error
                }
            }
        }
    }
}

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
