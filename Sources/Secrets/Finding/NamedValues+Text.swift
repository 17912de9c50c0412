import Glibc

/// Values in text without a format, and in URLs within text.
extension NamedValues {
    /// Finds the values of lines such as `PASSWORD=…`, `export API_KEY="…"`, `Authorization: …`, and of pairs
    /// in a line, such as `Server=db;Password=…`.
    ///
    /// Forms of the type `text/plain`, `.env` and `.properties` files and connection strings are such text.
    init(inText bytes: [UInt8], where isWanted: @escaping (_ name: String) -> Bool) {
        self.init(bytes, isWanted)
        func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
        var start = 0
        // Most lines have no pair.
        while start < bytes.count, let sign = Self.sign(in: bytes, from: start) {
            start = bytes[start..<sign].lastIndex(where: isLineEnd).map { $0 + 1 } ?? start
            let end = bytes[sign...].firstIndex(where: isLineEnd) ?? bytes.count
            addPairs(of: start..<end)
            start = end + 1
        }
    }

    /// The position of the next `=` or `:`; nil if there is none.
    static func sign(in bytes: [UInt8], from start: Int = 0) -> Int? {
        bytes.withUnsafeBytes { text in
            guard let base = text.baseAddress else { return nil }
            var place = start
            // By pieces, because a text with many of one may have none of the other.
            while place < text.count {
                let count = min(4096, text.count - place)
                let signs = [0x3D, 0x3A].compactMap { memchr(base + place, $0, count) }
                if let sign = signs.min() { return base.distance(to: UnsafeRawPointer(sign)) }
                place += count
            }
            return nil
        }
    }

    /// Finds the parameters of the URLs in a text: `href="/login?token=…&amp;page=1"`.
    init(parametersIn bytes: [UInt8], where isWanted: @escaping (_ name: String) -> Bool) {
        self.init(bytes, isWanted)
        var place = 0
        while let equals = bytes[place...].firstIndex(of: UInt8(ascii: "=")) {
            let name = name(endingAt: equals, from: place, withBlanks: false)
            place = equals + 1
            guard let before = name.lowerBound > 0 ? bytes[name.lowerBound - 1] : nil,
                "?&;#".utf8.contains(before)
            else { continue }
            let end = bytes[place...].firstIndex(where: Self.endsWord) ?? bytes.count
            add(name, place..<end)
            place = end
        }
    }

    /// Finds the parameters of a challenge: `Bearer realm="x", token="…"` (RFC 9110, section 11.3).
    init(inChallenge bytes: [UInt8], where isWanted: @escaping (_ name: String) -> Bool) {
        self.init(bytes, isWanted, longestName: .max)
        var place = 0
        while let equals = bytes[place...].firstIndex(of: UInt8(ascii: "=")) {
            let before = bytes[place..<equals].lastIndex { " \t,".utf8.contains($0) }
            var value = equals + 1
            let isQuoted = value < bytes.count && bytes[value] == UInt8(ascii: "\"")
            if isQuoted { value += 1 }
            let end =
                isQuoted
                ? bytes.withUnsafeBufferPointer { CredentialMask.endOfQuoted(from: value, in: $0) }
                : bytes[value...].firstIndex { ", \t".utf8.contains($0) } ?? bytes.count
            add((before.map { $0 + 1 } ?? place)..<equals, value..<end)
            place = max(end, equals + 1)
        }
    }

    private mutating func addPairs(of line: Range<Int>) {
        func isSign(_ byte: UInt8) -> Bool { byte == 0x3D || byte == 0x3A }
        var place = line.lowerBound
        while let sign = bytes[place..<line.upperBound].firstIndex(where: isSign) {
            let name = name(endingAt: sign, from: place, withBlanks: true)
            let isColon = bytes[sign] == UInt8(ascii: ":")
            place = sign + 1
            // `token://host` is a URL.
            guard isWanted(name), !isColon || place == line.upperBound || bytes[place] != 0x2F
            else { continue }
            let value = value(in: place..<line.upperBound, of: name, line, isColon)
            add(name, value)
            place = max(place, value.upperBound)
        }
    }

    /// The range of the value that follows a name and its sign.
    private func value(
        in rest: Range<Int>,
        of name: Range<Int>,
        _ line: Range<Int>,
        _ isColon: Bool
    ) -> Range<Int> {
        let start = bytes[rest].firstIndex { !Self.isBlank($0) } ?? rest.upperBound
        guard start < rest.upperBound else { return start..<start }
        if "\"'`".utf8.contains(bytes[start]) {
            let end = bytes[(start + 1)..<rest.upperBound].firstIndex(of: bytes[start])
            return start + 1..<(end ?? rest.upperBound)
        }
        let word =
            start..<(bytes[start..<rest.upperBound].firstIndex(where: Self.endsWord)
            ?? rest.upperBound)
        guard begins(line, before: name.lowerBound) else { return word }
        var end = rest.upperBound
        while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
        // A line of some words after a colon is a sentence: `Token: what a reader counts as one word`.
        let words = bytes[start..<end].split(whereSeparator: Self.isBlank).count
        let text = String(decoding: bytes[name], as: UTF8.self).lowercased()
        let isWhole = ["authorization", "cookie", "set-cookie"].contains { text.hasSuffix($0) }
        return !isColon || isWhole || words <= 2 ? start..<end : start..<start
    }

    /// Whether a line has only words of a shell before a place.
    private func begins(_ line: Range<Int>, before place: Int) -> Bool {
        // A long line may have many pairs, and more than these words is none of a shell.
        guard place - line.lowerBound <= 64 else { return false }
        let words = bytes[line.lowerBound..<place].split(whereSeparator: Self.isBlank)
        let known = [
            "export", "set", "setx", "ENV", "ARG", "declare", "-x", "-", ">", "<", "*", "\"",
        ]
        return words.allSatisfy { word in known.contains { word.elementsEqual($0.utf8) } }
    }

    /// The name that ends at a sign, with or without blanks or a quote between; empty if there is none.
    private func name(endingAt sign: Int, from start: Int, withBlanks: Bool) -> Range<Int> {
        var end = sign
        if withBlanks {
            while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
            if end > start, "\"'".utf8.contains(bytes[end - 1]) { end -= 1 }
        }
        var first = end
        // A longer one is none of ours.
        while first > start, end - first <= 64, Self.isOfTextName(bytes[first - 1]) { first -= 1 }
        return first..<end
    }

    private static func isOfTextName(_ byte: UInt8) -> Bool {
        isOfName(byte) || "[]%$".utf8.contains(byte)
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "&;,\"'`<>()#".utf8.contains(byte)
    }
}
