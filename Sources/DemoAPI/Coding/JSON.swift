/// A JSON value that keeps its members in the order written.
enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    /// A number by its text, such as money with two decimals.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    struct Member: Sendable, Hashable {
        let name: String
        let value: JSON
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }

    init(arrayLiteral elements: JSON...) {
        self = .array(elements)
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByNilLiteral {
    init(nilLiteral: ()) { self = .null }
}

extension JSON {
    /// An amount of money given in cents.
    static func cents(_ amount: Int) -> JSON {
        let part = String(amount.magnitude % 100)
        let padded = part.utf8.count == 1 ? "0" + part : part
        return .number("\(amount < 0 ? "-" : "")\(amount.magnitude / 100).\(padded)")
    }

    /// Puts more members after those of an object.
    func adding(_ name: String, _ value: JSON) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members + [Member(name: name, value: value)])
    }
}

extension JSON {
    /// The value in two-space indentation with a line end, as people read it.
    var pretty: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1024)
        write(into: &bytes, indentation: 0)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// The value on one line, without a line end.
    var compact: [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes, indentation: nil)
        return bytes
    }

    private func write(into bytes: inout [UInt8], indentation: Int?) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): Self.quote(text, into: &bytes)
        case .array(let items):
            Self.writeList(items, "[", "]", into: &bytes, indentation) { item, bytes, depth in
                item.write(into: &bytes, indentation: depth)
            }
        case .object(let members):
            Self.writeList(members, "{", "}", into: &bytes, indentation) { member, bytes, depth in
                Self.quote(member.name, into: &bytes)
                bytes.append(contentsOf: (depth == nil ? ":" : ": ").utf8)
                member.value.write(into: &bytes, indentation: depth)
            }
        }
    }

    private static func writeList<Element>(
        _ elements: [Element],
        _ open: String,
        _ close: String,
        into bytes: inout [UInt8],
        _ indentation: Int?,
        write: (Element, inout [UInt8], Int?) -> Void
    ) {
        bytes.append(contentsOf: open.utf8)
        let inner = indentation.map { $0 + 1 }
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            startLine(inner, in: &bytes)
            write(element, &bytes, inner)
        }
        if !elements.isEmpty { startLine(indentation, in: &bytes) }
        bytes.append(contentsOf: close.utf8)
    }

    private static func startLine(_ indentation: Int?, in bytes: inout [UInt8]) {
        guard let indentation else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indentation * 2))
    }

    private static func quote(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
