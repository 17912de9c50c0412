import HTTPTypes

/// Heads and fields of answers that came lately.
///
/// The answers to one resource often have one head for as long as their `Date` is the same, and
/// most fields of an answer are those of the one before (`Server`, `Content-Type`).
final class RecentHeads {
    private let heads = RecentlySeen<CopyOnWriteBox<ParsedHead>>(placeBits: 4, maximumLength: 1024)
    private let fields = RecentlySeen<HTTPField>(placeBits: 6, maximumLength: 128)

    /// The head that lines make, with their ends but without the empty line; nil if there
    /// are none.
    func head(_ lines: UnsafeRawBufferPointer) -> CopyOnWriteBox<ParsedHead>? {
        if let known = heads.last(for: lines) { return known }
        let place = heads.place(of: lines)
        if let place, let known = heads.value(of: lines, at: place) { return known }
        guard let head = ParsedHead(lines, self).map(CopyOnWriteBox.init) else { return nil }
        // Cookies are not for keeping.
        if let place, head.value.response.headerFields[.setCookie] == nil {
            heads.note(head, of: lines, at: place)
        }
        return head
    }

    /// The field that a line without its end makes; nil if it is none.
    func field(_ line: UnsafeRawBufferPointer) -> HTTPField? {
        let place = fields.place(of: line)
        if let place, let known = fields.value(of: line, at: place) { return known }
        guard let field = HTTPField(line) else { return nil }
        if let place, field.name != .setCookie { fields.note(field, of: line, at: place) }
        return field
    }
}

extension HTTPField {
    /// Reads a line of a head; nil if it has no name (RFC 9112, section 5).
    fileprivate init?(_ line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return nil }
        self.init(name: name, lenientValue: line[(colon + 1)...].trimmed)
    }
}
