public import HTTPTypes

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
