/// A control sequence that a terminal sends: `ESC [ 1 ; 5 C` is ctrl+right.
struct ControlSequence {
    private let numbers: [Int]
    private let isMouse: Bool
    private let isPrivate: Bool
    private let final: UInt8

    init(parameters: ArraySlice<UInt8>, final: UInt8) {
        self.final = final
        isMouse = parameters.first == UInt8(ascii: "<")
        isPrivate = parameters.first.map { 0x3C...0x3F ~= $0 } ?? false
        var numbers: [Int] = []
        var number = 0
        for byte in parameters {
            if byte == UInt8(ascii: ";") {
                numbers.append(number)
                number = 0
            } else if 0x30...0x39 ~= byte {
                number = min(number * 10 + Int(byte - 0x30), 99999)
            }
        }
        if !parameters.isEmpty { numbers.append(number) }
        self.numbers = numbers
    }

    var isPasteStart: Bool { final == UInt8(ascii: "~") && numbers.first == 200 }

    /// The event; nil for replies and unknown sequences.
    var event: InputEvent? {
        if isMouse { return mouse }
        if isPrivate { return nil }
        switch final {
        case UInt8(ascii: "I"): return .focus(true)
        case UInt8(ascii: "O"): return .focus(false)
        case UInt8(ascii: "Z"): return .key(Key(.tab, .shift))
        case UInt8(ascii: "~"):
            return numbers.first.flatMap(Self.code(number:)).map { .key(Key($0, modifiers)) }
        case UInt8(ascii: "u"): return unicodeKey
        default: return Self.code(final: final).map { .key(Key($0, modifiers)) }
        }
    }

    private var mouse: InputEvent? {
        guard numbers.count == 3, [UInt8(ascii: "M"), UInt8(ascii: "m")].contains(final) else {
            return nil
        }
        return .mouse(
            MouseEvent(
                report: numbers[0],
                column: numbers[1],
                row: numbers[2],
                isRelease: final == UInt8(ascii: "m")
            )
        )
    }

    /// The second parameter is 1 plus the bits of the modifiers.
    private var modifiers: KeyModifiers {
        guard numbers.count > 1, numbers[1] > 1 else { return [] }
        return KeyModifiers(rawValue: UInt8(truncatingIfNeeded: numbers[1] - 1) & 7)
    }

    /// Keys of the kitty protocol: never requested, but some terminals always send them.
    private var unicodeKey: InputEvent? {
        guard let number = numbers.first, let scalar = Unicode.Scalar(UInt32(number)) else {
            return nil
        }
        switch number {
        case 9: return .key(Key(.tab, modifiers))
        case 13: return .key(Key(.enter, modifiers))
        case 27: return .key(Key(.escape, modifiers))
        case 8, 127: return .key(Key(.backspace, modifiers))
        default: return number < 32 ? nil : .key(Key(.character(Character(scalar)), modifiers))
        }
    }

    static func code(final byte: UInt8) -> KeyCode? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "P"): .function(1)
        case UInt8(ascii: "Q"): .function(2)
        case UInt8(ascii: "R"): .function(3)
        case UInt8(ascii: "S"): .function(4)
        default: nil
        }
    }

    static func consoleKey(final byte: UInt8) -> Key? {
        guard UInt8(ascii: "A")...UInt8(ascii: "E") ~= byte else { return nil }
        return Key(.function(Int(byte - UInt8(ascii: "A")) + 1))
    }

    private static func code(number: Int) -> KeyCode? {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11...15: .function(number - 10)
        case 17...21: .function(number - 11)
        case 23...26: .function(number - 12)
        case 28, 29: .function(number - 13)
        case 31...34: .function(number - 14)
        default: nil
        }
    }
}
