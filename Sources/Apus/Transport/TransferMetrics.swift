public import HTTPTypes

/// What one transfer measured.
public struct TransferMetrics: Sendable, Hashable, Codable {
    /// When each phase ended, from the start of the transfer (of its last hop).
    ///
    /// ```
    /// 0 ── name lookup ── connected ── secured ── sent ── first byte ── total
    /// ```
    /// A phase that did not happen (a reused connection) ends with the one before it.
    public struct Phases: Sendable, Hashable, Codable {
        /// The host's name had become an address.
        public var nameLookup: Duration
        /// The connection stood.
        public var connect: Duration
        /// The TLS handshake was done; equal to `connect` without TLS.
        public var secureConnect: Duration
        /// The request was about to be sent.
        public var preTransfer: Duration
        /// The first byte of the answer was there.
        public var firstByte: Duration
        /// All was received.
        public var total: Duration
        /// What earlier hops of a redirect took, which `total` includes.
        public var redirects: Duration

        /// Makes phases; what is not given is zero.
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

    /// One certificate that the server showed, as its named fields in order.
    public struct Certificate: Sendable, Hashable, Codable {
        /// A field, such as "Subject" or "Expire date".
        public struct Field: Sendable, Hashable, Codable {
            /// The field's name.
            public var name: String
            /// Its text.
            public var value: String

            /// Makes a field.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }
        /// The fields, leaf certificate first.
        public var fields: [Field]

        /// Makes a certificate.
        public init(fields: [Field]) { self.fields = fields }
    }

    /// When each phase ended.
    public var phases: Phases
    /// Bytes of the body sent.
    public var bytesSent: Int
    /// Bytes of the body received on the wire, before content decoding.
    public var bytesReceived: Int
    /// The HTTP version spoken: "1.0", "1.1", "2"; nil if there was no answer.
    public var negotiatedVersion: String?
    /// The address and port that answered.
    public var remoteAddress: String?
    /// Whether a connection of an earlier request was used.
    public var reusedConnection: Bool
    /// The hops that were followed, first to last.
    public var redirects: [Redirect]
    /// The URL that answered in the end.
    public var effectiveURL: String?
    /// The certificates that the server showed, its own first.
    public var certificates: [Certificate]
    /// Header lines of the answer that are no fields as RFC 9110 has them, and
    /// trailers, as they came.
    public var irregularHeaderLines: [String]
    /// The wire trace, if the options asked for one.
    public var trace: [WireTraceEntry]
    /// Whether only the end of the connection ended the body, which anybody on the way, or a
    /// failing server, may have brought about early (RFC 9112, section 9.8).
    var endedWithConnection = false
    /// The trailers alone, as they came; not known of what was kept.
    package var trailers: [String] = []

    /// Makes metrics; what is not given is zero or nothing.
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

    private enum CodingKeys: CodingKey {
        case phases, bytesSent, bytesReceived, negotiatedVersion, remoteAddress, reusedConnection
        case redirects, effectiveURL, certificates, irregularHeaderLines, trace
    }
}

extension TransferMetrics {
    /// One hop of a redirect: an answer that sent us on.
    public struct Redirect: Sendable, Hashable, Codable {
        /// The status that sent us on.
        public var status: Int
        /// Where to, as the server wrote it.
        public var location: String
        /// The URL that answered so, its password masked; empty if not known.
        public var url: String
        /// The header fields of that answer.
        public var fields: HTTPFields
        /// The names of our own fields that stayed behind, because `location` is of another origin
        /// and they are secret; also later hops go without them.
        public var withheldFields: [String]

        /// Makes a hop.
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

        /// What stayed behind, in words: "X-Api-Key not sent on to other.example"; nil if nothing.
        public var withheldText: String? {
            guard !withheldFields.isEmpty else { return nil }
            let place = TargetURI(text: url)?.resolve(location)?.origin ?? location
            let host = place.firstRange(of: "://").map { String(place[$0.upperBound...]) } ?? place
            // The port that everybody takes for granted.
            let shown =
                place.hasPrefix("https://") && host.hasSuffix(":443")
                ? String(host.dropLast(4))
                : place.hasPrefix("http://") && host.hasSuffix(":80")
                    ? String(host.dropLast(3)) : host
            return "\(withheldFields.joined(separator: ", ")) not sent on to \(shown)"
        }

        /// Reads a hop; older records have less.
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
