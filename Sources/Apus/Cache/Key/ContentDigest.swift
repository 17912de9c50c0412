import FoundationEssentials
import Glibc

/// SHA-256 as 64 hexadecimal digits.
package enum ContentDigest {
    /// The digest of bytes in memory.
    package static func hex(of bytes: [UInt8]) -> String {
        hex(SHA256.hash(bytes))
    }

    /// The digest of a text's UTF-8.
    package static func hex(of text: String) -> String { hex(of: Array(text.utf8)) }

    /// The digest and size of a file, read in pieces; nil if it cannot be read.
    package static func hex(ofFile path: String) -> (digest: String, count: Int)? {
        var state = SHA256()
        guard let count = add(file: path, to: &state) else { return nil }
        return (hex(state.finalize()), count)
    }

    /// Adds a file's bytes; gives their number, or nil if it cannot be read.
    static func add(file path: String, to state: inout SHA256) -> Int? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // What is no ordinary file may have no end.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        var count = 0
        let isWhole = FilePieces.forEach(of: descriptor) { piece in
            state.update(piece)
            count += piece.count
            return true
        }
        return isWhole ? count : nil
    }

    static func hex(_ digest: some Sequence<UInt8>) -> String {
        String(unsafeUninitializedCapacity: 64) { text in
            var count = 0
            for byte in digest.prefix(32) {
                text[count] = digit(byte >> 4)
                text[count + 1] = digit(byte & 15)
                count += 2
            }
            return count
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }
}
