import CZlib
import Documents
import FoundationEssentials

/// Formats times, given in seconds since 1970.
enum Moment {
    /// RFC 3339: `2026-11-21T03:12:44Z`.
    static func timestamp(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds.rounded(.down)).formatted(.iso8601)
    }

    /// RFC 9110 section 5.6.7: `Sat, 21 Nov 2026 03:12:44 GMT`.
    static func httpDate(_ seconds: Double) -> String {
        HTTPDate.format(Date(timeIntervalSince1970: seconds))
    }
}

extension JSON {
    /// A number that is written exactly as this text, such as "1.50".
    static func number(_ text: String) -> JSON { JSON(numberText: text) ?? .null }

    /// An amount of money given in cents.
    static func cents(_ amount: Int) -> JSON {
        let part = String(amount.magnitude % 100)
        let padded = part.utf8.count == 1 ? "0" + part : part
        return .number("\(amount < 0 ? "-" : "")\(amount.magnitude / 100).\(padded)")
    }

    /// The object with a member added at the end.
    func adding(_ name: String, _ value: JSON) -> JSON {
        var object = self
        object[name] = value
        return object
    }

    /// The value as text, indented by two spaces, with a line end.
    var pretty: [UInt8] { Array("\(text(.pretty) ?? "null")\n".utf8) }

    /// The value as text on one line, without a line end.
    var compact: [UInt8] { Array((text() ?? "null").utf8) }
}

enum Zlib {
    /// The wrapper of a DEFLATE stream.
    enum Format: Sendable { case zlib, gzip }

    static func compress(_ input: [UInt8], as format: Format) -> [UInt8] {
        let form = format == .zlib ? CZLIB_FORMAT_ZLIB : CZLIB_FORMAT_GZIP
        return [UInt8](unsafeUninitializedCapacity: czlib_bound(input.count)) { output, count in
            guard let start = output.baseAddress else { return }
            count = czlib_compress(input, input.count, Int32(form), start)
        }
    }
}

/// The checksum of gzip and PNG, updated piece by piece.
struct CRC32: Sendable {
    private(set) var value: UInt32 = 0

    /// The value as eight hexadecimal digits.
    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    init() {}

    init(of bytes: some Sequence<UInt8>) {
        update(bytes)
    }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        value = UInt32(truncatingIfNeeded: crc32_z(UInt(value), bytes, bytes.count))
    }
}
