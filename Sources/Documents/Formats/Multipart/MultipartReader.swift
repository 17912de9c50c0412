/// Reads multipart bodies (RFC 2046; RFC 7578 for forms) as an array of parts.
///
/// What stands in front of the first boundary and behind the last is for old readers, and left out.
/// A part that is multipart itself is an array in its place.
enum MultipartReader {
    /// One body that is being read, with the parts in it.
    private struct Level {
        let scanner: MultipartScanner
        let end: Int
        /// Behind the boundary line in front of the next part; nil when there is none.
        var next: Int?
    }

    /// Deeper ones are shown as text.
    private static let depthLimit = 16

    static func read(_ out: inout Transcription, boundary: String) {
        var levels: [Level] = []
        out.writer.beginArray()
        levels.append(level(out.start..<out.text.count, boundary, &out))
        while let level = levels.last {
            guard let start = level.next else {
                levels.removeLast()
                out.writer.endArray()
                if !levels.isEmpty { out.writer.endObject() }
                continue
            }
            if out.shouldStop(at: start) { return }
            let delimiter = level.scanner.delimiter(from: start)
            if delimiter == nil { out.fault(.missingFinalBoundary, at: level.end) }
            let isLast = delimiter?.isFinal ?? true
            levels[levels.count - 1].next = isLast ? nil : delimiter?.end
            let range = start..<max(start, delimiter?.partEnd ?? level.end)
            // Nothing behind the last boundary line is a part only when something is cut off.
            if delimiter == nil && range.isEmpty { continue }
            let part = MultipartPart(range, &out)
            part.writeHead(&out)
            if let inner = part.innerBoundary, levels.count < depthLimit {
                out.writer.key("content")
                out.writer.beginArray()
                levels.append(Self.level(part.body, inner, &out))
            } else {
                part.writeContent(&out)
                out.writer.endObject()
            }
        }
    }

    private static func level(
        _ range: Range<Int>,
        _ boundary: String,
        _ out: inout Transcription
    ) -> Level {
        let scanner = MultipartScanner(out.text, in: range, boundary: boundary)
        let first = scanner.delimiter(from: range.lowerBound)
        if first == nil { out.fault(.missingBoundary, at: range.lowerBound) }
        let next = first.flatMap { $0.isFinal ? nil : $0.end }
        return Level(scanner: scanner, end: range.upperBound, next: next)
    }
}
