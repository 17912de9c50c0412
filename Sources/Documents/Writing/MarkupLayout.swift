/// Rewrites the white space between the tags of XML or HTML; everything else stays as written.
///
/// An element without children stays on one line, and so does a short one with text between its children.
/// It needs no tree: names of open elements are kept in a list, so that depth needs no stack.
struct MarkupLayout {
    /// The greatest length in bytes of an element with text and children that stays on one line.
    private static let inlineLength = 200
    private static let deepestIndentation = 128

    private struct Token {
        enum Kind {
            case open, whole, close, text, other
        }

        var kind: Kind
        var range: Range<Int>
        var name: Range<Int> = 0..<0
    }

    private let text: UnsafeBufferPointer<UInt8>
    private let isHTML: Bool
    private var output: [UInt8] = []
    private var open: [Range<Int>] = []
    /// Names of raw elements that have no end any more.
    private var endless: [String] = []
    /// An end tag further out than this closes nothing, so that hostile text takes no quadratic time.
    private static let reach = 256

    /// The pretty-printed text; nil if a tag or a comment in it has no end.
    static func layOut(_ text: UnsafeBufferPointer<UInt8>, isHTML: Bool) -> [UInt8]? {
        var layout = MarkupLayout(text: text, isHTML: isHTML)
        return layout.run() ? layout.output : nil
    }

    private init(text: UnsafeBufferPointer<UInt8>, isHTML: Bool) {
        self.text = text
        self.isHTML = isHTML
        output.reserveCapacity(text.count + text.count / 4)
    }

    private mutating func run() -> Bool {
        var at = 0
        while at < text.count {
            guard let token = token(at: at) else { return false }
            at = token.range.upperBound
            switch token.kind {
            case .open:
                closeSibling(of: token)
                if let end = lineEnd(of: token) {
                    write(token.range.lowerBound..<end)
                    at = end
                } else {
                    write(token.range)
                    open.append(token.name)
                }
            case .close:
                if let place = open.suffix(Self.reach).lastIndex(where: { isSame($0, token.name) })
                {
                    open.removeSubrange(place...)
                }
                write(token.range)
            case .whole, .other: write(token.range)
            case .text: write(trimmed(token.range))
            }
        }
        return true
    }

    // MARK: - Lines

    private mutating func write(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        if !output.isEmpty { output.append(0x0A) }
        let depth = min(open.count, Self.deepestIndentation)
        output.append(contentsOf: repeatElement(0x20, count: depth * 2))
        output.append(contentsOf: text[range])
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var range = range
        while let first = range.first, Self.isBlank(text[first]) {
            range = first + 1..<range.upperBound
        }
        while let last = range.last, Self.isBlank(text[last]) { range = range.lowerBound..<last }
        return range
    }

    /// The end of an element that stays on one line; nil if it gets lines of its own.
    private mutating func lineEnd(of token: Token) -> Int? {
        if isHTML, isOne(of: Self.rawNames, token.name) { return rawEnd(of: token) }
        var at = token.range.upperBound
        var names = [token.name]
        var (hasText, hasChild) = (false, false)
        while let next = self.token(at: at) {
            at = next.range.upperBound
            // A long text alone stays whole.
            let isLong = at - token.range.lowerBound > Self.inlineLength
            switch next.kind {
            // Text within a child is that child's.
            case .text where names.count == 1: hasText = hasText || !trimmed(next.range).isEmpty
            case .text: break
            case .open:
                names.append(next.name)
                hasChild = true
            case .close:
                guard let last = names.popLast(), isSame(last, next.name) else { return nil }
                if names.isEmpty { return !hasChild || hasText && !isLong ? at : nil }
            case .whole, .other: hasChild = true
            }
            if hasChild && isLong { return nil }
        }
        return nil
    }

    /// The end of a script, or of another element whose white space counts.
    private mutating func rawEnd(of token: Token) -> Int? {
        let name = String(decoding: text[token.name].map(lowered), as: UTF8.self)
        guard !endless.contains(name) else { return nil }
        var at = token.range.upperBound
        while at + 1 < text.count {
            if text[at] == 0x3C, text[at + 1] == 0x2F, let close = tag(at: at),
                isSame(close.name, token.name)
            {
                return close.range.upperBound
            }
            at += 1
        }
        endless.append(name)
        return nil
    }

    /// In HTML, an item of a list ends where the next begins.
    private mutating func closeSibling(of token: Token) {
        guard isHTML, let last = open.last, isSame(last, token.name),
            isOne(of: Self.optionalEnds, token.name)
        else { return }
        open.removeLast()
    }

    // MARK: - Tokens

    private func token(at start: Int) -> Token? {
        guard start < text.count else { return nil }
        guard text[start] == 0x3C, let kind = markup(at: start) else {
            var end = start + 1
            while end < text.count, text[end] != 0x3C || markup(at: end) == nil { end += 1 }
            return Token(kind: .text, range: start..<end)
        }
        switch kind {
        case .comment: return other(start, until: "-->")
        case .data:
            return find("]]>", from: start).map { Token(kind: .text, range: start..<$0) }
        case .instruction: return other(start, until: isHTML ? ">" : "?>")
        case .declaration: return declaration(at: start)
        case .tag: return tag(at: start)
        }
    }

    private enum Markup {
        case comment, data, instruction, declaration, tag
    }

    /// What begins at a `<`; nil if it is text.
    private func markup(at start: Int) -> Markup? {
        guard start + 1 < text.count else { return nil }
        switch text[start + 1] {
        case 0x21:  // !
            if has("<!--", at: start) { return .comment }
            return has("<![CDATA[", at: start) ? .data : .declaration
        case 0x3F: return .instruction
        case 0x2F: return start + 2 < text.count && Self.isNameStart(text[start + 2]) ? .tag : nil
        case let byte: return Self.isNameStart(byte) ? .tag : nil
        }
    }

    private func other(_ start: Int, until end: StaticString) -> Token? {
        find(end, from: start + 2).map { Token(kind: .other, range: start..<$0) }
    }

    /// A document type, which may have declarations in brackets.
    private func declaration(at start: Int) -> Token? {
        var (depth, quote) = (0, UInt8(0))
        for at in start..<text.count {
            let byte = text[at]
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if byte == 0x22 || byte == 0x27 {
                quote = byte
            } else if byte == 0x5B || byte == 0x5D {
                depth += byte == 0x5B ? 1 : -1
            } else if byte == 0x3E, depth <= 0 {
                return Token(kind: .other, range: start..<at + 1)
            }
        }
        return nil
    }

    private func tag(at start: Int) -> Token? {
        let isClose = text[start + 1] == 0x2F
        let nameStart = start + (isClose ? 2 : 1)
        var at = nameStart
        while at < text.count, !Self.isBlank(text[at]), text[at] != 0x3E, text[at] != 0x2F {
            at += 1
        }
        let name = nameStart..<at
        // A quotation mark begins a value only after `=`.
        var (quote, last) = (UInt8(0), UInt8(0))
        while at < text.count {
            let byte = text[at]
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if last == 0x3D, byte == 0x22 || byte == 0x27 {
                quote = byte
            } else if byte == 0x3E {
                let isWhole =
                    text[at - 1] == 0x2F || isHTML && isOne(of: Self.voidNames, name)
                return Token(
                    kind: isClose ? .close : isWhole ? .whole : .open,
                    range: start..<at + 1,
                    name: name
                )
            }
            if !Self.isBlank(byte) { last = byte }
            at += 1
        }
        return nil
    }

    // MARK: - Bytes

    private static let rawNames = ["script", "style", "pre", "textarea"]
    private static let voidNames = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
        "source",
        "track", "wbr",
    ]
    private static let optionalEnds = [
        "li", "p", "td", "th", "tr", "dt", "dd", "option", "thead", "tbody", "tfoot",
    ]

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func isNameStart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == 0x5F || byte == 0x3A || (0x61...0x7A).contains(byte | 0x20)
    }

    private func isSame(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        guard a.count == b.count else { return false }
        return zip(text[a], text[b]).allSatisfy { $0 == $1 || isHTML && lowered($0) == lowered($1) }
    }

    private func isOne(of names: [String], _ name: Range<Int>) -> Bool {
        names.contains {
            $0.utf8.count == name.count && $0.utf8.elementsEqual(text[name].map(lowered))
        }
    }

    private func lowered(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    private func has(_ word: StaticString, at start: Int) -> Bool {
        guard start + word.utf8CodeUnitCount <= text.count else { return false }
        return (0..<word.utf8CodeUnitCount).allSatisfy { text[start + $0] == word.utf8Start[$0] }
    }

    /// The offset after the next occurrence of a word; nil if there is none.
    private func find(_ word: StaticString, from start: Int) -> Int? {
        var at = start
        while at < text.count {
            if has(word, at: at) { return at + word.utf8CodeUnitCount }
            at += 1
        }
        return nil
    }
}
