/// A colour as a theme names it.
package enum Color: Hashable, Sendable {
    /// What the terminal has by itself.
    case terminal
    /// One of the 16 that people choose in their terminal: 0-7, and 8-15 bright.
    case ansi(UInt8)
    /// Red, green, blue.
    case rgb(UInt8, UInt8, UInt8)
}

extension Color {
    /// The colour number for a terminal of this depth; -1 is the terminal's own colour.
    func number(in depth: ColorDepth) -> Int {
        switch (self, depth) {
        case (.terminal, _), (_, .mono): -1
        case (.ansi(let number), _): Int(number)
        case (.rgb(let red, let green, let blue), .sixteen):
            Self.nearestOfSixteen(Int(red), Int(green), Int(blue))
        case (.rgb(let red, let green, let blue), .indexed256):
            Self.nearestOf256(Int(red), Int(green), Int(blue))
        case (.rgb(let red, let green, let blue), .trueColor):
            Self.direct(Int(red), Int(green), Int(blue))
        }
    }

    /// With direct colours the numbers 0...7 are the palette's own: near-black becomes 8.
    private static func direct(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        max(8, red << 16 | green << 8 | blue)
    }

    /// The colour cube and the grey ramp only: people change the first 16.
    private static func nearestOf256(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        let levels = [0, 95, 135, 175, 215, 255]
        func level(_ value: Int) -> Int {
            value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40
        }
        let (r, g, b) = (level(red), level(green), level(blue))
        let cube = distance((red, green, blue), (levels[r], levels[g], levels[b]))
        let step = min(23, max(0, ((red + green + blue) / 3 - 3) / 10))
        let grey = 8 + 10 * step
        let ramp = distance((red, green, blue), (grey, grey, grey))
        return ramp < cube ? 232 + step : 16 + 36 * r + 6 * g + b
    }

    /// By hue first: the nearest by distance makes most pastels white or grey.
    private static func nearestOfSixteen(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        let high = max(red, green, blue)
        let low = min(red, green, blue)
        guard high - low > max(24, high / 5) else {
            return high < 48 ? 0 : high < 144 ? 8 : high < 216 ? 7 : 15
        }
        let middle = (high + low) / 2
        let bits = (red > middle ? 1 : 0) | (green > middle ? 2 : 0) | (blue > middle ? 4 : 0)
        return high > 176 && low > 64 ? bits + 8 : bits
    }

    private static func distance(_ one: (Int, Int, Int), _ other: (Int, Int, Int)) -> Int {
        let (r, g, b) = (one.0 - other.0, one.1 - other.1, one.2 - other.2)
        return r * r + g * g + b * b
    }
}

extension Color {
    private static let ansiNames = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    ]

    /// Reads `#rrggbb`, `default`, an ansi name (`red`), or one with `bright` before (`brightRed`).
    init?(text: String) {
        if text == "default" {
            self = .terminal
        } else if text.hasPrefix("#"), text.utf8.count == 7,
            let value = UInt32(text.dropFirst(), radix: 16)
        {
            self = .rgb(UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255))
        } else if let number = Self.ansiNames.firstIndex(of: text) {
            self = .ansi(UInt8(number))
        } else if text.hasPrefix("bright"),
            let number = Self.ansiNames.firstIndex(of: text.dropFirst(6).lowercased())
        {
            self = .ansi(UInt8(number + 8))
        } else {
            return nil
        }
    }
}

/// How many colours a terminal shows.
package enum ColorDepth: Int, Comparable, Sendable {
    /// None: bold, dim, underline and reverse tell things apart.
    case mono
    /// The 16 of its own palette.
    case sixteen
    /// A fixed palette of 256.
    case indexed256
    /// 24 bits.
    case trueColor

    /// Fewer colours come first.
    package static func < (left: ColorDepth, right: ColorDepth) -> Bool {
        left.rawValue < right.rawValue
    }
}
