import HTTPTypes

/// The members of a list field, over all its lines (RFC 9110, 5.6.1).
///
/// A comma in a quoted string does not separate. A quote that nothing ends is
/// not taken for one: what follows it could be a `no-store`. Empty members are
/// left out.
struct ListMembers: Sendable, Equatable {
    let members: [Substring]

    init(_ lines: [String]) { members = lines.flatMap(Self.split) }

    init(_ name: HTTPField.Name, in fields: HTTPFields) { self.init(fields[values: name]) }

    private static func split(_ line: String) -> [Substring] {
        var members: [Substring] = []
        var start = line.startIndex
        var index = start
        // Behind a quote that nothing ends there is no quoted string: to look for the end of each
        // would take the square of the line's length.
        var hasQuotedStrings = true
        while index < line.endIndex {
            switch line.utf8[index] {
            case UInt8(ascii: "\"") where hasQuotedStrings:
                let end = endOfQuotedString(at: index, in: line)
                hasQuotedStrings = end != nil
                index = end ?? line.utf8.index(after: index)
            case UInt8(ascii: ","):
                members.append(line[start..<index])
                index = line.utf8.index(after: index)
                start = index
            default:
                index = line.utf8.index(after: index)
            }
        }
        members.append(line[start...])
        return members.map(\.trimmingBlanks).filter { !$0.isEmpty }
    }

    /// The index after the closing quote; nil if there is none.
    private static func endOfQuotedString(at quote: String.Index, in line: String) -> String.Index?
    {
        let bytes = line.utf8
        var index = bytes.index(after: quote)
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""): return bytes.index(after: index)
            case UInt8(ascii: "\\"):
                index = bytes.index(after: index)
                if index == bytes.endIndex { return nil }
            default: break
            }
            index = bytes.index(after: index)
        }
        return nil
    }
}

extension Substring {
    /// Without the spaces and tabs around it (OWS of RFC 9110, 5.6.3).
    var trimmingBlanks: Substring {
        var slice = self.utf8[...]
        while let first = slice.first, first == 0x20 || first == 0x09 { slice = slice.dropFirst() }
        while let last = slice.last, last == 0x20 || last == 0x09 { slice = slice.dropLast() }
        return self[slice.startIndex..<slice.endIndex]
    }
}
