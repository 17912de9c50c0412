import Apus
import FoundationEssentials
import HTTPTypes
import SQLite

/// The text of an exchange that is searched and indexed.
struct ExchangeText {
    /// How many bytes of a body are searched.
    private static let bodyLimit = 8 << 20

    /// The method, URL, status, names, header fields and error.
    var head: String
    /// The bodies of the request and the response, if they are text.
    var bodies: [[UInt8]] = []
    var note: String?

    /// Nil if there is no exchange with this number.
    init?(_ id: Int64, _ store: BodyStore, _ db: Database) throws {
        // A search reads many rows. Reading columns by index from a cursor's row takes half the time.
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT method, url, target, workspace, environment, step, source,
                    CAST(status AS TEXT), detail.error, note, request, response, request_body,
                    response_body
                FROM exchange JOIN detail USING (id) WHERE id = ?
                """,
            arguments: [id]
        )
        guard let row = try rows.next() else { return nil }
        var parts = try (0..<9).compactMap { try row.decode(String?.self, atIndex: $0) }
        let request = try row.decode([UInt8].self, atIndex: 10)
        parts.append(String(decoding: request, as: UTF8.self))
        if let data = try row.decode([UInt8]?.self, atIndex: 11),
            let record = data.withUnsafeBytes({ ResponseRecord($0) })
        {
            for field in record.head.headerFields {
                parts.append("\(field.name.rawName): \(field.value)")
            }
        }
        head = parts.joined(separator: "\n")
        note = try row.decode(atIndex: 9)
        for column in 12...13 {
            guard let body = try row.decode(Int64?.self, atIndex: column),
                let bytes = try store.readable(body, in: db),
                let text = Self.text(bytes)
            else { continue }
            bodies.append(text)
        }
    }

    /// The head and the bodies, as they are indexed.
    var whole: String {
        bodies.reduce(head) { "\($0)\n\(String(decoding: $1, as: UTF8.self))" }
    }

    /// The part of a body that is searched; nil if the body is not text.
    static func text(_ bytes: [UInt8]) -> [UInt8]? {
        guard !bytes.isEmpty, !bytes.prefix(4096).contains(0) else { return nil }
        return bytes.count > bodyLimit ? Array(bytes.prefix(bodyLimit)) : bytes
    }
}
