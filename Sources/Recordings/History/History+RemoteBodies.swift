import Apus
import FoundationEssentials
import SQLite
import Secrets
import Synchronization

/// A body that is not in the history, but where its session was pulled from.
package struct RemoteBody: Sendable, Hashable {
    /// The SHA-256 of its content in hexadecimal digits.
    package let digest: String
    /// Its size in bytes.
    package let size: Int
    /// Says where it is to whoever fetches it; the first line is for people.
    package let location: String

    package init(digest: String, size: Int, location: String) {
        (self.digest, self.size, self.location) = (digest, size, location)
    }

    /// Where it is, for people: "s3://acme-apus/team".
    package var place: String { String(location.prefix { !$0.isNewline }) }
}

/// A body that an exchange got after it was recorded, masked as it is kept.
struct LateBody: Sendable {
    let exchange: Int64
    /// When the exchange began, in seconds.
    let started: Double
    let bytes: [UInt8]
}

/// Bodies that come when they are needed.
///
///     pull ─▶ a row with the location ─fetchedExchange─▶ fetch ─▶ digest ─▶ mask ─▶ a row with the bytes, search index
extension History {
    /// Whether secrets are masked before anything is written.
    package var masksSecrets: Bool { mask.isOn }

    /// Has bodies that are not here fetched by a function, which gets their bytes or throws.
    package func fetchBodies(
        by fetch: @escaping @Sendable (RemoteBody) async throws -> [UInt8]
    ) {
        state.withLock { $0.fetch = fetch }
    }

    /// Everything about an exchange, with a body that is not here fetched; nil if there is none with this number.
    ///
    /// What is fetched is kept. If that fails, ``ExchangeDetails/damage`` and ``ExchangeDetails/absence`` say why.
    package func fetchedExchange(
        _ id: RecordedExchange.ID
    ) async throws(RecordingError) -> ExchangeDetails? {
        guard var whole = try await readableExchange(id) else { return nil }
        guard let remote = whole.remoteBody else { return whole }
        do {
            try await keep(try await fetch(remote), of: remote, for: whole)
        } catch {
            let reason = (error as? ApusError)?.message.title ?? "\(error)"
            whole.absence = "not here: \(reason)"
            whole.damage.append("the response's body is not here and left out: \(reason)")
            return whole
        }
        return try await readableExchange(id)
    }

    /// The number of exchanges whose bodies a filter searches for a text, but could not, because they are not here.
    package func unsearchedCount(
        _ filter: HistoryFilter
    ) async throws(RecordingError) -> Int {
        try await filter.hasTexts ? remoteCount(inSessions: filter.sessions) : 0
    }

    /// The number of exchanges in sessions of these names, or in all, whose bodies are not here.
    package func remoteCount(inSessions sessions: [String]) async throws(RecordingError) -> Int {
        let names = sessions.map { _ in "name = ?" }.joined(separator: " OR ")
        return try await read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT count(*) FROM exchange JOIN detail USING (id)
                        JOIN body ON body.id = detail.response_body
                    WHERE session IN (SELECT id FROM session \(names.isEmpty ? "" : "WHERE \(names)"))
                        AND body.place = \(BodyStore.Place.nowhere.rawValue) AND body.bytes IS NOT NULL
                    """,
                arguments: StatementArguments(sessions)
            ) ?? 0
        }
    }

    private func fetch(_ remote: RemoteBody) async throws -> [UInt8] {
        guard let fetch = state.withLock(\.fetch) else {
            throw SessionFileError(remote.place, "nothing here can fetch it")
        }
        let bytes = try await fetch(remote)
        guard ContentDigest.hex(of: bytes) == remote.digest else {
            throw SessionFileError(
                remote.place,
                "its object is not what was pushed; push the session again with --replace"
            )
        }
        return bytes
    }

    /// Keeps a body for all exchanges of the session that lack it.
    private func keep(
        _ bytes: [UInt8],
        of remote: RemoteBody,
        for whole: ExchangeDetails
    ) async throws(RecordingError) {
        let got = try await writing(takingIn: false) { [self] pool in
            do {
                return try pool.write { try keep(bytes, of: remote, for: whole, $0) }
            } catch {
                // The rollback has undone the new numbers too.
                state.withLock { $0.numbers = [:] }
                throw error
            }
        }
        await index(got)
    }

    private func keep(
        _ bytes: [UInt8],
        of remote: RemoteBody,
        for whole: ExchangeDetails,
        _ db: Database
    ) throws -> [LateBody] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT id, response_body FROM exchange JOIN detail USING (id)
                WHERE id = ?1 OR session = ?2 AND response_body = (
                    SELECT response_body FROM detail WHERE id = ?1)
                """,
            arguments: [whole.exchange.id, whole.exchange.session?.number]
        )
        var got: [LateBody] = []
        for row in rows {
            let id = try row.decode(Int64.self, atIndex: 0)
            // Another process may have fetched it meanwhile.
            guard let old = try row.decode(Int64?.self, atIndex: 1),
                let exchange = try ExchangeReader.fetch(id, bodies, db),
                exchange.remoteBody?.digest == remote.digest,
                let content = try masked(bytes, of: exchange, db)
            else { continue }
            try db.execute(
                sql: "UPDATE detail SET response_body = ? WHERE id = ?",
                arguments: [try bodies.add(content, to: db), id]
            )
            // A body that was elsewhere has no file.
            _ = try bodies.remove(old, from: db)
            guard case .bytes(let masked) = content else { continue }
            let started = exchange.exchange.started.timeIntervalSinceReferenceDate
            got.append(LateBody(exchange: id, started: started, bytes: masked))
        }
        return got
    }

    private func masked(
        _ bytes: [UInt8],
        of exchange: ExchangeDetails,
        _ db: Database
    ) throws -> BodyStore.Content? {
        let names = try names(in: exchange.exchange.session, db)
        func content() throws -> BodyStore.Content? {
            try ExchangeRow.responseBody(
                bytes,
                of: exchange,
                mask: names.map { mask.naming($0) } ?? mask,
                bodyLimit: limits.bodySize
            )
        }
        let first = try content()
        guard let names else { return first }
        // The body keeps the numbers of its masks.
        if case .bytes(let bytes) = first {
            try names.numbers.reserve(NumberedMask.highest(in: bytes), in: db)
        }
        guard case let secrets = names.unnumbered, !secrets.isEmpty else { return first }
        try names.numbers.add(secrets, in: db)
        return try content()
    }
}

extension BodyStore.Content {
    /// A body that is elsewhere, or, if it is larger than what is kept, only its digest.
    static func remote(_ body: RemoteBody, atMost limit: Int) -> BodyStore.Content {
        body.size > limit ? .unkept(sha256: body.digest, size: body.size) : .remote(body)
    }
}
