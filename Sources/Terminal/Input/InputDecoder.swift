/// Decodes bytes from a terminal to events, incrementally and however the bytes are split.
///
/// Used instead of ncurses' own reading, which reads byte by byte (a paste of 100 kB takes a quarter of a
/// second), waits on a lone ESC, and knows neither pastes nor replies.
package struct InputDecoder {
    private var pending: [UInt8] = []
    private var paste: [UInt8]?
    /// Whether nothing came for a while in the middle of a paste.
    private var hasPastePaused = false
    /// Whether nothing came for a while in the middle of a response about a color.
    private var hasResponsePaused = false
    /// The beginning of a response that was mistaken for keys, because nothing came after it for a while.
    private var takenForKeys: [UInt8] = []
    private var answered: PixelColor?

    /// Whether the terminal was asked for its background and has not answered.
    var expectsResponse = false

    private static let escape: UInt8 = 0x1B
    private static let controlC: UInt8 = 0x03
    private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)
    /// A longer sequence is not one; a longer reply is dropped.
    private static let longestSequence = 64
    private static let longestReply = 65536
    /// Only the beginning of a longer paste is kept, because no field takes more.
    private static let longestPaste = 1 << 20

    /// Makes a decoder without pending input.
    package init() {}

    /// Whether the input so far is incomplete: an ESC that may begin a sequence, or a paste.
    ///
    /// If nothing comes within some 25 ms, call `finishWaiting`.
    package var isWaiting: Bool {
        paste == nil ? !pending.isEmpty && !hasResponsePaused : !hasPastePaused
    }

    /// Whether what is pending may be the beginning of the expected response, or keys.
    var mayBeginResponse: Bool {
        expectsResponse && paste == nil && Self.responseBeginnings.contains(pending)
    }

    /// ESC and `ESC ]`, which is also alt+].
    private static let responseBeginnings: [[UInt8]] = [[escape], [escape, UInt8(ascii: "]")]]

    /// The terminal's background, if it has answered since this was last called.
    mutating func takeBackground() -> PixelColor? {
        defer { answered = nil }
        return answered
    }

    /// Takes bytes; returns the complete events.
    package mutating func decode(_ bytes: UnsafeRawBufferPointer) -> [InputEvent] {
        guard !bytes.isEmpty else { return [] }
        // A paste whose end never comes would take all keys for ever, so a lone ctrl-c after a pause ends it. A
        // pause alone does not: on a slow line the rest of the paste would be mistaken for keys. Nor does a ctrl-c
        // with more after it.
        if hasPastePaused, bytes.count == 1, bytes[0] == Self.controlC {
            (pending, paste) = ([], nil)
        }
        (hasPastePaused, hasResponsePaused) = (false, false)
        // Nobody types these bytes at once, so it was the beginning of a response.
        if !takenForKeys.isEmpty, ColorResponse.begins(takenForKeys + bytes.prefix(4)) {
            pending = takenForKeys
        }
        takenForKeys = []
        pending.append(contentsOf: bytes)
        var events: [InputEvent] = []
        var position = 0
        while position < pending.count {
            let step = paste == nil ? event(at: position) : pasted(at: position)
            guard let step else { break }
            if let event = step.event { events.append(event) }
            position += step.length
        }
        pending.removeFirst(position)
        return events
    }

    /// Takes bytes; returns the complete events.
    package mutating func decode(_ bytes: [UInt8]) -> [InputEvent] {
        bytes.withUnsafeBytes { decode($0) }
    }

    /// Call this if nothing more came.
    ///
    /// A lone ESC becomes the escape key, and an incomplete sequence the keys of its bytes. A paste continues,
    /// but ctrl-c now ends it.
    package mutating func finishWaiting() -> [InputEvent] {
        guard isWaiting else { return [] }
        hasPastePaused = paste != nil
        if hasPastePaused { return [] }
        if ColorResponse.mayBegin(pending) {
            hasResponsePaused = true
            return []
        }
        let rest = pending
        pending = []
        takenForKeys = Self.responseBeginnings.contains(rest) ? rest : []
        guard rest.first == Self.escape else { return [.key(.character("\u{FFFD}"))] }
        // An incomplete reply is not input.
        if rest.count > 2, Self.isReply(rest[1]) { return [] }
        let beginning = takenForKeys
        let keys = [.key(Key(.escape))] + decode(Array(rest.dropFirst())) + finishWaiting()
        takenForKeys = beginning
        return keys
    }

    private typealias Step = (event: InputEvent?, length: Int)

    /// The event that begins at `start`; nil if bytes are missing.
    private mutating func event(at start: Int) -> Step? {
        let byte = pending[start]
        if byte == Self.escape { return escaped(at: start) }
        if byte < 0x80 { return (.key(Self.key(control: byte)), 1) }
        return character(at: start)
    }

    private mutating func escaped(at start: Int) -> Step? {
        guard start + 1 < pending.count else { return nil }
        let next = pending[start + 1]
        switch next {
        case UInt8(ascii: "["): return sequence(at: start)
        case UInt8(ascii: "O"):
            guard start + 2 < pending.count else { return nil }
            return single(final: pending[start + 2])
        case _ where Self.isReply(next): return reply(at: start)
        case Self.escape: return (.key(Key(.escape)), 1)
        default:
            guard var step = event(at: start + 1) else { return nil }
            if case .key(var key) = step.event {
                key.modifiers.insert(.alt)
                step.event = .key(key)
            }
            return (step.event, step.length + 1)
        }
    }

    /// SS3: arrows in application mode, and F1 to F4.
    private func single(final byte: UInt8) -> Step {
        if byte == UInt8(ascii: "M") { return (.key(Key(.enter)), 3) }
        if let code = ControlSequence.code(final: byte) { return (.key(Key(code)), 3) }
        // Alt and O, and then something else.
        return (.key(Key(.character("O"), .alt)), 2)
    }

    /// CSI: parameters, then a final byte.
    private mutating func sequence(at start: Int) -> Step? {
        var end = start + 2
        while end < pending.count, 0x20..<0x40 ~= pending[end] {
            end += 1
            // Given up, so that endless digits after ESC [ are not held back.
            if end - start > Self.longestSequence { return (nil, end - start) }
        }
        guard end < pending.count else { return nil }
        let length = end - start + 1
        // The Linux console sends F1 to F5 as ESC [ [ A to E.
        if pending[end] == UInt8(ascii: "["), end == start + 2 {
            guard end + 1 < pending.count else { return nil }
            return (
                ControlSequence.consoleKey(final: pending[end + 1]).map { .key($0) }, length + 1
            )
        }
        guard 0x40..<0x7F ~= pending[end] else { return (nil, end - start) }
        let sequence = ControlSequence(parameters: pending[(start + 2)..<end], final: pending[end])
        if sequence.isPasteStart { paste = [] }
        return (sequence.event, length)
    }

    /// OSC, DCS, APC and PM are replies to questions, and are dropped up to ST or BEL.
    private mutating func reply(at start: Int) -> Step? {
        var response = ColorResponse.mayBegin(pending[start...]) ? ColorResponse() : nil
        var end = start + 2
        while end < pending.count {
            if pending[end] == 0x07 {
                learn(from: start + 2..<end)
                return (nil, end - start + 1)
            }
            if pending[end] == Self.escape {
                guard end + 1 < pending.count else { return nil }
                let isTerminator = pending[end + 1] == UInt8(ascii: "\\")
                if isTerminator { learn(from: start + 2..<end) }
                // Another reply ends this one.
                guard !isTerminator, response != nil, !Self.isReply(pending[end + 1]) else {
                    return (nil, end - start + (isTerminator ? 2 : 0))
                }
            }
            if response?.takes(pending[end]) == false { return typed(at: end, within: start) }
            end += 1
        }
        return end - start > Self.longestReply ? (nil, end - start) : nil
    }

    /// A key that was typed while a response about a color came in pieces; it is taken out of the response.
    private mutating func typed(at place: Int, within start: Int) -> Step? {
        // Longer than any response with a few keys: the rest of it will not come.
        guard place - start <= ColorResponse.longest, pending.count - start <= 4096 else {
            return (nil, place - start)
        }
        guard let step = event(at: place) else { return nil }
        pending.removeSubrange(place..<place + step.length)
        return (step.event, 0)
    }

    /// Takes the color from the text of a reply, if that is the terminal's background.
    private mutating func learn(from text: Range<Int>) {
        let prefix = Array("11;".utf8)
        guard pending[text].starts(with: prefix) else { return }
        expectsResponse = false
        let color = String(decoding: pending[text].dropFirst(prefix.count), as: UTF8.self)
        answered = PixelColor(response: color) ?? answered
    }

    private static func isReply(_ byte: UInt8) -> Bool {
        [UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^")].contains(byte)
    }

    private mutating func pasted(at start: Int) -> Step? {
        let end = Self.pasteEnd
        let next = pending.withUnsafeBufferPointer { bytes -> Int in
            var at = start
            while at < bytes.count, bytes[at] != Self.escape { at += 1 }
            return at
        }
        if next > start {
            let room = max(0, Self.longestPaste - (paste?.count ?? 0))
            paste?.append(contentsOf: pending[start..<next].prefix(room))
            return (nil, next - start)
        }
        let rest = pending[start...].prefix(end.count)
        if rest.elementsEqual(end) {
            let text = PastedText.decode(paste ?? [])
            paste = nil
            return (.paste(text), end.count)
        }
        if end.starts(with: rest) { return nil }
        if paste?.count ?? 0 < Self.longestPaste { paste?.append(Self.escape) }
        return (nil, 1)
    }

    private func character(at start: Int) -> Step? {
        let lead = pending[start]
        let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
        guard 0xC2..<0xF5 ~= lead else { return (.key(.character("\u{FFFD}")), 1) }
        let available = pending[start...].prefix(length)
        guard available.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else {
            return (.key(.character("\u{FFFD}")), 1)
        }
        guard available.count == length else { return nil }
        let text = String(decoding: available, as: UTF8.self)
        return (.key(.character(text.first ?? "\u{FFFD}")), length)
    }

    private static func key(control byte: UInt8) -> Key {
        switch byte {
        case 0x00: Key(.character(" "), .control)
        case 0x08, 0x7F: Key(.backspace)
        case 0x09: Key(.tab)
        case 0x0A, 0x0D: Key(.enter)
        case 0x01...0x1A: Key(.character(Character(Unicode.Scalar(byte + 0x60))), .control)
        case 0x1C...0x1F: Key(.character(Character(Unicode.Scalar(byte + 0x40))), .control)
        default: .character(Character(Unicode.Scalar(byte)))
        }
    }
}

/// A key, a paste or a report of the terminal, decoded from its bytes.
package enum InputEvent: Hashable, Sendable {
    /// A key was pressed, with its modifiers.
    case key(Key)
    /// Pasted text, with `\n` for every kind of newline.
    case paste(String)
    /// The mouse was moved, clicked or scrolled.
    case mouse(MouseEvent)
    /// The window gained or lost the focus.
    case focus(Bool)
}

/// Turns the carriage returns that terminals send for newlines of a paste into `\n`.
enum PastedText {
    static func decode(_ bytes: [UInt8]) -> String {
        guard bytes.contains(0x0D) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0D {
                result.append(0x0A)
            } else if byte != 0x0A || index == 0 || bytes[index - 1] != 0x0D {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
