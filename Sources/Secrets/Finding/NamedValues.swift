/// Finds values in XML, HTML, YAML or other text by the names of their elements, attributes or keys.
///
/// It scans instead of parsing, because a broken or cut-off document may have credentials too.
///
///     <w:Password Type="text">••••••</w:Password>      password: ••••••      {token: ••••••}
struct NamedValues {
    /// The values with a wanted name, in document order.
    private(set) var found: [(name: String, value: Range<Int>)] = []
    let bytes: [UInt8]
    private let isWanted: (_ name: String) -> Bool
    private let longestName: Int

    /// Values that are still to be found.
    init(
        _ bytes: [UInt8],
        _ isWanted: @escaping (_ name: String) -> Bool,
        longestName: Int = 64
    ) {
        (self.bytes, self.isWanted, self.longestName) = (bytes, isWanted, longestName)
    }

    static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80..., UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    private func end(of part: (UInt8) -> Bool, from start: Int) -> Int {
        bytes[start...].firstIndex { !part($0) } ?? bytes.count
    }

    /// Whether a name is of a value that is to be found.
    func isWanted(_ name: Range<Int>) -> Bool {
        !name.isEmpty && name.count <= longestName
            && isWanted(String(decoding: bytes[name], as: UTF8.self))
    }

    mutating func add(_ name: Range<Int>, _ value: Range<Int>) {
        guard !value.isEmpty, isWanted(name) else { return }
        found.append((String(decoding: bytes[name], as: UTF8.self), value))
    }

    // MARK: XML

    init(
        inXML bytes: [UInt8],
        isHTML: Bool = false,
        where isWanted: @escaping (_ name: String) -> Bool
    ) {
        self.init(bytes, isWanted)
        var place = 0
        while let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            place = start + 1
            var name = localName(from: place)
            guard !name.isEmpty else { continue }
            let tag = attributes(from: name.upperBound, isHTML: isHTML)
            place = tag.end
            // `<property name="password">…</property>`, `<textarea name="token">…</textarea>`
            if let pair = tag.name, !isHTML || isField(name) { name = pair }
            // The element is empty or cut off.
            guard place < bytes.count, bytes[place - 1] != UInt8(ascii: "/") else { continue }
            var value = place + 1
            var end = bytes[value...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            let marked = Array("<![CDATA[".utf8)
            if bytes[value..<end].allSatisfy(Self.isBlank), bytes[end...].starts(with: marked) {
                value = end + marked.count
                end = bytes[value...].firstRange(of: Array("]]>".utf8))?.lowerBound ?? bytes.count
            }
            if !bytes[value..<end].allSatisfy(Self.isBlank) { add(name, value..<end) }
            place = end
        }
    }

    /// The range of a name without its namespace prefix.
    private func localName(from start: Int) -> Range<Int> {
        let end = end(of: Self.isOfName, from: start)
        guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return start..<end }
        return end + 1..<self.end(of: Self.isOfName, from: end + 1)
    }

    /// Whether an HTML element holds what is sent under its name.
    private func isField(_ element: Range<Int>) -> Bool {
        let name = String(decoding: bytes[element], as: UTF8.self).lowercased()
        return ["textarea", "output", "param", "input"].contains(name)
    }

    /// Adds the attributes of an element that have a wanted name, and the value of one that says its name in
    /// another attribute: `<input name="password" value="…">`, `<input type="password" value="…">`.
    ///
    /// - Returns: the position of the `>` that ends its tag, and the wanted name that an attribute says.
    private mutating func attributes(
        from start: Int,
        isHTML: Bool
    ) -> (end: Int, name: Range<Int>?) {
        var (place, said) = (start, Range<Int>?.none)
        var attributes: [(name: Range<Int>, value: Range<Int>)] = []
        while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
            let name = localName(from: place)
            guard !name.isEmpty else {
                place += 1
                continue
            }
            place = end(of: Self.isBlank, from: name.upperBound)
            guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else { continue }
            place = end(of: Self.isBlank, from: place + 1)
            guard place < bytes.count else { continue }
            let value: Range<Int>
            if "\"'".utf8.contains(bytes[place]) {
                let end = bytes[(place + 1)...].firstIndex(of: bytes[place]) ?? bytes.count
                value = place + 1..<end
                place = min(end + 1, bytes.count)
            } else if isHTML {
                value = place..<end(of: { $0 > 0x20 && $0 != UInt8(ascii: ">") }, from: place)
                place = value.upperBound
            } else {
                continue
            }
            attributes.append((name, value))
            if said == nil, saysName(name, value) { said = value }
        }
        for (name, value) in attributes {
            let word = String(decoding: bytes[name], as: UTF8.self).lowercased()
            let isValue = ["value", "content", "val", "default"].contains(word)
            add(isValue ? said ?? name : name, value)
        }
        return (place, said)
    }

    /// Whether an attribute says that the element's value is wanted.
    private func saysName(_ name: Range<Int>, _ value: Range<Int>) -> Bool {
        guard 2...9 ~= name.count, 1...64 ~= value.count else { return false }
        let text = String(decoding: bytes[value], as: UTF8.self)
        switch String(decoding: bytes[name], as: UTF8.self).lowercased() {
        case "name", "key", "id", "property", "parameter": return isWanted(text)
        case "type": return text.lowercased() == "password"
        default: return false
        }
    }

    // MARK: YAML

    init(inYAML bytes: [UInt8], where isWanted: @escaping (_ name: String) -> Bool) {
        self.init(bytes, isWanted)
        var place = 0
        while place < bytes.count {
            let end = bytes[place...].firstIndex(of: 0x0A) ?? bytes.count
            place = max(end + 1, addKeys(of: place..<end))
        }
    }

    /// Adds the values of the keys in a line.
    ///
    /// - Returns: the end of the last value, which may be after the line.
    private mutating func addKeys(of line: Range<Int>) -> Int {
        let indent = end(of: { $0 == 0x20 }, from: line.lowerBound) - line.lowerBound
        var (place, isInBraces) = (line.lowerBound, false)
        while place < line.upperBound {
            let start = end(of: { " -?\"'{[,".utf8.contains($0) }, from: place)
            isInBraces = isInBraces || bytes[place..<start].contains { "{[".utf8.contains($0) }
            let name = start..<end(of: Self.isOfName, from: start)
            place = min(max(name.upperBound, start + 1), line.upperBound)
            // The closing quote of the name may come before the colon.
            var colon = name.upperBound
            if colon < line.upperBound, "\"'".utf8.contains(bytes[colon]) { colon += 1 }
            guard !name.isEmpty, colon < line.upperBound, bytes[colon] == UInt8(ascii: ":")
            else {
                // This is text: skip it up to the next key of a mapping in braces.
                place =
                    bytes[place..<line.upperBound].firstIndex { "{,".utf8.contains($0) }
                    ?? line.upperBound
                continue
            }
            let value = value(from: colon + 1, in: line, indent, isInBraces)
            add(name, value)
            guard value.upperBound <= line.upperBound else { return value.upperBound }
            place = max(value.upperBound, colon + 1)
        }
        return line.upperBound
    }

    /// The range of a value: quoted, plain, or the indented lines after `|` or `>`.
    private func value(
        from start: Int,
        in line: Range<Int>,
        _ indent: Int,
        _ isInBraces: Bool
    ) -> Range<Int> {
        let first = min(end(of: { $0 == 0x20 || $0 == 0x09 }, from: start), line.upperBound)
        guard first < line.upperBound else { return first..<first }
        switch bytes[first] {
        // A mapping or a list: the keys in it are read next.
        case UInt8(ascii: "{"), UInt8(ascii: "["): return first..<first
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            var end = line.upperBound
            while end < bytes.count {
                let next = bytes[(end + 1)...].firstIndex(of: 0x0A) ?? bytes.count
                let depth = self.end(of: { $0 == 0x20 }, from: end + 1) - end - 1
                let isEmpty = bytes[(end + 1)..<next].allSatisfy(Self.isBlank)
                guard isEmpty || depth > indent, next > end else { break }
                end = next
            }
            return first..<end
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let end = bytes[(first + 1)..<line.upperBound].firstIndex(of: bytes[first])
            return first + 1..<(end ?? line.upperBound)
        default:
            var end = first
            while end < line.upperBound, !isInBraces || !",}]".utf8.contains(bytes[end]),
                !(bytes[end] == UInt8(ascii: "#") && bytes[end - 1] == 0x20)
            {
                end += 1
            }
            while end > first, Self.isBlank(bytes[end - 1]) { end -= 1 }
            return first..<end
        }
    }
}
