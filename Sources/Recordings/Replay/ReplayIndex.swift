package import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import SQLite
import Secrets

/// Finds the recorded requests of a session as a ``ReplayTransport/Matching`` says, and the nearest one.
actor ReplayIndex {
    /// A recorded request and its replay key.
    fileprivate struct Entry: Sendable {
        let id: RecordedExchange.ID
        let status: Int?
        let key: String
        let head: HTTPRequest
        /// Nil if it is too large to hold in memory.
        let body: [UInt8]?
        let size: Int?
        /// Whether it has masks.
        let hasMask: Bool
    }

    /// The indices in `entries` of the requests with one key.
    private struct Places {
        var all: [Int] = []
        /// Whether some responses (206, 304) response only requests with certain header fields.
        var hasSpecial = false
    }

    /// The size in bytes above which a body is read only to be compared.
    fileprivate static let bodyLimit = 64 << 10
    /// How many bytes all bodies in memory may take together.
    private static let memoryLimit = 64 << 20
    /// How many recorded requests are fully compared with an unmatched one.
    private static let comparisonLimit = 200
    /// How many differences are reported.
    private static let linesLimit = 20

    private let history: History
    private let session: RecordedSession.ID?
    private var entries: [Entry] = []
    /// The bytes that the bodies in memory take.
    private var size = 0
    private var places: [String: Places] = [:]
    /// The indices of the requests that must be compared part by part, by method and path: those with masks, or
    /// all if the matching has rules.
    private var compared: [String: [Int]] = [:]
    private let matching: ReplayTransport.Matching
    /// The running load, and the one after it.
    private var runningLoad: Task<Result<Void, RecordingError>, Never>?
    private var nextLoad: Task<Result<Void, RecordingError>, Never>?
    /// How many times each key has been requested.
    private var given: [String: Int] = [:]

    init(
        _ history: History,
        session: RecordedSession.ID?,
        matching: ReplayTransport.Matching
    ) {
        self.history = history
        self.session = session
        self.matching = matching
    }

    /// The exchange that answers a request this time; nil if none does.
    ///
    /// If none does, the requests recorded since the last load are searched too. Large bodies are read and
    /// compared outside the actor, so that other requests need not wait.
    @concurrent
    nonisolated func answer(
        to request: Apus.PreparedRequest
    ) async throws(RecordingError) -> Int64? {
        let key = Self.key(of: request)
        for loads in [false, true] {
            if loads { try await load() }
            if !matching.hasRules, let id = await known(key, request) { return id }
            if let id = try await compared(request) { return id }
        }
        return nil
    }

    private func known(_ key: String, _ request: Apus.PreparedRequest) -> Int64? {
        guard let places = places[key] else { return nil }
        // Filter only if needed, since there may be thousands of repeats.
        return turn(
            key,
            of: places.hasSpecial
                ? places.all.filter { Self.suits(entries[$0], request) } : places.all
        )
    }

    /// The exchange at the next of these indices, or at the last one if each has been used.
    private func turn(_ key: String, of places: [Int]) -> Int64? {
        guard !places.isEmpty else { return nil }
        let turn = given[key, default: 0]
        given[key] = turn + 1
        return entries[places[min(turn, places.count - 1)]].id
    }

    /// Finds a match among the requests that are compared part by part, where a mask matches any secret.
    private nonisolated func compared(
        _ request: Apus.PreparedRequest
    ) async throws(RecordingError) -> Int64? {
        let target = RequestDifference.Target(request.head)
        let asked = Self.bytes(of: request)
        var (fitting, content) = ([(place: Int, key: String)](), RequestDifference.Content?.none)
        for (place, entry) in await candidates(target.key, request) {
            guard !Task.isCancelled else { return nil }
            guard target.fits(RequestDifference.Target(entry.head), by: matching) else { continue }
            let bytes =
                if let body = entry.body { body } else { try await history.body(of: entry.id) }
            if matching.comparesBody {
                // A secret cannot make a body eight times as long, and what is ignored need not be in both.
                let most = matching.hasRules ? Int.max : 8 * bytes.count + Self.bodyLimit
                guard asked.count <= most else { continue }
                let known = content ?? .init(request.head, asked)
                content = known
                let recorded = RequestDifference.Content(entry.head, bytes)
                guard known.differences(from: recorded, by: matching).isEmpty else { continue }
            }
            if let rule = matching.rule {
                let body: Apus.PreparedRequest.Body = bytes.isEmpty ? .none : .bytes(bytes)
                guard rule(Apus.PreparedRequest(head: entry.head, body: body), request) else {
                    continue
                }
            }
            fitting.append((place, entry.key))
        }
        fitting.sort { $0.place < $1.place }
        guard let first = fitting.first else { return nil }
        return await turn(first.key, of: fitting.map(\.place))
    }

    /// The requests that are compared with one whose target has this key.
    private func candidates(_ key: String, _ request: Apus.PreparedRequest) -> [(Int, Entry)] {
        let places: [Int]
        if matching.comparesTarget {
            let keys: Set = [key, RequestDifference.Target.maskedKey(request.head.method)]
            places = keys.flatMap { compared[$0] ?? [] }
        } else {
            places = Array(entries.indices)
        }
        return places.map { ($0, entries[$0]) }.filter { Self.suits($0.1, request) }
    }

    /// Whether an entry may answer the request; a 206 needs the same range, a 304 a condition.
    private static func suits(_ entry: Entry, _ request: Apus.PreparedRequest) -> Bool {
        let fields = request.head.headerFields
        switch entry.status {
        case 304: return fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince)
        case 206: return fields[.range] == entry.head.headerFields[.range]
        default: return true
        }
    }

    /// The recorded request that differs least from this one, with the differences.
    @concurrent
    nonisolated func nearest(
        to request: Apus.PreparedRequest
    ) async throws(RecordingError) -> NearestRequest? {
        try await load()
        let entries = await entries
        let target = RequestDifference.Target(request.head)
        let rough = entries.indices.map {
            (place: $0, count: target.distance(from: RequestDifference.Target(entries[$0].head)))
        }
        let near = rough.sorted { ($0.count, $1.place) < ($1.count, $0.place) }
            .prefix(Self.comparisonLimit)
        let asked = Self.bytes(of: request)
        let content =
            asked.count <= Self.bodyLimit ? RequestDifference.Content(request.head, asked) : nil
        var nearest: (entry: Entry, lines: [String])?
        for (place, count) in near where count == near.first?.count {
            guard !Task.isCancelled else { return nil }
            let entry = entries[place]
            let lines =
                target.differences(from: RequestDifference.Target(entry.head), by: matching)
                + differences(of: content, asked.count, from: entry)
            if lines.count < nearest?.lines.count ?? .max { nearest = (entry, lines) }
        }
        guard let (entry, lines) = nearest else { return nil }
        let rest = lines.count - Self.linesLimit
        return NearestRequest(
            exchange: entry.id,
            request: Apus.PreparedRequest(head: entry.head).line,
            differences: lines.prefix(Self.linesLimit) + (rest > 0 ? ["and \(rest) more"] : [])
        )
    }

    private nonisolated func differences(
        of content: RequestDifference.Content?,
        _ size: Int,
        from entry: Entry
    ) -> [String] {
        guard matching.comparesBody else { return [] }
        guard let body = entry.body, let content else {
            let recorded = entry.size.map { "\($0) bytes" } ?? "but not kept"
            let sizes = "recorded \(recorded), requested \(size) bytes"
            return ["body: \(sizes), which cannot be compared"]
        }
        return content.differences(
            from: RequestDifference.Content(entry.head, body),
            by: matching
        )
    }

    // MARK: Loading

    /// Reads the requests recorded since the last load, which concurrent callers share.
    ///
    /// A caller that arrives during a load waits for the next load, because its request may have been recorded
    /// meanwhile.
    private func load() async throws(RecordingError) {
        let load =
            nextLoad
            ?? Task { [runningLoad] in
                _ = await runningLoad?.value
                return await read()
            }
        nextLoad = load
        try await load.value.get()
    }

    private func read() async -> Result<Void, RecordingError> {
        (runningLoad, nextLoad) = (nextLoad, nil)
        do throws(RecordingError) {
            let new = try await history.requests(
                of: session,
                after: entries.last?.id ?? 0,
                holding: Self.memoryLimit - size
            )
            add(new)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func add(_ new: [Entry]) {
        for entry in new {
            places[entry.key, default: Places()].all.append(entries.count)
            if entry.status == 304 || entry.status == 206 { places[entry.key]?.hasSpecial = true }
            if entry.hasMask || matching.hasRules {
                let target = RequestDifference.Target(entry.head)
                compared[target.key, default: []].append(entries.count)
            }
            size += entry.body?.count ?? 0
            entries.append(entry)
        }
    }

    /// The key of a request without its host, and without its header fields except `Content-Type`.
    fileprivate static func key(of request: Apus.PreparedRequest) -> String {
        var request = request
        request.head.scheme = "http"
        request.head.authority = "any"
        let type = request.head.headerFields[.contentType]
        request.head.headerFields = type.map { [.contentType: $0] } ?? [:]
        if case .bytes(let bytes) = request.body, bytes.isEmpty { request.body = .none }
        return ReplayKey.digest(of: request)
    }

    /// The bytes of a request's body, as a recording has them; a stream has none.
    private static func bytes(of request: Apus.PreparedRequest) -> [UInt8] {
        switch request.body {
        case .none, .stream: return []
        case .bytes(let bytes): return bytes
        case .multipart(let form): return form.outline
        case .file(let path):
            // A file that cannot be read matches nothing, and sending it fails with the reason.
            return (try? BodyFile(path: path, count: 0, ownership: .borrowed).load()) ?? []
        }
    }
}

/// The recorded request that is most similar to an unmatched one.
package struct NearestRequest: Sendable {
    /// The number of its exchange in the history.
    package let exchange: RecordedExchange.ID
    /// Its method and URL.
    package let request: ApusError.RequestLine
    /// The differences, one line for each part.
    package let differences: [String]
}

extension History {
    /// The recorded requests after a number, in order, including those without a response.
    ///
    /// - Parameters:
    ///   - session: the session; nil for all exchanges.
    ///   - id: the number to start after.
    ///   - room: how many bytes of bodies to hold at most.
    /// - Returns: the requests.
    /// - Throws: ``RecordingError`` if the file cannot be read.
    fileprivate func requests(
        of session: RecordedSession.ID?,
        after id: RecordedExchange.ID,
        holding room: Int
    ) async throws(RecordingError) -> [ReplayIndex.Entry] {
        // Take in the inbox first, otherwise only a part of the recording would answer.
        if id == 0 { try await takeInAll() }
        return try await read { [bodies] db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT id, status, request, request_body FROM exchange JOIN detail USING (id)
                    WHERE (? IS NULL OR session = ?) AND id > ? ORDER BY id
                    """,
                arguments: [session?.number, session?.number, id]
            )
            var (entries, room) = ([ReplayIndex.Entry](), room)
            while let row = try rows.next() {
                guard
                    let head = RequestHeadCoding.head(
                        try row.decode([UInt8].self, forColumn: "request")
                    )
                else {
                    continue
                }
                let body = try row.decode(Int64?.self, forColumn: "request_body")
                // A damaged body is treated as one that was not kept.
                let bytes = try body.map { try bodies.readable($0, in: db) } ?? []
                let isHeld = bytes.map { $0.count <= min(room, ReplayIndex.bodyLimit) } == true
                if isHeld { room -= bytes?.count ?? 0 }
                var request = Apus.PreparedRequest(head: head)
                if let bytes { request.body = .bytes(bytes) }
                entries.append(
                    ReplayIndex.Entry(
                        id: try row.decode(forColumn: "id"),
                        status: try row.decode(forColumn: "status"),
                        key: ReplayIndex.key(of: request),
                        head: head,
                        body: isHeld ? bytes : nil,
                        size: bytes?.count,
                        hasMask: MaskedText(head.path ?? "").isMasked || bytes?.hasMask == true
                    )
                )
            }
            return entries
        }
    }

    /// The body of a recorded request; empty if there is none.
    fileprivate func body(
        of id: RecordedExchange.ID
    ) async throws(RecordingError) -> [UInt8] {
        try await read { [bodies] db in
            try Int64.fetchOne(
                db,
                sql: "SELECT request_body FROM detail WHERE id = ?",
                arguments: [id]
            ).flatMap { try bodies.body($0, in: db).bytes } ?? []
        }
    }
}

extension [UInt8] {
    /// Whether the bytes, as UTF-8 text, have masks.
    fileprivate var hasMask: Bool {
        firstRange(of: "••".utf8) != nil
            && MaskedText(String(decoding: self, as: UTF8.self)).isMasked
    }
}
