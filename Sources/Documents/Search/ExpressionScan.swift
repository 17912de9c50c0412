import Glibc

/// Finds a regular expression in the keys and values of a JSON text, or in the lines of any other text.
struct ExpressionScan: ~Copyable {
    private let matcher: RegularExpression.Matcher
    private let scope: SearchScope
    private let text: UnsafePointer<UInt8>
    private let limit: Int
    private let isWhole: Bool
    private(set) var state: ScanState
    private(set) var found: [PackedHit] = []
    /// The error of the first attempt that was given up; nil if none was.
    private(set) var error: RegularExpressionError?
    private var attempts = 0
    /// Whether an attempt ended because the task was cancelled, so that a hit may be missing.
    private var isStopped = false

    /// After this many attempts that were given up, the rest of the text is skipped, because each takes
    /// some 10 ms.
    static let mostGivenUp = 16

    init(
        _ matcher: consuming RegularExpression.Matcher,
        scope: SearchScope,
        text: UnsafePointer<UInt8>,
        limit: Int,
        isWhole: Bool,
        state: ScanState
    ) {
        self.matcher = matcher
        self.scope = scope
        self.text = text
        self.limit = limit
        self.isWhole = isWhole
        self.state = state
    }

    /// Searches the tokens, or the parts of long tokens, that begin before `stop`; false if one of them is
    /// incomplete or the task was cancelled.
    mutating func tokens(to stop: Int) -> Bool {
        finishLong(to: stop)
        while state.long == nil && state.at < stop {
            if isStopped || isCancelled { return false }
            guard
                let token = JSONToken.next(in: text, from: state.at, limit: limit, isWhole: isWhole)
            else {
                guard isWhole || !hasToken(in: state.at..<stop) else { return false }
                state.at = stop
                break
            }
            // A token is searched with the slice in which it begins.
            guard token.content.lowerBound - 1 < stop else {
                state.at = stop
                break
            }
            let isWanted = scope == .everything || token.isKey == (scope == .keys)
            let content = isWanted ? token.content : token.end..<token.end
            match(content, decodes: token.hasEscapes, end: token.end, to: stop)
        }
        return !isStopped
    }

    /// Searches the lines that begin before `stop`, as `tokens` does with tokens.
    mutating func lines(to stop: Int) -> Bool {
        finishLong(to: stop)
        while state.long == nil && state.at < stop {
            if isStopped || isCancelled { return false }
            let at = state.at
            let feed = memchr(text + at, 0x0A, limit - at).map {
                UnsafeRawPointer($0) - UnsafeRawPointer(text)
            }
            guard feed != nil || isWhole else { return false }
            let next = (feed ?? limit - 1) + 1
            var end = feed ?? limit
            if end > at && text[end - 1] == 0x0D { end -= 1 }
            match(at..<end, decodes: false, end: next, to: stop)
        }
        return !isStopped
    }

    /// Checked at every 16th attempt, because an attempt may take a million steps.
    private var isCancelled: Bool { attempts & 15 == 0 && Task.isCancelled }

    private func hasToken(in range: Range<Int>) -> Bool {
        range.contains { text[$0] == 0x22 || JSONToken.isScalar(text[$0]) }
    }

    /// Searches a token or line and moves after it, or stops inside it.
    private mutating func match(_ content: Range<Int>, decodes: Bool, end: Int, to stop: Int) {
        if decodes || content.count > ExpressionSubject.longest {
            state.long = LongMatch(
                content: content,
                decodes: decodes,
                end: end,
                start: content.lowerBound
            )
            finishLong(to: stop)
        } else {
            matchShort(content)
            state.at = end
        }
    }

    /// Searches the parts of a long token or line that begin before `stop`.
    private mutating func finishLong(to stop: Int) {
        while !isStopped, let long = state.long, long.start < stop {
            let content = long.content
            let rest = long.start..<content.upperBound
            let subject = ExpressionSubject(rest, of: text, decodes: long.decodes)
            let isEnd = subject.end == content.upperBound
            let accepted = isEnd ? subject.count : subject.count - ExpressionSubject.overlap
            let next = matchPart(
                subject,
                from: long.from,
                accepted: accepted,
                isBegin: long.start == content.lowerBound,
                isEnd: isEnd
            )
            if isEnd {
                state.long = nil
                state.at = long.end
            } else {
                let begin = subject.characterStart(ExpressionSubject.context, before: next)
                state.long?.start = subject.raw(begin)
                state.long?.from = next - begin
                state.at = subject.raw(next)
            }
        }
    }

    /// Matches a part up to `accepted`; returns where matches of the next part may begin.
    private mutating func matchPart(
        _ subject: borrowing ExpressionSubject,
        from start: Int,
        accepted: Int,
        isBegin: Bool,
        isEnd: Bool
    ) -> Int {
        var from = start
        while from <= accepted {
            var isCancelled = false
            let range = attempt {
                (matcher: borrowing RegularExpression.Matcher) throws(RegularExpressionError) in
                let result = subject.withBytes { bytes in
                    Result { () throws(RegularExpressionError) in
                        try matcher.firstMatch(
                            in: bytes,
                            count: subject.count,
                            from: from,
                            isBegin: isBegin,
                            isEnd: isEnd
                        ) {
                            isCancelled = Task.isCancelled
                            return !isCancelled
                        }
                    }
                }
                return try result.get()
            }
            if isCancelled { isStopped = true }
            guard let range, range.lowerBound < accepted || isEnd else { break }
            if !range.isEmpty {
                found.append(
                    PackedHit(subject.raw(range.lowerBound), subject.raw(range.upperBound))
                )
            }
            from = range.isEmpty ? next(after: range.upperBound, in: subject) : range.upperBound
        }
        return max(from, accepted)
    }

    private func next(after offset: Int, in subject: borrowing ExpressionSubject) -> Int {
        let count = subject.count
        return subject.withBytes { bytes in
            var at = offset + 1
            guard let bytes else { return at }
            while at < count && bytes[at] & 0xC0 == 0x80 { at += 1 }
            return at
        }
    }

    /// The usual case: matches a text in place, without allocating memory.
    private mutating func matchShort(_ range: Range<Int>) {
        let base = text + range.lowerBound
        var from = 0
        while from <= range.count {
            var isCancelled = false
            let match = attempt {
                (matcher: borrowing RegularExpression.Matcher) throws(RegularExpressionError) in
                try matcher.firstMatch(in: base, count: range.count, from: from) {
                    isCancelled = Task.isCancelled
                    return !isCancelled
                }
            }
            if isCancelled { isStopped = true }
            guard let match else { return }
            if match.isEmpty {
                from = match.upperBound + 1
                while from < range.count && base[from] & 0xC0 == 0x80 { from += 1 }
            } else {
                let start = range.lowerBound + match.lowerBound
                found.append(PackedHit(start, range.lowerBound + match.upperBound))
                from = match.upperBound
            }
        }
    }

    @inline(__always) private mutating func attempt(
        _ body: (borrowing RegularExpression.Matcher) throws(RegularExpressionError) -> Range<Int>?
    ) -> Range<Int>? {
        guard state.givenUp < Self.mostGivenUp else { return nil }
        attempts &+= 1
        do {
            return try body(matcher)
        } catch {
            state.givenUp += 1
            self.error = self.error ?? error
            return nil
        }
    }
}

/// A part of a token or line, decoded for a regular expression, with a map back to the raw bytes.
struct ExpressionSubject {
    /// A longer text is matched in parts of about this many bytes, so that no pattern takes forever.
    static let longest = 64 << 10
    /// By how much two parts overlap; a longer match may be missed at a border.
    static let overlap = 4 << 10
    /// How many bytes before its first match a part repeats, for lookbehind and `\b`.
    static let context = 64

    /// The raw offset of each decoded byte and of the end; nil if nothing was decoded.
    private var offsets: [Int]?
    private var decoded: [UInt8] = []
    private let range: Range<Int>
    private let text: UnsafePointer<UInt8>

    /// The first part of a range.
    init(_ range: Range<Int>, of text: UnsafePointer<UInt8>, decodes: Bool) {
        self.text = text
        guard decodes else {
            var end = range.upperBound
            if range.count > Self.longest {
                end = range.lowerBound + Self.longest
                let earliest = end - 3
                while end > earliest && text[end] & 0xC0 == 0x80 { end -= 1 }
            }
            self.range = range.lowerBound..<end
            return
        }
        var offsets: [Int] = []
        var at = range.lowerBound
        while at < range.upperBound
            && (at - range.lowerBound < Self.longest || text[at] & 0xC0 == 0x80)
        {
            guard text[at] == 0x5C else {
                decoded.append(text[at])
                offsets.append(at)
                at += 1
                continue
            }
            let (value, length) = JSONCharacter.escape(in: text, at: at, end: range.upperBound)
            let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                decoded.append(byte)
                offsets.append(at)
            }
            at += length
        }
        offsets.append(at)
        self.offsets = offsets
        self.range = range.lowerBound..<at
    }

    /// Where the part ends in the text.
    var end: Int { range.upperBound }

    var count: Int { offsets == nil ? range.count : decoded.count }

    /// The raw offset of a decoded byte.
    func raw(_ offset: Int) -> Int { offsets?[offset] ?? range.lowerBound + offset }

    /// Calls `body` with the decoded bytes.
    func withBytes<Value>(_ body: (UnsafePointer<UInt8>?) -> Value) -> Value {
        if offsets == nil { return body(text + range.lowerBound) }
        return decoded.withUnsafeBufferPointer { body($0.baseAddress) }
    }

    /// The start of the character that is up to `distance` bytes before an offset.
    func characterStart(_ distance: Int, before offset: Int) -> Int {
        withBytes { bytes in
            guard let bytes else { return 0 }
            var at = max(0, offset - distance)
            while at > 0 && at < offset && bytes[at] & 0xC0 == 0x80 { at -= 1 }
            return at
        }
    }
}
