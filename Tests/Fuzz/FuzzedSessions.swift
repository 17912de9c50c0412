import FoundationEssentials
import Glibc
import HTTPTypes
import SQLite

@testable import Apus
@testable import Documents
@testable import Recordings

/// A HAR file.
func fuzzArchives(_ input: [UInt8]) {
    guard let reader = try? HARReader(DocumentBytes(input), path: "x.har") else { return }
    var count = 0
    for exchange in reader {
        count += 1
        if case .success(let exchange) = exchange { check(exchange.record) }
    }
    expect(count <= reader.count, "an entry is one exchange at most")
}

/// A file of a session's folder.
func fuzzFolders(_ input: [UInt8]) {
    let reader = try? SessionFolderReader(input, path: "x.txt") {
        (name: String) throws(SessionFileError) in
        name.utf8.count.isMultiple(of: 2)
            ? .bytes(Array(name.utf8))
            : .remote(RemoteBody(digest: "", size: name.utf8.count, location: name))
    }
    guard var reader, let exchange = try? reader.exchange() else { return }
    check(exchange.record)
}

private func check(_ record: ExchangeRecord) {
    expect(RecordedURL(record.request.url) != nil, "a request has a URL")
    expect(record.duration >= .zero, "no exchange ends before it begins")
    let head = RequestHeadCoding.head(Data(RequestHeadCoding.bytes(record.request.head)))
    expect(head?.method == record.request.head.method, "a request is kept as it is")
}

/// The columns of an exchange in a history's file, a line each: a number, `x` and bytes, else text.
func fuzzSessions(_ input: [UInt8]) {
    guard let file = HistoryOfOne.shared else { return }
    let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
    file.set(lines.map(value))
    let text = String(decoding: lines.first ?? [], as: UTF8.self)
    _ = result {
        let filter = try? HistoryFilter(text)
        _ = try? await file.history.exchanges(matching: filter ?? HistoryFilter())
        return try await file.history.exchange(1)
    }
}

private func value(_ line: ArraySlice<UInt8>) -> DatabaseValue {
    let text = String(decoding: line, as: UTF8.self)
    if let number = Int64(text) { return number.databaseValue }
    if let number = Double(text) { return number.databaseValue }
    if text.isEmpty { return .null }
    return line.first == 0x78 ? Data(line.dropFirst()).databaseValue : text.databaseValue
}

/// A history with one exchange, read as somebody else's.
private final class HistoryOfOne: Sendable {
    private static let columns = [
        "exchange": [
            "started", "duration", "attempts", "method", "url", "status", "error", "source", "size",
            "phases", "marked", "note", "session", "run", "place",
        ],
        "detail": [
            "request", "request_body", "response", "response_body", "is_complete", "error", "facts",
        ],
        "body": ["digest", "size", "place", "bytes"],
    ]
    static let shared = try? HistoryOfOne()

    let history: History
    private let queue: DatabaseQueue

    private init() throws {
        let path = "/dev/shm/apus-fuzz-\(getpid()).sqlite"
        unlink(path)
        queue = try DatabaseQueue(path: path)
        history = History(reading: path)
        try queue.write { db in
            for statement in HistoryFile.schema.statements { try db.execute(sql: statement) }
            try db.execute(sql: "PRAGMA user_version = \(HistoryFile.schema.version)")
            try db.execute(sql: "INSERT INTO total VALUES (1, 1, 1, x'00')")
        }
    }

    /// Makes the exchange anew, and puts values into its columns.
    func set(_ values: [DatabaseValue]) {
        try? queue.write { db in
            try db.execute(
                sql: """
                    DELETE FROM exchange; DELETE FROM detail; DELETE FROM body;
                    INSERT INTO exchange (id, started, duration, attempts, method, url, size, key,
                        marked) VALUES (1, 0, 0, 1, 'GET', '/', 1, 'k', 0);
                    INSERT INTO detail (id, request, response_body, is_complete, facts)
                        VALUES (1, 'GET' || char(10) || 'http' || char(10) || 'h' || char(10) || '/',
                            1, 1, '{"variables":{},"events":[]}');
                    INSERT INTO body VALUES (1, 'd', 1, 1, 0, 'x');
                    """
            )
            var values = values[...]
            for (table, columns) in Self.columns.sorted(by: { $0.key < $1.key }) {
                for column in columns {
                    guard let value = values.popFirst() else { return }
                    guard !value.isNull else { continue }
                    try db.execute(
                        sql: "UPDATE OR IGNORE \(table) SET \(column) = ?",
                        arguments: [value]
                    )
                }
            }
        }
    }
}
