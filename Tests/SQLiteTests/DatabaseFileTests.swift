import TestSupport
import Testing

@testable import SQLite

struct DatabaseFileTests {
    private let folder = TemporaryFolder()
    private var path: String { "\(folder.path)/file.sqlite" }

    @Test("the bytes of a file are read and written, as far as there are any")
    func bytes() throws {
        try folder.write("0123456789", to: "file.sqlite")
        let file = try DatabaseFile(path: path, isReadOnly: false)
        try file.write(Array("ab".utf8), at: 4)
        #expect(try file.bytes(2..<8) == Array("23ab67".utf8))
        #expect(try file.bytes(8..<100) == Array("89".utf8))
        #expect(try file.bytes(10..<100).isEmpty && file.bytes(50..<100).isEmpty)
        #expect(throws: DatabaseError.self) { try DatabaseFile(path: "\(path)-none") }
        #expect(throws: DatabaseError.self) {
            try DatabaseFile(path: path).write([1], at: 0)
        }
    }

    @Test("reading the bytes of a file leaves the locks that other connections have on it")
    func locks() throws {
        let pool = try DatabasePool(path: path)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        #expect(try DatabaseFile(path: path).bytes(0..<16) == Array("SQLite format 3\0".utf8))
        #expect(DatabaseLocks.areHeld(on: path))
        try pool.close()
        #expect(!DatabaseLocks.areHeld(on: path))
    }
}
