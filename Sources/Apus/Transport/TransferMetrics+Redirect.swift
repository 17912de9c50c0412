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

        /// Makes a hop.
        public init(
            status: Int,
            location: String,
            url: String = "",
            fields: HTTPFields = [:]
        ) {
            self.status = status
            self.location = location
            self.url = url
            self.fields = fields
        }

        /// Reads a hop; older records have neither URL nor fields.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            status = try values.decode(Int.self, forKey: .status)
            location = try values.decode(String.self, forKey: .location)
            url = try values.decodeIfPresent(String.self, forKey: .url) ?? ""
            fields = try values.decodeIfPresent(HTTPFields.self, forKey: .fields) ?? [:]
        }

        private enum CodingKeys: String, CodingKey {
            case status, location, url, fields
        }
    }
}
