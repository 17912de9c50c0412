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
