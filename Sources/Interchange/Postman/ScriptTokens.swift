/// A script of JavaScript in tokens; what cannot be read ends it.
struct ScriptTokens {
    enum Kind: Equatable {
        case name(String)
        case text(String)
        case number(String)
        case pattern(String, flags: String)
        case sign(String)
    }

    struct Token {
        let kind: Kind
        let range: Range<Int>
        /// Whether a line ends before it.
        let beginsLine: Bool

        func isSign(_ sign: String) -> Bool { kind == .sign(sign) }
        func isName(_ name: String) -> Bool { kind == .name(name) }
    }

    let bytes: [UInt8]
    private(set) var tokens: [Token] = []
    private(set) var comments: [String] = []
    private var at = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
        scan()
    }

    /// The source of tokens.
    func source(_ range: Range<Int>) -> String {
        guard !range.isEmpty else { return "" }
        let start = tokens[range.lowerBound].range.lowerBound
        let end = tokens[range.upperBound - 1].range.upperBound
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private mutating func scan() {
        var hasLine = true
        while at < bytes.count {
            let byte = bytes[at]
            let start = at
            if byte == 0x0A || byte == 0x0D { hasLine = true }
            if byte <= 0x20 {
                at += 1
                continue
            }
            if byte == UInt8(ascii: "/"), at + 1 < bytes.count, skipComment() { continue }
            let kind = token(byte)
            tokens.append(Token(kind: kind, range: start..<at, beginsLine: hasLine))
            hasLine = false
        }
    }

    private mutating func skipComment() -> Bool {
        let start = at
        if bytes[at + 1] == UInt8(ascii: "/") {
            while at < bytes.count, bytes[at] != 0x0A { at += 1 }
        } else if bytes[at + 1] == UInt8(ascii: "*") {
            at += 2
            while at < bytes.count,
                !(bytes[at] == UInt8(ascii: "/") && bytes[at - 1] == UInt8(ascii: "*")
                    && at > start + 2)
            {
                at += 1
            }
            at = min(at + 1, bytes.count)
        } else {
            return false
        }
        comments.append(String(decoding: bytes[start..<at], as: UTF8.self).trimmingBlanks)
        return true
    }

    private static func isNamed(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
            || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }

    private mutating func token(_ byte: UInt8) -> Kind {
        let start = at
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): return quoted(byte)
        case 0x30...0x39:
            while at < bytes.count, Self.isNamed(bytes[at]) || bytes[at] == UInt8(ascii: ".") {
                at += 1
            }
            return .number(String(decoding: bytes[start..<at], as: UTF8.self))
        case UInt8(ascii: "/") where mayBePattern:
            if let pattern = pattern() { return pattern }
            at = start + 1
            return .sign("/")
        case _ where Self.isNamed(byte):
            while at < bytes.count, Self.isNamed(bytes[at]) { at += 1 }
            let name = String(decoding: bytes[start..<at], as: UTF8.self)
            // Insomnia has the same functions under its own name.
            return .name(name == "insomnia" ? "pm" : name)
        default:
            for sign in ["===", "!==", "...", "=>", "==", "!=", "<=", ">=", "&&", "||", "?."]
            where bytes[at...].starts(with: sign.utf8) {
                at += sign.utf8.count
                return .sign(sign)
            }
            at += 1
            return .sign(String(decoding: [byte], as: UTF8.self))
        }
    }

    private var mayBePattern: Bool {
        switch tokens.last?.kind {
        case nil: true
        case .sign(let sign)?: ![")", "]", "}"].contains(sign)
        case .name(let name)?: name == "return"
        default: false
        }
    }

    private mutating func pattern() -> Kind? {
        let start = at + 1
        at += 1
        var isClass = false
        while at < bytes.count, bytes[at] != 0x0A {
            switch bytes[at] {
            case UInt8(ascii: "\\"): at += 1
            case UInt8(ascii: "["): isClass = true
            case UInt8(ascii: "]"): isClass = false
            case UInt8(ascii: "/") where !isClass:
                let text = String(decoding: bytes[start..<at], as: UTF8.self)
                at += 1
                let flags = at
                while at < bytes.count, Self.isNamed(bytes[at]) { at += 1 }
                return .pattern(text, flags: String(decoding: bytes[flags..<at], as: UTF8.self))
            default: break
            }
            at += 1
        }
        return nil
    }

    private mutating func quoted(_ quote: UInt8) -> Kind {
        let start = at
        var text: [UInt8] = []
        var isPlain = true
        at += 1
        while at < bytes.count, bytes[at] != quote {
            if bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count {
                at += 1
                switch bytes[at] {
                case UInt8(ascii: "n"): text.append(0x0A)
                case UInt8(ascii: "t"): text.append(0x09)
                case UInt8(ascii: "r"): text.append(0x0D)
                case UInt8(ascii: "u"), UInt8(ascii: "x"), 0x0A, 0x0D: isPlain = false
                default: text.append(bytes[at])
                }
            } else {
                if quote == UInt8(ascii: "`"), bytes[at] == UInt8(ascii: "$"), at + 1 < bytes.count,
                    bytes[at + 1] == UInt8(ascii: "{")
                {
                    isPlain = false
                }
                text.append(bytes[at])
            }
            at += 1
        }
        at = min(at + 1, bytes.count)
        guard isPlain else { return .sign(String(decoding: bytes[start..<at], as: UTF8.self)) }
        return .text(String(decoding: text, as: UTF8.self))
    }
}
