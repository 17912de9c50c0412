import FoundationEssentials
import GRDB
import Glibc
import HTTPTypes

@testable import Apus
@testable import Recordings

/// The columns of an exchange in a session's file, a line each: a number, `x` and bytes, else text.
func fuzzSessions(_ input: [UInt8]) {
    guard let session = Session.shared else { return }
    let values = input.split(separator: 0x0A, omittingEmptySubsequences: false).map(value)
    session.set(Array(values.prefix(Session.columns.count)))
    _ = result {
        let reader = try SessionReader(path: session.path)
        _ = try? await reader.exchanges()
        return try await reader.result(of: 1)
    }
}

private func value(_ line: ArraySlice<UInt8>) -> DatabaseValue {
    let text = String(decoding: line, as: UTF8.self)
    if let number = Int64(text) { return number.databaseValue }
    if let number = Double(text) { return number.databaseValue }
    if text.isEmpty { return .null }
    return line.first == 0x78 ? Data(line.dropFirst()).databaseValue : text.databaseValue
}

/// A session with one exchange.
private final class Session: Sendable {
    static let columns = [
        "key", "started", "duration", "attempts", "method", "url", "request", "request_body",
        "status", "response", "response_body", "size", "is_complete", "source", "error_code",
        "error_text", "events", "target", "workspace", "environment",
    ]
    static let shared = try? Session()

    let path = "/dev/shm/apus-fuzz-\(getpid())\(SessionFile.suffix)"
    private let queue: DatabaseQueue

    private init() throws {
        unlink(path)
        queue = try DatabaseQueue(path: path)
        try queue.write { db in
            // Without its types: a file may have any.
            let names = Self.columns.joined(separator: ", ")
            try db.execute(sql: "CREATE TABLE exchange (id INTEGER PRIMARY KEY, \(names))")
            try db.execute(sql: "CREATE TABLE piece (digest, number, bytes)")
            try db.execute(sql: "PRAGMA user_version = \(SessionFile.version)")
        }
    }

    /// Puts values into the columns, the usual ones where there are no more.
    func set(_ values: [DatabaseValue]) {
        let usual: [String: DatabaseValue] = [
            "events": Data("[]".utf8).databaseValue,
            "request": Data(#"{"method":{"name":":method","value":"GET"}}"#.utf8).databaseValue,
            "method": "GET".databaseValue, "url": "/".databaseValue, "key": "k".databaseValue,
        ]
        let rest = Self.columns.dropFirst(values.count).map { usual[$0] ?? 1.databaseValue }
        let marks = Array(repeating: "?", count: Self.columns.count).joined(separator: ", ")
        try? queue.write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO exchange VALUES (1, \(marks))",
                arguments: StatementArguments(values + rest)
            )
        }
    }
}
