/// Rewrites the white space of a well-formed text; every token stays as written.
///
/// It needs no tree, because the brackets are in the text: depth costs a number and no stack.
struct TextLayout {
    /// Deeper values are indented no further: a million levels would be a terabyte of spaces.
    static let deepestIndentation = 256

    private let text: UnsafePointer<UInt8>
    private let end: Int

    /// Lays out a text up to `end`, after which padding follows.
    init(_ text: UnsafePointer<UInt8>, end: Int) {
        self.text = text
        self.end = end
    }

    // MARK: - Minified

    func minify(from start: Int, to output: inout OutputBuffer) throws {
        let text = text
        let end = end
        var run = start
        var at = start
        while at < end {
            let byte = text[at]
            if byte == 0x22 {
                at = Self.stringEnd(text, at)
            } else if byte > 0x20 {
                at &+= 1
            } else {
                if at > run { try output.append(padded: text + run, at &- run) }
                at = Self.skipSpace(text, at)
                run = at
            }
        }
        if end > run { try output.append(text + run, end - run) }
    }

    // MARK: - Pretty

    func prettify(from start: Int, style: PrettyStyle, to output: inout OutputBuffer) throws {
        let unit = style.unit
        let line =
            [0x0A] + Array(repeatElement(unit, count: Self.deepestIndentation).joined())
            + Array(repeating: 0, count: 16)
        try line.withUnsafeBufferPointer { line in
            guard let line = line.baseAddress else { return }
            try prettify(
                from: start,
                line: line,
                unit: unit.count,
                width: style.lineWidth,
                to: &output
            )
        }
    }

    private func prettify(
        from start: Int,
        line: UnsafePointer<UInt8>,
        unit: Int,
        width: Int,
        to output: inout OutputBuffer
    ) throws {
        let text = text
        let end = end
        let deepest = Self.deepestIndentation &* unit
        var at = start
        var depth = 0
        while at < end {
            let byte = text[at]
            switch byte {
            case 0x22, 0x2D, 0x30...0x39, 0x61...0x7A:
                let next = byte == 0x22 ? Self.stringEnd(text, at) : Self.wordEnd(text, at)
                try output.append(padded: text + at, next &- at)
                at = next
            case 0x2C:
                try output.append(byte)
                try output.append(padded: line, 1 &+ min(depth, deepest))
                at &+= 1
            case 0x3A:
                try output.append(byte)
                try output.append(0x20)
                at &+= 1
            case 0x5B, 0x7B:
                at = try open(at, width: width, to: &output)
                guard text[at &- 1] == byte else { break }
                depth &+= unit
                try output.append(padded: line, 1 &+ min(depth, deepest))
            case 0x5D, 0x7D:
                depth &-= unit
                try output.append(padded: line, 1 &+ min(depth, deepest))
                try output.append(byte)
                at &+= 1
            default: at = Self.skipSpace(text, at)
            }
        }
    }

    /// Writes an opening bracket, or a whole container that stays on the line; returns the offset after it.
    @inline(__always) private func open(
        _ at: Int,
        width: Int,
        to output: inout OutputBuffer
    ) throws -> Int {
        let next = Self.skipSpace(text, at &+ 1)
        try output.append(text[at])
        if text[next] | 0x20 == 0x7D {
            try output.append(text[next])
            return next &+ 1
        }
        if width > 0 && text[at] == 0x5B, let closing = shortEnd(next, width: width) {
            try writeLine(next, closing, to: &output)
            return closing
        }
        return at &+ 1
    }

    /// The offset after an array of scalars that fits on one line; nil for any other container.
    private func shortEnd(_ first: Int, width: Int) -> Int? {
        var at = first
        // Both brackets and the space after every comma count.
        var length = 2
        while at < end && length <= width {
            let next: Int
            switch text[at] {
            case 0x22: next = Self.stringEnd(text, at)
            case 0x5B, 0x7B: return nil
            case 0x5D: return at + 1
            case 0x2C:
                next = at + 1
                length += 1
            default: next = Self.wordEnd(text, at)
            }
            length += next - at
            at = Self.skipSpace(text, next)
        }
        return nil
    }

    private func writeLine(_ first: Int, _ end: Int, to output: inout OutputBuffer) throws {
        var at = first
        while at < end {
            let byte = text[at]
            let next =
                byte == 0x22
                ? Self.stringEnd(text, at)
                : byte == 0x2C || byte == 0x5D ? at + 1 : Self.wordEnd(text, at)
            try output.append(text + at, next - at)
            if byte == 0x2C { try output.append(0x20) }
            at = next == end ? end : Self.skipSpace(text, next)
        }
    }

    // MARK: - Tokens

    /// The offset after a string.
    @inline(__always) static func stringEnd(_ text: UnsafePointer<UInt8>, _ start: Int) -> Int {
        var at = start &+ 1
        while true {
            at = FastestScanner.next(text, at)
            let byte = text[at]
            if byte == 0x22 { return at &+ 1 }
            at &+= byte == 0x5C ? 2 : 1
            // The vector scanner would stop at each byte of a run that is not ASCII.
            while text[at] >= 0x80 { at &+= 1 }
        }
    }

    /// The offset after a number or a literal.
    @inline(__always) static func wordEnd(_ text: UnsafePointer<UInt8>, _ start: Int) -> Int {
        var at = start &+ 1
        // Of the bytes 0x21...0x2F, only a comma may follow a number; + - . are part of it.
        while true {
            let byte = text[at]
            guard byte > 0x2A && byte != 0x2C && byte | 0x20 != 0x7D else { return at }
            at &+= 1
        }
    }

    @inline(__always) static func skipSpace(_ text: UnsafePointer<UInt8>, _ start: Int) -> Int {
        var at = start
        // NUL is the padding, not white space.
        while text[at] <= 0x20 && text[at] != 0 { at &+= 1 }
        return at
    }
}
