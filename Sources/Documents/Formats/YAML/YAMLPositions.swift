internal import CYaml

/// Turns libyaml's marks, which count characters, into byte offsets.
///
/// Marks come in order but for a few: it goes on from the last one, and back when it must.
struct YAMLPositions {
    private let text: DocumentBytes
    private let start: Int
    private var offset: Int
    private var index = 0

    init(_ text: DocumentBytes, from start: Int) {
        self.text = text
        self.start = start
        offset = start
    }

    /// The byte of a mark.
    mutating func offset(of mark: yaml_mark_t) -> Int {
        let target = Int(mark.index)
        if target < index {
            stepBack(to: target)
        } else {
            stepForward(to: target)
        }
        return offset
    }

    private mutating func stepForward(to target: Int) {
        while index < target && offset < text.count {
            offset += 1
            while offset < text.count && text.base[offset] & 0xC0 == 0x80 { offset += 1 }
            index += 1
        }
    }

    private mutating func stepBack(to target: Int) {
        while index > target && offset > start {
            offset -= 1
            while offset > start && text.base[offset] & 0xC0 == 0x80 { offset -= 1 }
            index -= 1
        }
    }
}
