/// XML or HTML as a flat list in document order.
///
/// It holds what a reader reports until it is known which siblings have the same name. An item takes 20
/// bytes, and the text is stored once. An item's subtree is the range up to its `end`.
struct MarkupTree {
    enum Kind: UInt8 {
        case element, attribute, emptyAttribute, text, other
    }

    private static let nameMask: UInt32 = 0x1FFF_FFFF

    struct Item {
        /// The name's number in the low 29 bits, the kind in the high three.
        var head: UInt32
        /// The index of the item after the subtree.
        var end: UInt32
        var textStart: UInt32
        var textCount: UInt32
        /// The byte offset; 32 bits suffice, because at most 1 GiB is read.
        var place: UInt32
    }

    private(set) var items: [Item] = []
    private(set) var text: [UInt8] = []
    private(set) var names = NameTable()
    private var open: [Int] = []
    private var endsInText = false

    /// Begins with a root item that holds everything.
    init(expected: Int) {
        items.reserveCapacity(expected / 32)
        text.reserveCapacity(expected / 2)
        let noName = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        append(.element, name: names.number(of: noName, prefix: 0), offset: 0)
        open.append(0)
    }

    func kind(_ item: Int) -> Kind { Kind(rawValue: UInt8(items[item].head >> 29)) ?? .other }

    func name(_ item: Int) -> Int { Int(items[item].head & Self.nameMask) }

    func offset(_ item: Int) -> Int { Int(items[item].place) }

    func textRange(_ item: Int) -> Range<Int> {
        let start = Int(items[item].textStart)
        return start..<start + Int(items[item].textCount)
    }

    /// Whether a text is all white space, and whether it has a line feed.
    func blankness(_ item: Int) -> (isBlank: Bool, hasFeed: Bool) {
        var hasFeed = false
        for at in textRange(item) {
            let byte = text[at]
            if byte == 0x0A { hasFeed = true }
            guard byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) else { return (false, hasFeed) }
        }
        return (true, hasFeed)
    }

    // MARK: - Building

    mutating func beginElement(_ name: UnsafeBufferPointer<UInt8>, offset: Int) {
        open.append(items.count)
        append(.element, name: names.number(of: name, prefix: 0), offset: offset)
    }

    mutating func endElement() {
        // The root item stays open.
        guard open.count > 1, let last = open.popLast() else { return }
        endsInText = false
        items[last].end = UInt32(truncatingIfNeeded: items.count)
    }

    mutating func add(
        _ kind: Kind,
        _ name: UnsafeBufferPointer<UInt8>,
        prefix: UInt8,
        _ content: UnsafeBufferPointer<UInt8>,
        offset: Int
    ) {
        append(kind, name: names.number(of: name, prefix: prefix), offset: offset)
        extendText(content)
    }

    /// Adds text, joined to the previous item if that is text too.
    mutating func addText(_ content: UnsafeBufferPointer<UInt8>) {
        if !endsInText {
            append(.text, name: 0, offset: items.last.map { Int($0.place) } ?? 0)
            endsInText = true
        }
        extendText(content)
    }

    /// Closes all open elements.
    mutating func finish() {
        while open.count > 1 { endElement() }
        items[0].end = UInt32(truncatingIfNeeded: items.count)
    }

    private mutating func append(_ kind: Kind, name: UInt32, offset: Int) {
        endsInText = false
        let place = UInt32(truncatingIfNeeded: offset)
        items.append(
            Item(
                head: UInt32(kind.rawValue) << 29 | name & Self.nameMask,
                end: UInt32(truncatingIfNeeded: items.count + 1),
                textStart: UInt32(truncatingIfNeeded: text.count),
                textCount: 0,
                place: place
            )
        )
    }

    private mutating func extendText(_ content: UnsafeBufferPointer<UInt8>) {
        text.append(contentsOf: content)
        items[items.count - 1].textCount += UInt32(truncatingIfNeeded: content.count)
    }
}

/// Numbers the names of elements and attributes; looks them up by their bytes without making strings.
struct NameTable: Sendable {
    /// The names as JSON keys.
    private(set) var keys = WrittenKeys()
    /// The names one after the other, each with its prefix byte in front.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// Hash table of the number plus one, or 0 if free; its size is a power of two.
    private var slots = [UInt32](repeating: 0, count: 256)

    /// The number of names.
    var count: Int { ends.count }

    /// The number of a name with a prefix such as `@`; prefix 0 means none.
    mutating func number(of name: UnsafeBufferPointer<UInt8>, prefix: UInt8) -> UInt32 {
        let mask = slots.count - 1
        var slot = Self.hash(name, prefix) & mask
        while slots[slot] > 0 {
            let number = Int(slots[slot]) - 1
            if isName(number, name, prefix) { return UInt32(number) }
            slot = (slot + 1) & mask
        }
        return add(name, prefix, at: slot)
    }

    private mutating func add(
        _ name: UnsafeBufferPointer<UInt8>,
        _ prefix: UInt8,
        at slot: Int
    ) -> UInt32 {
        let number = UInt32(truncatingIfNeeded: ends.count)
        bytes.append(prefix)
        bytes.append(contentsOf: name)
        ends.append(bytes.count)
        let key = (prefix > 0 ? [prefix] : []) + Array(name)
        key.withUnsafeBufferPointer { keys.append($0) }
        slots[slot] = number + 1
        if ends.count * 2 > slots.count { enlarge() }
        return number
    }

    private mutating func enlarge() {
        slots = Array(repeating: 0, count: slots.count * 4)
        let mask = slots.count - 1
        bytes.withUnsafeBufferPointer { bytes in
            for number in 0..<ends.count {
                let range = range(number)
                let name = UnsafeBufferPointer(rebasing: bytes[range.dropFirst()])
                var slot = Self.hash(name, bytes[range.lowerBound]) & mask
                while slots[slot] > 0 { slot = (slot + 1) & mask }
                slots[slot] = UInt32(truncatingIfNeeded: number + 1)
            }
        }
    }

    private func range(_ number: Int) -> Range<Int> {
        (number > 0 ? ends[number - 1] : 0)..<ends[number]
    }

    private func isName(
        _ number: Int,
        _ name: UnsafeBufferPointer<UInt8>,
        _ prefix: UInt8
    ) -> Bool {
        let range = range(number)
        guard range.count == name.count + 1, bytes[range.lowerBound] == prefix else { return false }
        var at = range.lowerBound + 1
        for byte in name {
            if bytes[at] != byte { return false }
            at += 1
        }
        return true
    }

    /// FNV-1a, with the high bits folded into the low ones, which select the slot.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>, _ prefix: UInt8) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(prefix)
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
