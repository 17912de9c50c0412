/// Multipart bodies.
extension ContentMask {
    /// Masks the parts of a multipart body; a part with a credential's name is masked whole.
    mutating func parts(
        of bytes: [UInt8],
        _ boundary: String,
        _ depth: Int
    ) -> [UInt8] {
        let line = Array("--\(boundary)".utf8)
        var masked: [(range: Range<Int>, bytes: [UInt8])] = []
        var place = 0
        var start: Int?
        while place < bytes.count {
            let end = bytes[place...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
            defer { place = end }
            // If more follows, it is another boundary or text.
            guard bytes[place..<end].starts(with: line),
                bytes[place..<end].dropFirst(line.count).allSatisfy({ "- \t\r\n".utf8.contains($0) }
                )
            else { continue }
            if let start, let part = part(of: bytes, start..<place, depth) { masked.append(part) }
            start = end
        }
        // The last part was cut off.
        if let start, start < bytes.count, let part = part(of: bytes, start..<bytes.count, depth) {
            masked.append(part)
        }
        return bytes.replacing(masked)
    }

    /// The range of a part's body and its masked text; nil if nothing in it was masked.
    private mutating func part(
        of bytes: [UInt8],
        _ range: Range<Int>,
        _ depth: Int
    ) -> (range: Range<Int>, bytes: [UInt8])? {
        var (name, type) = (String?.none, String?.none)
        var place = range.lowerBound
        while place < range.upperBound {
            let end = bytes[place..<range.upperBound].firstIndex(of: 0x0A) ?? range.upperBound
            let line = String(decoding: bytes[place..<end].filter { $0 != 0x0D }, as: UTF8.self)
            place = min(end + 1, range.upperBound)
            if line.isEmpty { break }
            let small = line.lowercased()
            if small.hasPrefix("content-disposition:") { name = Self.name(in: line) }
            if small.hasPrefix("content-type:") { type = String(line.dropFirst(13)) }
        }
        var end = range.upperBound
        if end > place, bytes[end - 1] == 0x0A { end -= 1 }
        if end > place, bytes[end - 1] == 0x0D { end -= 1 }
        let body = Array(bytes[place..<end])
        guard !body.isEmpty else { return nil }
        var shown: [UInt8]
        if let name, mask.isSecret(member: name) {
            let value = String(decoding: body, as: UTF8.self)
            shown = Array(mask.masking(value: value, named: name).utf8)
            if shown != body, value.utf8.count >= CredentialMask.shortestElsewhere { add([value]) }
        } else {
            shown = masking(body, type, depth: depth + 1)
        }
        return shown == body ? nil : (place..<end, shown)
    }

    /// The `name` parameter of a `Content-Disposition` line, quoted or not.
    private static func name(in line: String) -> String? {
        guard let start = line.firstRange(of: " name=") ?? line.firstRange(of: ";name=") else {
            return nil
        }
        let value = line[start.upperBound...]
        guard value.first == "\"" else { return String(value.prefix { $0 != ";" && $0 != " " }) }
        return String(value.dropFirst().prefix { $0 != "\"" })
    }
}
