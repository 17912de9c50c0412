/// A query as RFC 9535 defines them, such as `$..orders[?@.total > 10].id`; parsed and checked.
///
/// It holds no document and may be kept, shared between threads and asked of any number of them.
/// Equal queries are equal whatever their blanks and quotes are.
public struct JSONPath: Hashable, Sendable {
    let segments: [QuerySegment]
    /// How many queries that begin with `$` its filters hold.
    let absoluteQueryCount: Int

    /// Parses a query; nothing may stand before its `$` or behind its last segment.
    ///
    /// - Throws: `JSONPathError` for what is not well-formed and for what is not valid: integers
    ///   beyond ±(2^53 - 1), functions that do not exist or are given what they do not take.
    public init(_ text: String) throws(JSONPathError) {
        var parser = QueryParser(text)
        segments = try parser.parseQuery()
        absoluteQueryCount = parser.absoluteQueryCount
    }

    /// Parses a short path such as `data>list`, `a.b[0]` or `a.b.0`.
    ///
    /// Steps are parted by `.` or `>`. A step of digits is an element of an array or a member of
    /// that name; `*` is all of them. A name with other characters stands in quotes or in brackets
    /// and quotes (`a.'b.c'`, `a['b.c']`), or has a backslash before each of them (`a.b\.c`).
    /// - Throws: `JSONPathError`, with the column.
    public init(shortPath text: String) throws(JSONPathError) {
        var parser = ShortPathParser(text)
        segments = try parser.parse()
        absoluteQueryCount = 0
    }

    /// Parses either form: a text that begins with `$`, alone or before `.`, `[` or a blank, is
    /// RFC 9535, everything else a short path.
    ///
    /// - Throws: `JSONPathError`, with the column.
    public init(parsing text: String) throws(JSONPathError) {
        let start = text.utf8.prefix(2)
        let isQuery =
            start.first == 0x24 && (start.count == 1 || ".[ \t\r\n".utf8.contains(start.last ?? 0))
        if isQuery { try self.init(text) } else { try self.init(shortPath: text) }
    }

    /// Whether it finds one value at most, in documents without repeated names.
    public var isSingular: Bool { segments.allSatisfy { $0.isSingular || $0.isPlace } }
}
