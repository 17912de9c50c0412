/// One directive of a `Cache-Control` field (RFC 9111, 5.2).
struct CacheDirective: Sendable, Equatable {
    /// What stands behind the name.
    enum Argument: Sendable, Equatable {
        case none
        /// The text, without its quotes if it had some.
        case text(String)
        /// Something that the grammar does not allow.
        case invalid(String)
    }

    /// In lower case.
    let name: String
    let argument: Argument

    /// What stands between two commas; nil if it does not begin with a name.
    init?(_ member: Substring) {
        let bytes = member.utf8
        let nameEnd = bytes.firstIndex { !Self.isTokenByte($0) } ?? bytes.endIndex
        guard nameEnd > bytes.startIndex else { return nil }
        name = member[..<nameEnd].lowercased()
        let rest = member[nameEnd...]
        if rest.isEmpty {
            argument = .none
        } else if rest.utf8.first == UInt8(ascii: "=") {
            argument = Self.argument(rest.dropFirst())
        } else {
            // Blanks around "=", or something like "; x": the name counts, its argument does not.
            argument = .invalid(String(rest))
        }
    }

    /// As it was written, but for the case of the name.
    var text: String {
        switch argument {
        case .none: name
        case .text(let text): "\(name)=\(text)"
        case .invalid(let text): name + text
        }
    }

    /// The argument as a time; nil if it is not one, or missing.
    var seconds: Duration? {
        guard case .text(let text) = argument else { return nil }
        return DeltaSeconds.parse(text)
    }

    private static func argument(_ text: Substring) -> Argument {
        if let content = quotedContent(text) { return .text(content) }
        return !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
            ? .text(String(text)) : .invalid("=\(text)")
    }

    private static func quotedContent(_ text: Substring) -> String? {
        var bytes = text.utf8[...]
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""),
            bytes.last == UInt8(ascii: "\"")
        else { return nil }
        bytes = bytes.dropFirst().dropLast()
        var content: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                guard let escaped = bytes.popFirst() else { return nil }
                content.append(escaped)
            case UInt8(ascii: "\""): return nil
            default: content.append(byte)
            }
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// Whether a byte may stand in a token (RFC 9110, 5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
