import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Secrets
import Synchronization

/// Shares a session while it is recorded.
package protocol SessionSharing: Sendable {
    /// Where it is shared, without credentials.
    var address: String { get }

    /// Begins with a session, which may have exchanges already: these are not shared.
    ///
    /// `report` is called on any thread.
    func begin(
        _ session: RecordedSession.ID,
        of history: History,
        report: @escaping @Sendable (SharingNotice) -> Void
    ) async

    /// Ends, once everything that was recorded is shared, or that is given up.
    func end() async
}

/// What happens to a session that is shared.
package enum SharingNotice: Sendable, Hashable {
    /// It is shared: the server has what was recorded so far.
    case began
    /// It is not shared for now, for this reason; that is tried again.
    case failed(String)
    /// It is shared again, with what was recorded meanwhile.
    case recovered
    /// It has ended, and so many exchanges were not shared.
    case lost(Int)

    /// A sentence for people; nil if nothing is wrong or was.
    package func text(of address: String) -> String? {
        switch self {
        case .began: nil
        case .failed(let reason): "The session is not shared for now: \(reason) (\(address))."
        case .recovered: "The session is shared again (\(address))."
        case .lost(1): "The last exchange of the session was not shared (\(address))."
        case .lost(let count):
            "The last \(count) exchanges of the session were not shared (\(address))."
        }
    }
}

extension RecordedSession {
    /// The name of the session that a watched one is recorded in.
    package static func nameOfWatched(_ name: String) -> String { "\(name) (watched)" }
}

extension History {
    /// Whether what is recorded has its secrets.
    package var keepsSecrets: Bool { !mask.isOn }

    /// The exchanges of a session after one, oldest first.
    package func exchanges(
        of session: RecordedSession.ID,
        after last: RecordedExchange.ID
    ) async throws(RecordingError) -> [RecordedExchange.ID] {
        var filter = HistoryFilter()
        filter.session = session
        var found: [RecordedExchange.ID] = []
        while true {
            let page = try await exchanges(matching: filter, before: found.last, limit: 100)
            found += page.map(\.id).filter { $0 > last }
            guard page.count == 100, page.last.map({ $0.id > last }) == true else {
                return found.reversed()
            }
        }
    }

    /// An exchange as a HAR file of its own, as it is recorded; nil if there is no such exchange any more.
    package func har(of id: RecordedExchange.ID, session: String) async throws -> [UInt8]? {
        guard let whole = try await readableExchange(id) else { return nil }
        var bytes = Array(HARWriter.begin(session: session, creator: "1").utf8)
        for (place, entry) in try HARWriter(whole, run: nil).entries().enumerated() {
            if place > 0 { bytes += Array(HARWriter.separator.utf8) }
            bytes += try entry.bytes()
        }
        return bytes + Array(HARWriter.end.utf8)
    }

    /// Records the exchanges of a HAR file that `har(of:session:)` made on another machine, but for those that the
    /// session has already.
    ///
    /// - Returns: the exchanges, as they are here.
    /// - Throws: ``SessionFileError`` if the text is not one.
    package func record(
        har bytes: [UInt8],
        in session: RecordedSession.ID
    ) async throws(SessionFileError) -> [RecordedExchange] {
        let name = "the shared session"
        var recorded: [RecordedExchange] = []
        for exchange in try HARReader(DocumentBytes(bytes), path: name) {
            let record = try exchange.get().record
            do throws(RecordingError) {
                if let known = try await self.exchange(like: record, in: session) {
                    recorded.append(known)
                    continue
                }
                await self.record(record, in: session)
                try await flush()
                var filter = HistoryFilter()
                filter.session = session
                if let newest = try await exchanges(matching: filter, limit: 1).first {
                    recorded.append(newest)
                }
            } catch {
                throw SessionFileError(name, error.description)
            }
        }
        return recorded
    }

    /// The exchange of a session that began and lasted as another did, with its method and status.
    private func exchange(
        like record: ExchangeRecord,
        in session: RecordedSession.ID
    ) async throws(RecordingError) -> RecordedExchange? {
        var filter = HistoryFilter()
        filter.session = session
        // Files have times in milliseconds, and durations in microseconds.
        (filter.after, filter.before) = (record.started - 0.001, record.started + 0.001)
        let status = try? record.result.get().status
        return try await exchanges(matching: filter, limit: 100).first { exchange in
            let difference = exchange.duration - record.duration
            return exchange.request.method == record.request.head.method.rawValue
                && exchange.status == status
                && (Duration.microseconds(-2)...Duration.microseconds(2)).contains(difference)
        }
    }
}
