/// The byte ranges of a HAR file's entries, found without reading them.
///
/// For a file that is not valid JSON: one entry with a `NaN`, or a file that was cut off, leaves the other
/// entries readable. Only strings and brackets are looked at.
struct HAROutline {
    /// The entries, in order.
    let entries: [Range<Int>]
    /// Where the other members of `log` are.
    let members: [String: Range<Int>]

    /// Finds the entries, as far as the text allows.
    init(_ bytes: UnsafeRawBufferPointer) {
        var scan = OutlineScan(bytes)
        scan.run()
        (entries, members) = (scan.entries, scan.members)
    }
}

/// One pass over a HAR file.
private struct OutlineScan {
    private(set) var entries: [Range<Int>] = []
    private(set) var members: [String: Range<Int>] = [:]
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func run() {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
        forEachMember { scan, name in
            guard name == "log" else { return scan.skipValue() }
            scan.forEachMember { scan, name in
                let start = scan.place
                guard name == "entries" else {
                    scan.skipValue()
                    scan.members[name] = start..<scan.place
                    return
                }
                scan.findEntries()
            }
        }
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    /// Calls `read` at the value of each member of the object that begins here.
    private mutating func forEachMember(_ read: (inout OutlineScan, String) -> Void) {
        skipSpace()
        guard next == UInt8(ascii: "{") else { return }
        place += 1
        while true {
            skipSpace()
            if next == UInt8(ascii: ",") {
                place += 1
                continue
            }
            guard next == UInt8(ascii: "\"") else { break }
            let start = place
            skipString()
            let name = String(decoding: bytes[start..<place].dropFirst().dropLast(), as: UTF8.self)
            skipSpace()
            guard next == UInt8(ascii: ":") else { return }
            place += 1
            skipSpace()
            read(&self, name)
        }
        if next == UInt8(ascii: "}") { place += 1 }
    }

    private mutating func findEntries() {
        guard next == UInt8(ascii: "[") else { return skipValue() }
        place += 1
        while true {
            skipSpace()
            if next == UInt8(ascii: ",") {
                place += 1
                continue
            }
            guard let byte = next else { return }
            guard byte != UInt8(ascii: "]"), byte != UInt8(ascii: "}") else { break }
            let start = place
            skipValue()
            entries.append(start..<place)
        }
        place += 1
    }

    /// Moves past the value that begins here, or to the end of a text that is cut off.
    private mutating func skipValue() {
        switch next {
        case UInt8(ascii: "\""): skipString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): skipBrackets()
        default:
            let start = place
            while let byte = next, !",}]".utf8.contains(byte) { place += 1 }
            if place == start { place = min(place + 1, bytes.count) }
        }
    }

    private mutating func skipString() {
        place += 1
        while let byte = next {
            place += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { break }
        }
        place = min(place, bytes.count)
    }

    private mutating func skipBrackets() {
        var open: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                skipString()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(byte)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // A bracket that was not closed is closed by the end of what is around it.
                let opener = byte == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "[")
                if let start = open.lastIndex(of: opener) { open.removeSubrange(start...) }
            default: break
            }
            place += 1
            if open.isEmpty { return }
        }
    }
}
