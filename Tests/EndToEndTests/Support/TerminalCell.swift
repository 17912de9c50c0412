import CTerminalHarness

/// A cell as the terminal shows it.
struct TerminalCell: Equatable {
    /// The character with its marks; empty where nothing was ever written.
    var text: String
    /// 2 for a wide character, 0 for its right half.
    var width: Int
    /// 0xRRGGBB; nil for the terminal's own.
    var foreground: UInt32?
    /// 0xRRGGBB; nil for the terminal's own.
    var background: UInt32?
    var isBold: Bool
    var isItalic: Bool
    var isUnderlined: Bool
    var isReversed: Bool
    var isStruck: Bool

    init(_ cell: harness_cell) {
        var scalars = String.UnicodeScalarView()
        withUnsafeBytes(of: cell.characters) { raw in
            for value in raw.bindMemory(to: UInt32.self) {
                guard value != 0, let scalar = Unicode.Scalar(value) else { break }
                scalars.append(scalar)
            }
        }
        text = String(scalars)
        width = Int(cell.width)
        foreground = cell.has_default_foreground != 0 ? nil : cell.foreground
        background = cell.has_default_background != 0 ? nil : cell.background
        isBold = cell.bold != 0
        isItalic = cell.italic != 0
        isUnderlined = cell.underline != 0
        isReversed = cell.reverse != 0
        isStruck = cell.strike != 0
    }
}
