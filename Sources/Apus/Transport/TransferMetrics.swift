public import HTTPTypes

/// Measurements and facts of one transfer.
public struct TransferMetrics: Sendable, Hashable, Codable {
    /// When each phase ended, measured from the start of the transfer's last hop.
    ///
    /// ```
    /// 0 ── name lookup ── connected ── secured ── sent ── first byte ── total
    /// ```
    /// A phase that did not happen (on a reused connection, for example) ends with the one before it.
    public struct Phases: Sendable, Hashable, Codable {
        /// The host's name was resolved.
        public var nameLookup: Duration
        /// The connection was established.
        public var connect: Duration
        /// The TLS handshake was done; equal to `connect` without TLS.
        public var secureConnect: Duration
        /// The request was about to be sent.
        public var preTransfer: Duration
        /// The first byte of the response arrived.
        public var firstByte: Duration
        /// Everything was received.
        public var total: Duration
        /// The time that earlier hops took, which `total` includes.
        public var redirects: Duration

        /// Makes phases; omitted values are zero.
        public init(
            nameLookup: Duration = .zero,
            connect: Duration = .zero,
            secureConnect: Duration = .zero,
            preTransfer: Duration = .zero,
            firstByte: Duration = .zero,
            total: Duration = .zero,
            redirects: Duration = .zero
        ) {
            self.nameLookup = nameLookup
            self.connect = connect
            self.secureConnect = secureConnect
            self.preTransfer = preTransfer
            self.firstByte = firstByte
            self.total = total
            self.redirects = redirects
        }
    }

    /// A certificate that the server presented, as named fields in order.
    public struct Certificate: Sendable, Hashable, Codable {
        /// A field, such as "Subject" or "Expire date".
        public struct Field: Sendable, Hashable, Codable {
            /// The field's name.
            public var name: String
            /// The field's value as libcurl gives it, always a text.
            public var value: String

            /// Makes a field.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }
        /// The fields, in the order in which libcurl reports them.
        public var fields: [Field]

        /// Makes a certificate.
        public init(fields: [Field]) { self.fields = fields }
    }

    /// What was agreed on for TLS, and whether the server's certificate was verified.
    public struct TLS: Sendable, Hashable, Codable {
        /// The version: "TLSv1.3"; nil if libcurl's TLS library does not report it.
        public var version: String?
        /// The cipher suite: "TLS_AES_256_GCM_SHA384".
        public var cipher: String?
        /// The protocol that was agreed on (ALPN): "h2"; nil if none was.
        public var applicationProtocol: String?
        /// Whether the certificate was verified: that its chain is trusted and that it is for this host.
        ///
        /// False if the request's options say not to (``TransportOptions/verifiesTLS``).
        public var isVerified: Bool
        /// Why the certificate is not trusted; nil if it is, or if that is not known.
        public var fault: ApusError.TLSFailure?

        /// Makes the facts of a TLS session.
        public init(
            version: String? = nil,
            cipher: String? = nil,
            applicationProtocol: String? = nil,
            isVerified: Bool = true,
            fault: ApusError.TLSFailure? = nil
        ) {
            self.version = version
            self.cipher = cipher
            self.applicationProtocol = applicationProtocol
            self.isVerified = isVerified
            self.fault = fault
        }
    }

    /// The times of the phases.
    public var phases: Phases
    /// Bytes of the request's body that were sent.
    public var bytesSent: Int
    /// Bytes of the response's body that were received, before content decoding.
    public var bytesReceived: Int
    /// The HTTP version: "1.0", "1.1", "2" or "3"; nil if there was no response.
    public var negotiatedVersion: String?
    /// The address and port of the server.
    public var remoteAddress: String?
    /// Whether an existing connection was reused.
    public var reusedConnection: Bool
    /// The redirects that were followed, first to last.
    public var redirects: [Redirect]
    /// The URL of the last hop, without its password.
    public var effectiveURL: String?
    /// The certificates that the server presented, its own first.
    public var certificates: [Certificate]
    /// The TLS session of the last hop; nil without TLS, or in metrics from elsewhere.
    public var tls: TLS?
    /// Header lines of the response that are not valid fields (RFC 9110), and its trailers, as received.
    public var irregularHeaderLines: [String]
    /// The wire trace, if the options asked for one.
    public var trace: [WireTraceEntry]
    /// Why the body is as it was received, although `Content-Encoding` names a coding.
    ///
    /// The coding is unknown, or the body is not in it. Nil if the body is decoded, or was not to be.
    public var undecoded: String?
    /// Whether only the end of the connection ended the body; a failing server or anyone on the network
    /// path may have closed it early (RFC 9112, section 9.8).
    var endedWithConnection = false
    /// The number of the last irregular lines that came after the body.
    package var trailerCount = 0
    /// The interim responses (1xx; RFC 9110, section 15.2) before the final one, first to last.
    public var interimResponses: [HTTPResponse] = []

    /// Makes metrics; omitted values are zero, empty or nil.
    public init(
        phases: Phases = Phases(),
        bytesSent: Int = 0,
        bytesReceived: Int = 0,
        negotiatedVersion: String? = nil,
        remoteAddress: String? = nil,
        reusedConnection: Bool = false,
        redirects: [Redirect] = [],
        effectiveURL: String? = nil,
        certificates: [Certificate] = [],
        irregularHeaderLines: [String] = [],
        trace: [WireTraceEntry] = []
    ) {
        self.phases = phases
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.negotiatedVersion = negotiatedVersion
        self.remoteAddress = remoteAddress
        self.reusedConnection = reusedConnection
        self.redirects = redirects
        self.effectiveURL = effectiveURL
        self.certificates = certificates
        self.irregularHeaderLines = irregularHeaderLines
        self.trace = trace
    }

    /// The lines after the body (RFC 9110, section 6.5), as received.
    public var trailers: [String] { Array(irregularHeaderLines.suffix(trailerCount)) }
    /// The header lines that are not valid fields, as received.
    public var malformedHeaderLines: [String] { irregularHeaderLines.dropLast(trailerCount) }

    private enum CodingKeys: CodingKey {
        case phases, bytesSent, bytesReceived, negotiatedVersion, remoteAddress, reusedConnection
        case redirects, effectiveURL, certificates, tls, irregularHeaderLines, trace, undecoded
        case trailerCount, interimResponses
    }

    /// Decodes metrics; older ones lack some values.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        phases = try values.decode(Phases.self, forKey: .phases)
        bytesSent = try values.decode(Int.self, forKey: .bytesSent)
        bytesReceived = try values.decode(Int.self, forKey: .bytesReceived)
        negotiatedVersion = try values.decodeIfPresent(String.self, forKey: .negotiatedVersion)
        remoteAddress = try values.decodeIfPresent(String.self, forKey: .remoteAddress)
        reusedConnection = try values.decode(Bool.self, forKey: .reusedConnection)
        redirects = try values.decode([Redirect].self, forKey: .redirects)
        effectiveURL = try values.decodeIfPresent(String.self, forKey: .effectiveURL)
        certificates = try values.decode([Certificate].self, forKey: .certificates)
        tls = try values.decodeIfPresent(TLS.self, forKey: .tls)
        irregularHeaderLines = try values.decode([String].self, forKey: .irregularHeaderLines)
        trace = try values.decode([WireTraceEntry].self, forKey: .trace)
        let count = try values.decodeIfPresent(Int.self, forKey: .trailerCount) ?? 0
        trailerCount = min(max(0, count), irregularHeaderLines.count)
        interimResponses =
            try values.decodeIfPresent([HTTPResponse].self, forKey: .interimResponses) ?? []
        undecoded = try values.decodeIfPresent(String.self, forKey: .undecoded)
    }
}

extension TransferMetrics {
    /// A redirect that was followed.
    public struct Redirect: Sendable, Hashable, Codable {
        /// The status of the redirect.
        public var status: Int
        /// The target, as the server wrote it.
        public var location: String
        /// The URL that redirected, with its password masked; empty if not known.
        public var url: String
        /// The header fields of the redirect.
        public var fields: HTTPFields
        /// The names of the request's secret fields that were not sent on, because `location` has another
        /// origin; later hops go without them too.
        public var withheldFields: [String]

        /// Makes a redirect.
        public init(
            status: Int,
            location: String,
            url: String = "",
            fields: HTTPFields = [:],
            withheldFields: [String] = []
        ) {
            self.status = status
            self.location = location
            self.url = url
            self.fields = fields
            self.withheldFields = withheldFields
        }

        /// The withheld fields in words, such as "X-Api-Key not sent on to other.example"; nil if there are none.
        public var withheldText: String? {
            guard !withheldFields.isEmpty else { return nil }
            let place = TargetURI(text: url)?.resolve(location)?.origin ?? location
            let host = place.firstRange(of: "://").map { String(place[$0.upperBound...]) } ?? place
            // Leave out the scheme's default port.
            let shown =
                place.hasPrefix("https://") && host.hasSuffix(":443")
                ? String(host.dropLast(4))
                : place.hasPrefix("http://") && host.hasSuffix(":80")
                    ? String(host.dropLast(3)) : host
            return "\(withheldFields.joined(separator: ", ")) not sent on to \(shown)"
        }

        /// Decodes a redirect; older records lack some values.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            status = try values.decode(Int.self, forKey: .status)
            location = try values.decode(String.self, forKey: .location)
            url = try values.decodeIfPresent(String.self, forKey: .url) ?? ""
            fields = try values.decodeIfPresent(HTTPFields.self, forKey: .fields) ?? [:]
            withheldFields =
                try values.decodeIfPresent([String].self, forKey: .withheldFields) ?? []
        }

        private enum CodingKeys: String, CodingKey {
            case status, location, url, fields, withheldFields
        }
    }
}
