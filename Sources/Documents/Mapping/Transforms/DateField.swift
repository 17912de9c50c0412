/// A part of a date's format.
enum DateField: Sendable, Equatable {
    case literal(String)
    case number(any WritableKeyPath<DateParts, Int> & Sendable, digits: Int)
    case offset

    static func fields(of format: String) -> [DateField] {
        var fields: [DateField] = []
        var rest = format[...]
        while let letter = rest.first {
            if letter == "'" {
                fields.append(.literal(quoted(&rest)))
                continue
            }
            let run = rest.prefix { $0 == letter }
            fields.append(field(letter, String(run)))
            rest = rest.dropFirst(run.count)
        }
        return fields
    }

    /// What stands between quotes; two of them are one, inside and by themselves.
    private static func quoted(_ rest: inout Substring) -> String {
        rest = rest.dropFirst()
        if rest.first == "'" {
            rest = rest.dropFirst()
            return "'"
        }
        var text = ""
        while let letter = rest.popFirst() {
            if letter == "'" {
                guard rest.first == "'" else { break }
                rest = rest.dropFirst()
            }
            text.append(letter)
        }
        return text
    }

    private static func field(_ letter: Character, _ run: String) -> DateField {
        switch letter {
        case "y": .number(\.year, digits: 4)
        case "M": .number(\.month, digits: 2)
        case "d": .number(\.day, digits: 2)
        case "H": .number(\.hour, digits: 2)
        case "m": .number(\.minute, digits: 2)
        case "s": .number(\.second, digits: 2)
        case "S": .number(\.millisecond, digits: 3)
        case "Z", "X": .offset
        default: .literal(run)
        }
    }

    // MARK: - Reading

    func read(_ text: inout ArraySlice<UInt8>, into parts: inout DateParts) -> Bool {
        switch self {
        case .literal(let literal):
            guard text.starts(with: literal.utf8) else { return false }
            text = text.dropFirst(literal.utf8.count)
        case .number(let part, let digits):
            guard let value = Self.number(&text, digits) else { return false }
            parts[keyPath: part] = value
        case .offset:
            guard let offset = Self.offset(&text) else { return false }
            parts.offset = offset
        }
        return true
    }

    private static func number(_ text: inout ArraySlice<UInt8>, _ digits: Int) -> Int? {
        let run = text.prefix(digits)
        guard run.count == digits, run.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        text = text.dropFirst(digits)
        return run.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func offset(_ text: inout ArraySlice<UInt8>) -> Int? {
        guard let sign = text.popFirst() else { return nil }
        if sign == 0x5A { return 0 }
        guard sign == 0x2B || sign == 0x2D, let hours = number(&text, 2) else { return nil }
        if text.first == 0x3A { text = text.dropFirst() }
        guard let minutes = number(&text, 2) else { return nil }
        return (sign == 0x2D ? -60 : 60) * (hours * 60 + minutes)
    }

    // MARK: - Writing

    func text(_ parts: DateParts) -> String {
        switch self {
        case .literal(let literal): return literal
        case .number(let part, let digits): return Self.padded(parts[keyPath: part], digits)
        case .offset:
            guard parts.offset != 0 else { return "Z" }
            let minutes = abs(parts.offset) / 60
            let sign = parts.offset < 0 ? "-" : "+"
            return sign + Self.padded(minutes / 60, 2) + ":" + Self.padded(minutes % 60, 2)
        }
    }

    private static func padded(_ value: Int, _ digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
