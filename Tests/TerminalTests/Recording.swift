import Glibc
import Testing

/// Writes generated sources back, for tests that are asked to record.
enum Recording {
    /// `path` is below `Sources`.
    static func write(_ text: String, to path: String, test: String = #filePath) throws {
        let root = test.split(separator: "/").dropLast(3).joined(separator: "/")
        let file = try #require(fopen("/\(root)/Sources/\(path)", "w"))
        fputs(text, file)
        fclose(file)
    }
}
