package import Apus
import Documents
import FoundationEssentials
import GRDB
import HTTPTypes

/// The requests of a session, found as a mock's client asks: by method, path, query and body, whatever
/// the host and the other fields.
actor ReplayIndex {
    /// A recorded request and how it is found.
    private struct Entry {
        let id: RecordedExchange.ID
        let key: String
        let request: Apus.PreparedRequest
        let status: Int?

        /// Whether a secret of it was masked.
        var hasMask: Bool {
            if RequestDifference.isMasked(request.head.path ?? "") { return true }
            guard case .bytes(let bytes) = request.body else { return false }
            return RequestDifference.isMasked(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Where the requests of one key are.
    private struct Places {
        var all: [Int] = []
        /// Whether some answers are only for who asked for them.
        var hasSpecial = false
    }

    /// More of a body is not kept to be compared.
    private static let bodyLimit = 64 << 10
    /// So many recorded requests are compared in all their parts with one that is not known.
    private static let comparisonLimit = 200

    private let history: History
    private let session: RecordedSession.ID?
    private var entries: [Entry] = []
    private var places: [String: Places] = [:]
    /// How often each was asked for.
    private var given: [String: Int] = [:]

    init(_ history: History, session: RecordedSession.ID?) {
        self.history = history
        self.session = session
    }

    /// The exchange that answers a request this time; nil for none.
    ///
    /// What was recorded since the last call counts, if nothing before answers.
    func answer(to request: Apus.PreparedRequest) async throws(RecordingError) -> Int64? {
        if let id = known(request) { return id }
        try await load()
        return known(request) ?? masked(request)
    }

    private func known(_ request: Apus.PreparedRequest) -> Int64? {
        let key = Self.key(of: request)
        guard let places = places[key] else { return nil }
        // Thousands of repeats are not looked through for each request.
        return turn(
            key,
            of: places.hasSpecial
                ? places.all.filter { Self.suits(entries[$0], request) } : places.all
        )
    }

    /// The next of those that are asked for by a key, and then the last again.
    private func turn(_ key: String, of places: [Int]) -> Int64? {
        guard !places.isEmpty else { return nil }
        let turn = given[key, default: 0]
        given[key] = turn + 1
        return entries[places[min(turn, places.count - 1)]].id
    }

    /// What is masked in the recording may be anything.
    private func masked(_ request: Apus.PreparedRequest) -> Int64? {
        let first = entries.first { entry in
            entry.hasMask && Self.suits(entry, request)
                && RequestDifference.list(entry.request, request).isEmpty
        }
        guard let first else { return nil }
        return turn(first.key, of: places[first.key]?.all ?? [])
    }

    /// A part, and an answer that says that nothing has changed, are for who asked for them.
    private static func suits(_ entry: Entry, _ request: Apus.PreparedRequest) -> Bool {
        let fields = request.head.headerFields
        switch entry.status {
        case 304: return fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince)
        case 206: return fields[.range] == entry.request.head.headerFields[.range]
        default: return true
        }
    }

    /// The recorded request that differs least from one, and its differences.
    func nearest(
        to request: Apus.PreparedRequest
    ) async throws(RecordingError) -> NearestRequest? {
        try await load()
        let rough = entries.indices.map {
            (place: $0, count: RequestDifference.distance(entries[$0].request.head, request.head))
        }
        let near = rough.sorted { ($0.count, $1.place) < ($1.count, $0.place) }
            .prefix(Self.comparisonLimit)
        let compared = near.prefix { $0.count == near.first?.count }.map { place, _ in
            (place, RequestDifference.list(entries[place].request, request))
        }
        guard let (place, differences) = compared.min(by: { $0.1.count < $1.1.count }) else {
            return nil
        }
        return NearestRequest(
            exchange: entries[place].id,
            request: entries[place].request.line,
            differences: differences
        )
    }

    // MARK: Loading

    private func load() async throws(RecordingError) {
        let new = try await history.requests(of: session, after: entries.last?.id ?? 0)
        // Another call may have been quicker.
        let last = entries.last?.id ?? 0
        for (id, status, loaded) in new where id > last {
            var request = loaded
            let key = Self.key(of: request)
            if case .bytes(let bytes) = request.body, bytes.count > Self.bodyLimit {
                request.body = .none
            }
            places[key, default: Places()].all.append(entries.count)
            if status == 304 || status == 206 { places[key]?.hasSpecial = true }
            entries.append(Entry(id: id, key: key, request: request, status: status))
        }
    }

    /// The key of a request to any host, of whose fields only the body's type counts.
    private static func key(of request: Apus.PreparedRequest) -> String {
        var request = request
        request.head.scheme = "http"
        request.head.authority = "any"
        let type = request.head.headerFields[.contentType]
        request.head.headerFields = type.map { [.contentType: $0] } ?? [:]
        if case .bytes(let bytes) = request.body, bytes.isEmpty { request.body = .none }
        return ReplayKey.digest(of: request)
    }
}

/// The recorded request that is nearest to one that is not recorded.
package struct NearestRequest: Sendable {
    /// Its exchange.
    package let exchange: RecordedExchange.ID
    /// Its method and URL.
    package let request: ApusError.RequestLine
    /// What differs, a line for each part.
    package let differences: [String]
}

/// What tells a request from a recorded one.
enum RequestDifference {
    private static let linesLimit = 20

    /// A line for each difference; what is masked in the recorded request is like anything.
    static func list(
        _ recorded: Apus.PreparedRequest,
        _ asked: Apus.PreparedRequest
    ) -> [String] {
        var lines: [String] = []
        let methods = (recorded.head.method.rawValue, asked.head.method.rawValue)
        if methods.0 != methods.1 {
            lines.append("method: recorded \(methods.0), asked \(methods.1)")
        }
        let (old, new) = (Target(recorded.head), Target(asked.head))
        if old.path != new.path, !isMasked(old.path) {
            lines.append("path: recorded \(old.path), asked \(new.path)")
        }
        lines += pairs("query", old.query, new.query)
        return lines + body(recorded, asked)
    }

    /// How far two targets are apart, roughly: what differs of the path counts more than the method, and
    /// that more than the query.
    static func distance(_ recorded: HTTPRequest, _ asked: HTTPRequest) -> Int {
        let (old, new) = (Target(recorded), Target(asked))
        let segments = (old.path.split(separator: "/"), new.path.split(separator: "/"))
        let same = zip(segments.0, segments.1).count { $0 == $1 }
        let apart = max(segments.0.count, segments.1.count) - same
        let query = pairs("", old.query, new.query).count
        return apart * 10_000 + (recorded.method == asked.method ? 0 : 5_000) + min(query, 4_999)
    }

    /// Whether a part of a text is masked.
    static func isMasked(_ text: String) -> Bool { text.utf8.firstRange(of: "••".utf8) != nil }

    private struct Target {
        let path: String
        let query: [(name: String, value: String)]

        init(_ head: HTTPRequest) {
            let parts = (head.path ?? "/").split(
                separator: "?",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            path = RequestDifference.decoded(parts[0], plusIsSpace: false)
            query = parts.count > 1 ? RequestDifference.pairs(of: parts[1]) : []
        }
    }

    private static func pairs(of text: Substring) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                decoded(parts[0], plusIsSpace: true),
                parts.count > 1 ? decoded(parts[1], plusIsSpace: true) : ""
            )
        }
    }

    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String {
        let bytes = PercentEncoding.decode(Array(text.utf8), plusIsSpace: plusIsSpace).bytes
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func pairs(
        _ part: String,
        _ old: [(name: String, value: String)],
        _ new: [(name: String, value: String)]
    ) -> [String] {
        var names: [String] = []
        for pair in old + new where !names.contains(pair.name) { names.append(pair.name) }
        return names.prefix(linesLimit).compactMap { name in
            let values = [old, new].map { $0.filter { $0.name == name }.map(\.value) }
            guard values[0] != values[1], !values[0].contains(where: isMasked) else { return nil }
            func text(_ values: [String], _ word: String) -> String {
                values.isEmpty
                    ? "not \(word)" : "\(word) “\(shortened(values.joined(separator: "”, “")))”"
            }
            return "\(part) \(name): \(text(values[0], "recorded")), \(text(values[1], "asked"))"
        }
    }

    private static func body(
        _ recorded: Apus.PreparedRequest,
        _ asked: Apus.PreparedRequest
    ) -> [String] {
        let (old, new) = (bytes(recorded.body), bytes(asked.body))
        guard old != new else { return [] }
        if old.isEmpty != new.isEmpty {
            return ["body: recorded \(old.isEmpty ? "without" : "with") one"]
        }
        if isForm(recorded), isForm(asked) {
            let forms = [old, new].map { pairs(of: Substring(decoding: $0, as: UTF8.self)) }
            return pairs("form field", forms[0], forms[1])
        }
        let documents = [old, new].map { Document.parse(DocumentBytes($0)) }
        guard documents.allSatisfy({ $0.fault == nil }) else {
            let text = String(decoding: old, as: UTF8.self)
            return isMasked(text)
                ? [] : ["body: recorded \(old.count) other bytes, asked \(new.count)"]
        }
        let differences = DocumentDiff(between: documents[0], and: documents[1]).lines()
        var lines: [String] = []
        for line in differences where lines.count < linesLimit && !isMasked(line.old ?? "") {
            lines.append("body: \(line)")
        }
        return lines
    }

    private static func bytes(_ body: Apus.PreparedRequest.Body) -> [UInt8] {
        if case .bytes(let bytes) = body { bytes } else { [] }
    }

    private static func isForm(_ request: Apus.PreparedRequest) -> Bool {
        request.head.headerFields[.contentType]?.lowercased()
            .hasPrefix("application/x-www-form-urlencoded") == true
    }

    private static func shortened(_ text: String) -> String {
        text.count > 60 ? "\(text.prefix(60))…" : text
    }
}

extension History {
    /// The requests of a session, or all, behind a number, in their order; those that were never sent, or
    /// answered by nobody, are among them.
    fileprivate func requests(
        of session: RecordedSession.ID?,
        after id: RecordedExchange.ID
    ) async throws(RecordingError) -> [(Int64, status: Int?, Apus.PreparedRequest)] {
        try await read { [bodies] db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT id, status, request, request_body FROM exchange JOIN detail USING (id)
                    WHERE (? IS NULL OR session = ?) AND id > ? ORDER BY id
                    """,
                arguments: [session?.number, session?.number, id]
            )
            var requests: [(Int64, status: Int?, Apus.PreparedRequest)] = []
            while let row = try rows.next() {
                guard let head = RequestHead.head(try row.decode(forColumn: "request")) else {
                    continue
                }
                var request = Apus.PreparedRequest(head: head)
                if let body = try row.decode(Int64?.self, forColumn: "request_body") {
                    request.body = .bytes(try bodies.body(body, in: db).bytes ?? [])
                }
                requests.append(
                    (
                        try row.decode(forColumn: "id"), try row.decode(forColumn: "status"),
                        request
                    )
                )
            }
            return requests
        }
    }
}
