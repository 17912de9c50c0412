import Glibc

/// Reads server-sent events as the HTML standard does (9.2.6), as an array of events.
///
/// An event has `comment`, `event`, `id`, `retry`, other fields by their names, and `data`; absent fields
/// are left out. Data that is JSON is nested as it is. Events that browsers would drop, such as one
/// without data or an unfinished last one, are included.
enum EventStreamReader {
    static func read(_ out: inout JSONConversion) {
        var at = out.start
        let end = out.text.count
        var event = EventStreamEvent()
        var lines = LineEnds(out.text)
        out.writer.beginArray()
        while at < end {
            if out.shouldStop(at: at, holding: event.size) { return }
            let stop = lines.next(from: at)
            if stop == at {
                event.write(&out)
                event = EventStreamEvent()
            } else {
                event.append(line: at..<stop, of: out.text)
            }
            let isCRLF =
                stop + 1 < end && out.text.base[stop] == 0x0D
                && out.text.base[stop + 1] == 0x0A
            at = stop + (isCRLF ? 2 : 1)
        }
        event.write(&out)
        out.writer.endArray()
    }
}

/// Finds the ends of lines one after the other: LF, CR or CRLF.
private struct LineEnds {
    private let text: DocumentBytes
    /// The next LF or the end, cached because it can be far away if all lines end in CR.
    private var feed = -1

    init(_ text: DocumentBytes) { self.text = text }

    /// The next CR or LF, or the end of the text; `start` must not decrease between calls.
    mutating func next(from start: Int) -> Int {
        if feed < start { feed = place(of: 0x0A, in: start..<text.count) }
        return place(of: 0x0D, in: start..<feed)
    }

    /// The first occurrence of a byte, or the end of the range.
    private func place(of byte: Int32, in range: Range<Int>) -> Int {
        let found = memchr(text.base + range.lowerBound, byte, range.count)
        return found.map { UnsafeRawPointer($0) - UnsafeRawPointer(text.base) } ?? range.upperBound
    }
}

/// The fields of one server-sent event, as ranges of the text.
struct EventStreamEvent {
    private struct Field {
        let name: String
        let value: Range<Int>
    }

    private var start: Int?
    private var fields: [Field] = []
    private var data: [Range<Int>] = []

    /// Adds one nonempty line.
    mutating func append(line: Range<Int>, of text: DocumentBytes) {
        start = start ?? line.lowerBound
        let colon = line.first { text.base[$0] == 0x3A }
        var value = line.upperBound..<line.upperBound
        if let colon {
            let hasBlank = colon + 1 < line.upperBound && text.base[colon + 1] == 0x20
            value = colon + (hasBlank ? 2 : 1)..<line.upperBound
        }
        let name = text.string(in: line.lowerBound..<(colon ?? line.upperBound))
        switch name {
        case "data": data.append(value)
        case "": fields.append(Field(name: "comment", value: value))
        default: fields.append(Field(name: name, value: value))
        }
    }

    /// The approximate bytes that the event takes in memory until it is written.
    var size: Int { fields.count * Self.fieldSize + data.count * MemoryLayout<Range<Int>>.size }

    /// Includes the name and spare room in the array.
    private static let fieldSize = 96

    /// Writes the event, unless it has no lines.
    func write(_ out: inout JSONConversion) {
        guard let start else { return }
        out.mark(start)
        out.writer.beginObject()
        // As in other formats, a repeated name becomes an array at its first occurrence.
        var places: [String: Int] = [:]
        var groups: [[Field]] = []
        for field in fields {
            let place = places[field.name] ?? groups.count
            places[field.name] = place
            if place == groups.count { groups.append([field]) } else { groups[place].append(field) }
        }
        for same in groups {
            out.writer.key(same[0].name)
            if same.count > 1 { out.writer.beginArray() }
            for field in same { Self.write(field, &out) }
            if same.count > 1 { out.writer.endArray() }
        }
        writeData(&out)
        out.writer.endObject()
    }

    private static func write(_ field: Field, _ out: inout JSONConversion) {
        let value = out.slice(field.value)
        if field.name == "retry", NumberParts(UnsafeRawBufferPointer(value)) != nil {
            out.writer.token(value)
        } else {
            out.writer.string(value)
        }
    }

    private func writeData(_ out: inout JSONConversion) {
        guard let first = data.first else { return }
        out.writer.key("data")
        out.mark(first.lowerBound)
        guard data.count > 1 else { return NestedJSON.write(out.slice(first), &out.writer) }
        let lines = data.map { out.slice($0) }
        Array(lines.joined(separator: [0x0A])).withUnsafeBufferPointer {
            NestedJSON.write($0, &out.writer)
        }
    }
}
