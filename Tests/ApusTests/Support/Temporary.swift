import Glibc
import TestSupport

@testable import Apus

/// Files and folders for one test.
enum Temporary {
    /// Whether a cache's writing was begun before or after, or never: nothing is written from here on.
    private static let flushesAtExit: Void = { _ = atexit { ExitFlush.run() } }()

    /// A new folder, which goes with the process.
    static func folder() -> String {
        let path = TemporaryFolder.make()
        // Behind that of the folders: what is registered last runs first.
        flushesAtExit
        return path
    }

    static func write(_ text: String, to path: String) throws {
        try write(Array(text.utf8), to: path)
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "w") else { throw RawServer.Failure(errno: errno) }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw RawServer.Failure(errno: errno)
        }
    }

    /// The text of a file; nil if it cannot be read.
    static func text(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The names in a folder.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
