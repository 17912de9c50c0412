/// Finds all of the given byte patterns in one pass over a text.
///
/// An Aho-Corasick automaton (Communications of the ACM 18, 1975): a state is the beginning of some patterns,
/// and knows the longest other state that is a suffix of it. So the time is linear in the text, however many
/// secrets there are and whatever a server chose as one.
///
///     tok ─▶ toke ─▶ token ─▶ token1      a row: states one behind the other, a byte each
///                      └────▶ token2      a branch, in a table, and the row that it begins
///
/// A state takes ten bytes.
struct PatternAutomaton: Sendable {
    /// A secret of fewer bytes is masked only as a whole word.
    ///
    /// Of a secret that is cut off, at least this many bytes must be left for it to be masked.
    static let shortest = 4

    private typealias State = UInt32

    /// Facts about a state.
    private struct Marks: OptionSet {
        let rawValue: UInt8
        /// The state with the next index follows it.
        static let continues = Marks(rawValue: 1)
        /// Other states follow it, which are in `branches`.
        static let branches = Marks(rawValue: 2)
        /// A secret ends here.
        static let ends = Marks(rawValue: 4)
        /// A short secret is a suffix of it.
        static let endsWithWord = Marks(rawValue: 8)
        /// A secret in base64 is a suffix of it.
        static let endsWithBase64 = Marks(rawValue: 16)
        static let inherited: Marks = [.endsWithWord, .endsWithBase64]
    }

    private struct Row {
        let start: State
        /// The state that the row branches off from, and the number of bytes that lead to its first state.
        let parent: State
        let depth: Int
    }

    private static let root: State = 0

    /// The first state for each byte; empty if there are no secrets.
    private var firsts: [State] = []
    private var labels: [UInt8] = [0]
    private var marks: [Marks] = [[]]
    private var branches: [UInt64: State] = [:]
    private var rows: [Row] = []
    /// For each state, the longest other state that is a suffix of it.
    private var failures: [State] = []
    /// For each state, the length of the longest secret that is a suffix of it; 0 if there is none or only
    /// short ones.
    private var lengths: [UInt32] = []

    var isEmpty: Bool { firsts.isEmpty }

    /// Builds the automaton for these patterns.
    init(_ patterns: some Sequence<(bytes: [UInt8], isBase64: Bool)>) {
        for pattern in patterns where !pattern.bytes.isEmpty {
            add(pattern.bytes, isBase64: pattern.isBase64)
        }
        connect()
    }

    // MARK: making it

    private mutating func add(_ bytes: [UInt8], isBase64: Bool) {
        if firsts.isEmpty { firsts = Array(repeating: Self.root, count: 256) }
        var state = Self.root
        var depth = 0
        while depth < bytes.count, let next = child(of: state, bytes[depth]) {
            state = next
            depth += 1
        }
        if depth < bytes.count {
            let start = State(labels.count)
            rows.append(Row(start: start, parent: state, depth: depth + 1))
            if state == Self.root {
                firsts[Int(bytes[0])] = start
            } else {
                branches[Self.branch(state, bytes[depth])] = start
                marks[Int(state)].insert(.branches)
            }
            labels += bytes[depth...]
            marks += Array(repeating: .continues, count: bytes.count - depth)
            state = State(labels.count - 1)
            marks[Int(state)] = []
        }
        marks[Int(state)].insert(.ends)
        if isBase64 { marks[Int(state)].insert(.endsWithBase64) }
    }

    /// Computes the suffixes of all states, in the order of their depth.
    private mutating func connect() {
        guard !isEmpty else { return }
        failures = Array(repeating: Self.root, count: labels.count)
        lengths = Array(repeating: 0, count: labels.count)
        var waiting = rows.sorted { $0.depth > $1.depth }
        var reached: [State] = []
        var next: [State] = []
        var depth = 1
        while !waiting.isEmpty || !reached.isEmpty {
            for state in reached where marks[Int(state)].contains(.continues) {
                connect(state + 1, behind: state, depth)
                next.append(state + 1)
            }
            while let row = waiting.last, row.depth == depth {
                waiting.removeLast()
                connect(row.start, behind: row.parent, depth)
                next.append(row.start)
            }
            swap(&reached, &next)
            next.removeAll(keepingCapacity: true)
            depth += 1
        }
    }

    private mutating func connect(_ state: State, behind parent: State, _ depth: Int) {
        let place = Int(state)
        let failure =
            parent == Self.root ? Self.root : next(after: failures[Int(parent)], labels[place])
        failures[place] = failure
        let isWhole = marks[place].contains(.ends)
        if isWhole, depth < Self.shortest { marks[place].insert(.endsWithWord) }
        marks[place].formUnion(marks[Int(failure)].intersection(.inherited))
        lengths[place] =
            isWhole && depth >= Self.shortest ? UInt32(depth) : lengths[Int(failure)]
    }

    // MARK: going through it

    private static func branch(_ state: State, _ byte: UInt8) -> UInt64 {
        UInt64(state) << 8 | UInt64(byte)
    }

    private func child(of state: State, _ byte: UInt8) -> State? {
        guard state != Self.root else {
            let first = firsts[Int(byte)]
            return first == Self.root ? nil : first
        }
        let place = Int(state)
        if marks[place].contains(.continues), labels[place + 1] == byte { return state + 1 }
        return marks[place].contains(.branches) ? branches[Self.branch(state, byte)] : nil
    }

    /// On average it looks at each byte at most twice, because each failure makes the state shorter.
    private func next(after state: State, _ byte: UInt8) -> State {
        var state = state
        while state != Self.root {
            if let next = child(of: state, byte) { return next }
            state = failures[Int(state)]
        }
        return firsts[Int(byte)]
    }

    /// The number of bytes that lead to a state.
    private func depth(of state: State) -> Int {
        // The last row that begins at or before the state.
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].start <= state { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        return rows[low - 1].depth + Int(state - rows[low - 1].start)
    }

    // MARK: finding

    /// Finds the secrets in a text that was decoded from `source`.
    ///
    /// `place` maps a range of the text to one of `source`. If the text may be cut, the beginning of a secret
    /// at its end counts too.
    func find(
        in text: UnsafeBufferPointer<UInt8>,
        of source: UnsafeBufferPointer<UInt8>,
        _ isCut: Bool,
        _ place: (Range<Int>) -> Range<Int>,
        _ ranges: inout [Range<Int>]
    ) {
        guard !isEmpty else { return }
        let old = ranges.count
        var state = Self.root
        for position in text.indices {
            state = next(after: state, text[position])
            guard state != Self.root else { continue }
            let length = Int(lengths[Int(state)])
            let end = position + 1
            if length > 0 {
                // Shorter secrets that end here lie within this one.
                var range = place(end - length..<end)
                if marks[Int(state)].contains(.endsWithBase64) {
                    let rest = source[range.upperBound...].prefix { $0 == UInt8(ascii: "=") }
                    range = range.lowerBound..<rest.endIndex
                }
                Self.add(range, to: &ranges, behind: old)
            } else if marks[Int(state)].contains(.endsWithWord) {
                for start in max(0, end - Self.shortest + 1)..<end where isSecret(text[start..<end])
                {
                    let range = place(start..<end)
                    if Self.isWord(range, in: source) {
                        Self.add(range, to: &ranges, behind: old)
                    }
                }
            }
        }
        guard isCut else { return }
        while state != Self.root, marks[Int(state)].isDisjoint(with: [.continues, .branches]) {
            state = failures[Int(state)]
        }
        let left = depth(of: state)
        guard left >= Self.shortest else { return }
        let cut = place(text.count - left..<text.count)
        Self.add(cut.lowerBound..<source.count, to: &ranges, behind: old)
    }

    private func isSecret(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var state = Self.root
        for byte in bytes {
            guard let next = child(of: state, byte) else { return false }
            state = next
        }
        return marks[Int(state)].contains(.ends)
    }

    /// Adds a range that ends after the others, or in the `=` of the last one, and merges it with the ranges
    /// of this pass that it overlaps.
    private static func add(
        _ range: Range<Int>,
        to ranges: inout [Range<Int>],
        behind old: Int
    ) {
        var range = range
        while ranges.count > old, let last = ranges.last, range.lowerBound < last.upperBound {
            range =
                min(range.lowerBound, last.lowerBound)..<max(range.upperBound, last.upperBound)
            ranges.removeLast()
        }
        ranges.append(range)
    }

    private static func isWord(_ range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        let before = range.lowerBound > 0 ? text[range.lowerBound - 1] : 0x20
        let after = range.upperBound < text.count ? text[range.upperBound] : 0x20
        return !isLetterOrDigit(before) && !isLetterOrDigit(after)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
}
