/// A key, as the bytes that xterm sends for it.
struct TypedKey {
    var bytes: String

    static let enter = TypedKey(bytes: "\r")
    static let escape = TypedKey(bytes: "\u{1B}")
    static let tab = TypedKey(bytes: "\t")
    static let shiftTab = TypedKey(bytes: "\u{1B}[Z")
    static let backspace = TypedKey(bytes: "\u{7F}")
    static let up = TypedKey(bytes: "\u{1B}OA")
    static let down = TypedKey(bytes: "\u{1B}OB")
    static let right = TypedKey(bytes: "\u{1B}OC")
    static let left = TypedKey(bytes: "\u{1B}OD")
    static let home = TypedKey(bytes: "\u{1B}OH")
    static let end = TypedKey(bytes: "\u{1B}OF")
    static let pageUp = TypedKey(bytes: "\u{1B}[5~")
    static let pageDown = TypedKey(bytes: "\u{1B}[6~")

    /// ctrl with a small letter.
    static func control(_ letter: Unicode.Scalar) -> TypedKey {
        TypedKey(bytes: String(Unicode.Scalar(UInt8(letter.value & 0x1F))))
    }
}
