import FoundationEssentials
import Glibc
import Synchronization

/// A folder of its own for a test; gone, with all that is in it, with the last reference.
package final class TemporaryFolder: Sendable {
    private static let made = Mutex<[String]>([])

    package let path: String

    /// Makes it, with these folders in it.
    package init(_ folders: String...) {
        path = Self.make()
        for folder in folders { mkdir("\(path)/\(folder)", 0o700) }
    }

    /// A new folder, which goes with the process at the latest: what a test has begun may still write to it
    /// while it is removed.
    package static func make() -> String {
        var template = Array("/tmp/apus-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            preconditionFailure("no folder can be made in /tmp: error \(errno)")
        }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let isFirst = made.withLock { made in
            defer { made.append(path) }
            return made.isEmpty
        }
        if isFirst { atexit { TemporaryFolder.removeAll() } }
        return path
    }

    private static func removeAll() { made.withLock { $0.forEach(remove) } }

    private static func remove(_ path: String) {
        // A folder that stays behind in /tmp fails no test.
        try? FileManager.default.removeItem(atPath: path)
    }

    deinit { Self.remove(path) }

    /// Writes a file in it and gives its path.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Self.write(bytes, to: file)
        return file
    }

    package static func write(_ bytes: some Sequence<UInt8>, to file: String) throws {
        try Data(bytes).write(to: URL(filePath: file))
    }

    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try write(text.utf8, to: name)
    }
}
