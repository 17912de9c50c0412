/// A JSON Pointer (RFC 6901), such as `/orders/0/name`.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// The pointer to the whole document.
    public static let root = JSONPointer(escaped: [])

    /// The text in UTF-8; a lone surrogate in a key keeps its three bytes.
    let escaped: [UInt8]

    init(escaped: [UInt8]) {
        self.escaped = escaped
    }

    /// Parses a pointer; nil if it is nonempty without a leading `/`, or has a `~` not followed by 0 or 1.
    public init?(_ text: String) {
        self.init(checking: Array(text.utf8))
    }

    init?(checking escaped: [UInt8]) {
        guard escaped.isEmpty || escaped[0] == 0x2F else { return nil }
        for (index, byte) in escaped.enumerated() where byte == 0x7E {
            guard index + 1 < escaped.count, escaped[index + 1] | 1 == 0x31 else { return nil }
        }
        self.escaped = escaped
    }

    /// The pointer as text.
    public var description: String { String(decoding: escaped, as: UTF8.self) }

    /// The names and indexes along the path, with `~1` and `~0` decoded.
    var tokens: [[UInt8]] {
        guard !escaped.isEmpty else { return [] }
        return escaped.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
            .map(Self.unescaped)
    }

    /// Whether the pointer leads into the value that `other` leads to.
    func isInside(_ other: JSONPointer) -> Bool {
        escaped.count > other.escaped.count && escaped.starts(with: other.escaped)
            && escaped[other.escaped.count] == 0x2F
    }

    private static func unescaped(_ token: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(token.count)
        var isEscape = false
        for byte in token {
            if isEscape {
                decoded.append(byte == 0x31 ? 0x2F : 0x7E)
                isEscape = false
            } else if byte == 0x7E {
                isEscape = true
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

    /// Appends a `/` and a name, with `~` and `/` escaped.
    static func append(_ name: some Sequence<UInt8>, to path: inout [UInt8]) {
        path.append(0x2F)
        for byte in name {
            switch byte {
            case 0x7E: path += [0x7E, 0x30]
            case 0x2F: path += [0x7E, 0x31]
            default: path.append(byte)
            }
        }
    }
}
