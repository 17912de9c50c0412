/// Server-sent events.
extension ContentMask {
    /// A line of an event stream.
    private struct Line {
        /// Without its end.
        let content: Range<Int>
        let end: Int
    }

    /// Masks server-sent events whose data is JSON, in one line or several.
    mutating func events(_ bytes: [UInt8]) -> [UInt8] {
        var found: [(range: Range<Int>, bytes: [UInt8])] = []
        var start = 0
        var event: [Line] = []
        while start < bytes.count {
            let line = Self.line(from: start, in: bytes)
            start = line.end
            if !line.content.isEmpty { event.append(line) }
            guard line.content.isEmpty || start == bytes.count, !event.isEmpty else { continue }
            // Most events have no credential.
            if let masked = masking(event, of: bytes), let last = event.last {
                found.append((event[0].content.lowerBound..<last.end, masked))
            }
            event = []
        }
        return found.isEmpty ? bytes : bytes.replacing(found)
    }

    /// The lines of an event with its data masked; nil if nothing is masked.
    private mutating func masking(_ event: [Line], of bytes: [UInt8]) -> [UInt8]? {
        let name = Array("data:".utf8)
        let data = event.filter { bytes[$0.content].starts(with: name) }
        guard let first = data.first else { return nil }
        let mayHave = data.contains { line in
            hasName(bytes[line.content])
                || bytes[line.content].contains { "?@#%;".utf8.contains($0) }
        }
        guard mayHave else { return nil }
        // An event's data are its lines, joined (HTML, section 9.2.6).
        let texts = data.map { Array(bytes[$0.content].dropFirst(name.count)) }
        let joined = Array(texts.joined(separator: [0x0A]))
        let masked: [[UInt8]]
        if !Self.isJSON(joined), texts.contains(where: Self.isJSON) {
            // No value of several lines, but some lines are values.
            masked = texts.map { json($0) }
        } else {
            masked = json(joined).split(separator: 0x0A, omittingEmptySubsequences: false)
                .map { Array($0) }
        }
        guard masked != texts else { return nil }
        var (result, place) = ([UInt8](), 0)
        for line in event {
            guard bytes[line.content].starts(with: name) else {
                result += bytes[line.content.lowerBound..<line.end]
                continue
            }
            // A masked list or object may have had several lines.
            guard place < masked.count else { continue }
            result += name + masked[place] + bytes[line.content.upperBound..<line.end]
            place += 1
        }
        // Never more lines than there were, but none may be lost.
        for rest in masked.dropFirst(place) {
            result += name + rest + bytes[first.content.upperBound..<first.end]
        }
        return result
    }

    private static func line(from start: Int, in bytes: [UInt8]) -> Line {
        let end = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
        guard end < bytes.count else { return Line(content: start..<end, end: end) }
        let isPair = bytes[end] == 0x0D && end + 1 < bytes.count && bytes[end + 1] == 0x0A
        return Line(content: start..<end, end: end + (isPair ? 2 : 1))
    }
}
