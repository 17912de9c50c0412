import Documents
import FoundationEssentials
import Synchronization

/// Known secrets, found in a text in every form that a text may have them in.
///
/// A secret's bytes may each stand as they are, percent-encoded in either case (RFC 3986, 2.1), also
/// twice, as a form has a space, or as JSON escapes them: all of that is read while comparing, so that
/// partly encoded ones are found too. Beside it a secret is looked for in base64 and in lower case, as
/// host names are.
///
/// A text is gone through once; a byte that begins no secret costs one look at a table.
struct SecretForms: Sendable {
    /// Shorter ones are masked only where they are a word of their own: `7` would take the sevens out of
    /// every number, and show by that what it is.
    private static let shortest = 4

    private struct Pattern: Sendable {
        var bytes: [UInt8]
        var isWord = false
        var isBase64 = false
    }

    /// Those of the last sets: a workspace's requests have the same secrets again and again, and working
    /// out their forms takes longer than looking for them in a line.
    private static let known = Mutex<[Set<String>: SecretForms]>([:])
    private static let knownLimit = 64

    /// The longest first.
    private var patterns: [Pattern] = []
    /// Whether a secret may begin with a byte.
    private var mayBegin: [Bool] = []

    var isEmpty: Bool { patterns.isEmpty }

    /// The forms of a set of secrets.
    static func of(_ secrets: Set<String>) -> SecretForms {
        guard !secrets.isEmpty else { return SecretForms([]) }
        if let forms = known.withLock({ $0[secrets] }) { return forms }
        let forms = SecretForms(secrets)
        known.withLock { known in
            if known.count >= knownLimit { known.removeAll() }
            known[secrets] = forms
        }
        return forms
    }

    private init(_ secrets: Set<String>) {
        var found: [[UInt8]: Pattern] = [:]
        for secret in secrets where !secret.isEmpty {
            let isWord = secret.utf8.count < Self.shortest
            for text in [secret, secret.lowercased(), PercentEncoding.decoded(secret) ?? secret]
            where !text.isEmpty {
                let bytes = Array(text.utf8)
                found[bytes] = found[bytes] ?? Pattern(bytes: bytes, isWord: isWord)
            }
            guard !isWord else { continue }
            for text in Self.base64(of: secret) {
                let bytes = Array(text.utf8)
                found[bytes] = found[bytes] ?? Pattern(bytes: bytes, isBase64: true)
            }
        }
        guard !found.isEmpty else { return }
        patterns = found.values.sorted { $0.bytes.count > $1.bytes.count }
        mayBegin = Array(repeating: false, count: 256)
        for pattern in patterns {
            guard let first = pattern.bytes.first else { continue }
            mayBegin[Int(first)] = true
            if first == UInt8(ascii: " ") { mayBegin[Int(UInt8(ascii: "+"))] = true }
        }
        mayBegin[Int(UInt8(ascii: "%"))] = true
        mayBegin[Int(UInt8(ascii: "\\"))] = true
    }

    /// Standard and for URLs, without the `=` at their ends.
    private static func base64(of secret: String) -> [String] {
        let standard = Data(secret.utf8).base64EncodedString().prefix { $0 != "=" }
        let forURLs = standard.replacing("+", with: "-").replacing("/", with: "_")
        return [String(standard), String(forURLs)]
    }

    /// The text with `mask` for each secret; nil if it has none.
    func masking(_ text: UnsafeBufferPointer<UInt8>, with mask: String) -> [UInt8]? {
        guard !patterns.isEmpty else { return nil }
        var result: [UInt8] = []
        var done = 0
        var position = 0
        while position < text.count {
            guard var end = end(at: position, in: text) else {
                position += 1
                continue
            }
            result += text[done..<position]
            result += Array(mask.utf8)
            // One may begin in another and go on behind its end.
            while position < end {
                if let other = self.end(at: position, in: text) { end = max(end, other) }
                position += 1
            }
            done = end
        }
        return done == 0 ? nil : result + text[done...]
    }

    /// Where a secret that begins at `position` ends.
    private func end(at position: Int, in text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard mayBegin[Int(text[position])] else { return nil }
        for pattern in patterns {
            guard var end = Self.end(of: pattern.bytes[...], at: position, in: text) else {
                continue
            }
            if pattern.isWord, !Self.isWord(position..<end, in: text) { continue }
            if pattern.isBase64 { while end < text.count, text[end] == 0x3D { end += 1 } }
            return end
        }
        return nil
    }

    private static func isWord(_ range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let before = range.lowerBound > 0 ? text[range.lowerBound - 1] : 0x20
        let after = range.upperBound < text.count ? text[range.upperBound] : 0x20
        return !isLetterOrDigit(before) && !isLetterOrDigit(after)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }

    // MARK: comparing

    /// Where the text has got through all of a secret's bytes.
    private static func end(
        of secret: ArraySlice<UInt8>,
        at start: Int,
        in text: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        var (secret, position) = (secret, start)
        while let wanted = secret.first {
            guard position < text.count else { return nil }
            let byte = text[position]
            if byte == wanted {
                // `%` and `\` may stand for themselves or begin an escape.
                guard byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\"),
                    let escape = escape(of: secret, at: position, in: text)
                else {
                    secret = secret.dropFirst()
                    position += 1
                    continue
                }
                if let end = end(of: secret.dropFirst(), at: position + 1, in: text) { return end }
                secret = secret.dropFirst(escape.taken)
                position += escape.length
            } else if byte == UInt8(ascii: "+"), wanted == UInt8(ascii: " ") {
                secret = secret.dropFirst()
                position += 1
            } else if let escape = escape(of: secret, at: position, in: text) {
                secret = secret.dropFirst(escape.taken)
                position += escape.length
            } else {
                return nil
            }
        }
        return position
    }

    /// How many bytes of the secret an escape stands for, and how long it is; nil if it is none of them.
    private static func escape(
        of secret: ArraySlice<UInt8>,
        at position: Int,
        in text: UnsafeBufferPointer<UInt8>
    ) -> (taken: Int, length: Int)? {
        guard let wanted = secret.first else { return nil }
        switch text[position] {
        case UInt8(ascii: "%"):
            guard let value = hex(2, at: position + 1, in: text) else { return nil }
            if value == UInt32(wanted) { return (1, 3) }
            guard value == 0x25, hex(2, at: position + 3, in: text) == UInt32(wanted) else {
                return nil
            }
            return (1, 5)
        case UInt8(ascii: "\\"): return jsonEscape(of: secret, at: position, in: text)
        default: return nil
        }
    }

    private static func jsonEscape(
        of secret: ArraySlice<UInt8>,
        at position: Int,
        in text: UnsafeBufferPointer<UInt8>
    ) -> (taken: Int, length: Int)? {
        guard position + 1 < text.count else { return nil }
        let value: UInt8
        switch text[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): value = text[position + 1]
        case UInt8(ascii: "n"): value = 0x0A
        case UInt8(ascii: "t"): value = 0x09
        case UInt8(ascii: "r"): value = 0x0D
        case UInt8(ascii: "b"): value = 0x08
        case UInt8(ascii: "f"): value = 0x0C
        case UInt8(ascii: "u"): return unicodeEscape(of: secret, at: position, in: text)
        default: return nil
        }
        return secret.first == value ? (1, 2) : nil
    }

    /// `\u00e9`, or two for what is beyond the first plane (RFC 8259, section 7).
    private static func unicodeEscape(
        of secret: ArraySlice<UInt8>,
        at position: Int,
        in text: UnsafeBufferPointer<UInt8>
    ) -> (taken: Int, length: Int)? {
        guard var value = hex(4, at: position + 2, in: text) else { return nil }
        var length = 6
        if (0xD800..<0xDC00).contains(value), position + 7 < text.count,
            text[position + 6] == UInt8(ascii: "\\"), text[position + 7] == UInt8(ascii: "u"),
            let low = hex(4, at: position + 8, in: text), (0xDC00..<0xE000).contains(low)
        {
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            length = 12
        }
        guard let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar),
            secret.starts(with: bytes)
        else { return nil }
        return (bytes.count, length)
    }

    private static func hex(
        _ digits: Int,
        at position: Int,
        in text: UnsafeBufferPointer<UInt8>
    ) -> UInt32? {
        guard position + digits <= text.count else { return nil }
        var value: UInt32 = 0
        for byte in text[position..<position + digits] {
            guard let digit = HexDigit.value(byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
