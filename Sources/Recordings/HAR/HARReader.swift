import Apus
import Documents
import FoundationEssentials

/// Reads a HAR file (1.1 and 1.2) of a browser, a proxy or Apus.
///
/// It accepts what programs write in practice: missing members, -1 for unknown values, pseudo-header fields
/// of HTTP/2, several lines in one value, entries out of order. It leaves out entries with other schemes than
/// HTTP (`data:`, `blob:`, those of extensions) and the messages of WebSockets. An entry that cannot be read is
/// a fault, and the entries after it are read; so are those of a file that is not valid JSON everywhere.
///
/// The file and its tree are held in memory. This takes 1.1 times the file's size if it is mostly bodies, and
/// several times its size if it is mostly small values. A body is decoded only when its entry is read.
package struct HARReader: Sequence, Sendable {
    private let path: String
    private let document: Document
    /// Whether this program wrote the file.
    private let isOwn: Bool
    /// Why entries are not valid JSON.
    private let broken: [SessionFileError]
    /// The entries in order of time, with their indices in the file.
    private let entries: [(place: Int, entry: JSON)]
    /// The name of the session; nil if the file has none.
    package let session: String?
    /// How many entries were left out, by scheme, which is empty for an empty URL.
    package private(set) var leftOut: [String: Int] = [:]
    /// How many entries have WebSocket messages, which are left out.
    package private(set) var webSockets = 0

    /// Reads and parses a file.
    ///
    /// - Throws: ``SessionFileError`` if it cannot be read or is not a HAR file.
    package init(path: String) throws(SessionFileError) {
        let bytes: DocumentBytes
        do throws(DocumentError) {
            bytes = try .reading(file: path)
        } catch {
            throw SessionFileError(path, error.reason)
        }
        try self.init(bytes, path: path)
    }

    init(_ bytes: DocumentBytes, path: String) throws(SessionFileError) {
        self.path = path
        // Some programs write UTF-16.
        let opened = FormattedDocument.opening(bytes, as: .json)
        let contents = try Contents(opened, path: path)
        document = opened.document
        isOwn = contents.creator["name"].string == "apus"
        session = contents.session.string
        broken = contents.broken
        var (entries, starts) = ([(place: Int, entry: JSON)](), [Date]())
        for (place, entry) in contents.entries {
            // Nil if there is no valid URL. Reading the entry reports that with its index.
            let scheme = entry["request", "url"].string.flatMap { url in
                url.isEmpty || url.contains(":") ? url.prefix { $0 != ":" }.asciiLowercased : nil
            }
            if let scheme, !["http", "https", "ws", "wss"].contains(scheme) {
                leftOut[scheme, default: 0] += 1
                continue
            }
            if entry["_webSocketMessages"].exists { webSockets += 1 }
            // An entry without a time stays after the one before it.
            let start = entry["startedDateTime"].string.flatMap(ExportedFacts.date)
            starts.append(start ?? starts.last ?? .distantPast)
            entries.append((place, entry))
        }
        // Exchanges are numbered in order of time. The file may have another order (HAR 1.2, entries).
        if !isOwn {
            let order = entries.indices.sorted { (starts[$0], $0) < (starts[$1], $1) }
            entries = order.map { entries[$0] }
        }
        self.entries = entries
    }

    /// The number of entries, without those that are left out.
    package var count: Int { entries.count }

    /// The exchanges in order, and the faults of the entries that cannot be read.
    package func makeIterator() -> Iterator { Iterator(reader: self) }

    package struct Iterator: IteratorProtocol {
        fileprivate let reader: HARReader
        private var place = 0
        private var broken: ArraySlice<SessionFileError>

        fileprivate init(reader: HARReader) {
            self.reader = reader
            broken = reader.broken[...]
        }

        package mutating func next() -> Result<ImportedExchange, SessionFileError>? {
            if let fault = broken.popFirst() { return .failure(fault) }
            guard place < reader.entries.count else { return nil }
            let first = place
            do throws(SessionFileError) {
                return .success(try exchange())
            } catch {
                skipExchange(from: first)
                return .failure(error)
            }
        }

        /// Moves past the entries of an exchange: its redirects and the final response.
        private mutating func skipExchange(from first: Int) {
            place = first
            while place < reader.entries.count {
                defer { place += 1 }
                if !isHop(reader.entries[place].entry) { break }
            }
        }

        private func isHop(_ entry: JSON) -> Bool {
            reader.isOwn && entry["_apus", "hop"].exists
        }

        /// Reads the next exchange, with the redirects before it that have their own entries.
        private mutating func exchange() throws(SessionFileError) -> ImportedExchange {
            var hops: [TransferMetrics.Redirect] = []
            var first: PreparedRequest?
            while place < reader.entries.count {
                let (number, json) = reader.entries[place]
                place += 1
                let entry = HAREntry(path: reader.path, number: number + 1, json: json)
                guard isHop(json) else {
                    var exchange = try entry.exchange(isOwn: reader.isOwn)
                    if let first {
                        exchange.record.request = first
                        exchange.record.changeMetrics { $0.redirects = hops }
                    }
                    return exchange
                }
                if first == nil { first = try entry.request() }
                hops.append(try entry.hop())
            }
            throw SessionFileError(
                reader.path,
                "the file ends with a redirect that has no final response"
            )
        }
    }
}

extension HARReader {
    /// What a file has in its `log`.
    fileprivate struct Contents {
        var creator: JSON
        var session: JSON
        /// The entries with their indices in the file.
        var entries: [(place: Int, entry: JSON)] = []
        /// Why other entries cannot be read.
        var broken: [SessionFileError] = []

        /// - Throws: ``SessionFileError`` if the file has no entries that could be read.
        init(_ opened: FormattedDocument, path: String) throws(SessionFileError) {
            let document = opened.document
            guard let fault = document.fault else {
                let log = JSON(document: document)["log"]
                guard log["entries"].kind == .array else {
                    throw SessionFileError(path, "not a HAR file: log.entries is not an array")
                }
                (creator, session) = (log["creator"], log["_session"])
                entries = log["entries"].elements.enumerated().map { ($0, $1) }
                return
            }
            let text = opened.text
            let outline = text.withUnsafeBytes { HAROutline($0) }
            func read(_ range: Range<Int>) -> Document {
                text.withUnsafeBytes {
                    .parse(DocumentBytes(copying: UnsafeRawBufferPointer(rebasing: $0[range])))
                }
            }
            func json(_ name: String) -> JSON {
                outline.members[name].map { JSON(document: read($0)) } ?? .null
            }
            (creator, session) = (json("creator"), json("_session"))
            for (place, range) in outline.entries.enumerated() {
                let entry = read(range)
                guard let fault = entry.fault else {
                    entries.append((place, JSON(document: entry)))
                    continue
                }
                let position = document.position(of: range.lowerBound + fault.offset)
                broken.append(
                    SessionFileError(
                        path,
                        at: "entry \(place + 1), line \(position.line), column \(position.column)",
                        "not valid JSON: \(fault)"
                    )
                )
            }
            guard entries.isEmpty else { return }
            let position = document.position(of: fault.offset)
            throw SessionFileError(
                path,
                at: "line \(position.line), column \(position.column)",
                "not valid JSON: \(fault)"
            )
        }
    }
}
