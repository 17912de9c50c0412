/// JSON with comments and trailing commas, as editors write it for people.
struct LooseJSON {
    /// The same bytes with blanks for what JSON does not have, so that all places stay.
    private(set) var bytes: [UInt8]
    /// The comments with their lines, from 1.
    private(set) var comments: [(text: String, line: Int)] = []

    /// Nil if there is nothing of that kind.
    init?(_ original: [UInt8]) {
        bytes = original
        var index = 0
        var line = 1
        /// The place of a comma after which nothing stood yet.
        var comma: Int?
        var isChanged = false
        while index < original.count {
            let byte = original[index]
            switch byte {
            case UInt8(ascii: "\""):
                comma = nil
                index = Self.endOfString(original, index, &line)
                continue
            case UInt8(ascii: "/") where Self.isComment(original, index):
                let end = Self.endOfComment(original, index)
                comments.append((String(decoding: original[index..<end], as: UTF8.self), line))
                for place in index..<end {
                    if original[place] == UInt8(ascii: "\n") {
                        line += 1
                    } else {
                        bytes[place] = 32
                    }
                }
                isChanged = true
                index = end
                continue
            case UInt8(ascii: ","): comma = index
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let comma {
                    bytes[comma] = 32
                    isChanged = true
                }
                comma = nil
            case UInt8(ascii: "\n"): line += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
            default: comma = nil
            }
            index += 1
        }
        guard isChanged else { return nil }
    }

    private static func endOfString(_ bytes: [UInt8], _ start: Int, _ line: inout Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }

    private static func isComment(_ bytes: [UInt8], _ index: Int) -> Bool {
        guard index + 1 < bytes.count else { return false }
        return bytes[index + 1] == UInt8(ascii: "/") || bytes[index + 1] == UInt8(ascii: "*")
    }

    private static func endOfComment(_ bytes: [UInt8], _ start: Int) -> Int {
        if bytes[start + 1] == UInt8(ascii: "/") {
            return bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        }
        var index = start + 2
        while index + 1 < bytes.count {
            if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") {
                return index + 2
            }
            index += 1
        }
        return bytes.count
    }
}

/// YAML that is indented by tabs, which YAML does not allow.
enum TabbedYAML {
    /// The same lines indented by two blanks for each tab; nil if tabs and blanks are mixed, so that nobody knows what is
    /// meant, or if there is no tab that could be the fault.
    static func untabbed(_ bytes: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 8)
        var hasTabs = false
        var hasIndents = false
        var hasBlanks = false
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let indent = line.prefix { $0 == 9 || $0 == 32 }
            let rest = line[indent.endIndex...]
            if rest.isEmpty || rest.elementsEqual([13]) {
                hasTabs = hasTabs || indent.contains(9)
            } else if indent.first == 9 {
                guard indent.allSatisfy({ $0 == 9 }) else { return nil }
                hasIndents = true
                result += Array(repeating: 32, count: indent.count * 2)
            } else {
                guard !indent.contains(9) else { return nil }
                hasBlanks = hasBlanks || !indent.isEmpty
                result += indent
            }
            result += rest
            result.append(UInt8(ascii: "\n"))
        }
        // Lines of nothing but tabs say nothing, even among blanks.
        guard hasTabs || hasIndents, !(hasIndents && hasBlanks) else { return nil }
        return result.dropLast()
    }
}
