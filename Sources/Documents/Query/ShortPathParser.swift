/// Parses `data>list`, `a.b[0]`, `a.0.'b.c'` to the segments of a query, and jq's `.a[]`, `.[0]`.
struct ShortPathParser {
    private var cursor: QueryCursor

    init(_ text: String) {
        cursor = QueryCursor(text)
    }

    mutating func parse() throws(JSONPathError) -> [QuerySegment] {
        var segments: [QuerySegment] = []
        cursor.skipBlanks()
        let isDotted = cursor.skip(".")
        if isDotted, cursor.isAtEnd { return segments }
        if cursor.byte != 0x5B { segments.append(try step()) }
        while true {
            cursor.skipBlanks()
            if cursor.isAtEnd { return segments }
            if cursor.byte == 0x5B {
                segments.append(try bracket())
            } else if cursor.skip(".") || cursor.skip(">") {
                cursor.skipBlanks()
                segments.append(try cursor.byte == 0x5B ? bracket() : step())
            } else {
                throw cursor.unexpected("., > or [")
            }
        }
    }

    private mutating func step() throws(JSONPathError) -> QuerySegment {
        if cursor.byte == 0x22 || cursor.byte == 0x27 {
            return Self.segment(.name(try cursor.quotedString()))
        }
        let (name, hasEscapes) = try plainName()
        guard !name.isEmpty else { throw cursor.unexpected("a name or an index") }
        if hasEscapes { return Self.segment(.name(QueryName(name))) }
        if name == "*" { return Self.segment(.wildcard) }
        guard let index = Self.place(name) else {
            return Self.segment(.name(QueryName(name)))
        }
        return QuerySegment(
            isDescendant: false,
            selectors: [.name(QueryName(name)), .index(index)]
        )
    }

    /// The characters up to the next separator, without surrounding white space.
    private mutating func plainName() throws(JSONPathError) -> (name: String, hasEscapes: Bool) {
        var name: [UInt8] = []
        var kept = 0
        var hasEscapes = false
        while !cursor.isAtEnd, !isSeparator {
            guard cursor.byte != 0x5D else { throw cursor.unexpected("a name or an index") }
            let isEscaped = cursor.byte == 0x5C
            if isEscaped {
                hasEscapes = true
                cursor.at += 1
                guard !cursor.isAtEnd else { throw cursor.unexpected("a character after \\") }
            }
            name.append(cursor.byte)
            if isEscaped || !cursor.isBlank { kept = name.count }
            cursor.at += 1
        }
        return (String(decoding: name[..<kept], as: UTF8.self), hasEscapes)
    }

    private var isSeparator: Bool {
        cursor.byte == 0x2E || cursor.byte == 0x3E || cursor.byte == 0x5B
    }

    /// The index that a step of digits stands for; nil for a name.
    private static func place(_ name: String) -> Int? {
        let digits = name.utf8
        guard digits.allSatisfy({ $0 &- 0x30 < 10 }), digits.first != 0x30 || digits.count == 1,
            let index = Int(name), index < 1 << 53
        else { return nil }
        return index
    }

    private mutating func bracket() throws(JSONPathError) -> QuerySegment {
        cursor.at += 1
        cursor.skipBlanks()
        let selector: QuerySelector
        switch cursor.byte {
        case 0x5D where !cursor.isAtEnd: selector = .wildcard
        case 0x22, 0x27: selector = .name(try cursor.quotedString())
        case 0x2D, 0x30...0x39: selector = .index(try cursor.integer())
        case 0x2A:
            cursor.at += 1
            selector = .wildcard
        default: throw cursor.unexpected("an index, * or a name in quotes")
        }
        cursor.skipBlanks()
        guard cursor.skip("]") else { throw cursor.unexpected("]") }
        return Self.segment(selector)
    }

    private static func segment(_ selector: QuerySelector) -> QuerySegment {
        QuerySegment(isDescendant: false, selectors: [selector])
    }
}
