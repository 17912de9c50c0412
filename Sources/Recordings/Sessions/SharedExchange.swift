import Apus
import Documents
import FoundationEssentials
import Synchronization

/// Shares a session while it is recorded.
package protocol SessionSharing: Sendable {
    /// Begins with a session, which may have exchanges already: these are not shared.
    ///
    /// `report` gets sentences for people, on any thread.
    func begin(
        _ session: RecordedSession.ID,
        of history: History,
        report: @escaping @Sendable (String) -> Void
    ) async

    /// Ends, once everything that was recorded is shared, or that is given up.
    func end() async
}

extension History {
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

    /// Records the exchanges of a HAR file that `har(of:session:)` made on another machine.
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
            await self.record(record, in: session)
            do throws(RecordingError) {
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
}
