/// A color in a theme.
package enum Color: Hashable, Sendable {
    /// The terminal's default color.
    case terminal
    /// One of the terminal's 16 palette colors, which users can change: 0-7, and 8-15 bright.
    case ansi(UInt8)
    /// Red, green, blue.
    case rgb(UInt8, UInt8, UInt8)
}

extension Color {
    /// The color number for a terminal of this depth; -1 is the terminal's default color.
    func number(in depth: ColorDepth, isBackground: Bool = false) -> Int {
        switch (self, depth) {
        case (.terminal, _), (_, .mono): -1
        // Direct color has no number for it: this one is a near-black.
        case (.ansi(8), .trueColor): 0x808080
        case (.ansi(let number), _): Int(number)
        case (.rgb(let red, let green, let blue), .sixteen):
            Self.nearestOfSixteen(Int(red), Int(green), Int(blue), isBackground)
        case (.rgb(let red, let green, let blue), .indexed256):
            Self.nearestOf256(Int(red), Int(green), Int(blue))
        case (.rgb(let red, let green, let blue), .trueColor):
            Self.direct(Int(red), Int(green), Int(blue))
        }
    }

    /// With direct colors the numbers 0...7 and 9...15 mean the palette's colors, so near-black becomes 8 or 16.
    private static func direct(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        let number = max(8, red << 16 | green << 8 | blue)
        return 9...15 ~= number ? 16 : number
    }

    /// The levels of the color cube.
    private static let levels = [0, 95, 135, 175, 215, 255]

    /// The nearest color of the color cube and the gray ramp, because users change the first 16.
    ///
    /// A color with a hue keeps it: by distance alone, dark greens and reds are nearest to a gray. Near-black
    /// has no visible hue, and the cube's first level is too bright for it.
    private static func nearestOf256(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        let asked = RGB(red, green, blue)
        guard asked.chroma >= 24, asked.high >= 96 else { return nearestGrey(red, green, blue) }
        func near(_ value: Int) -> [Int] {
            let above = levels.firstIndex { $0 >= value } ?? 5
            return above == 0 ? [0, 1] : [above - 1, above]
        }
        var best = (cost: Int.max, number: 0)
        for r in near(red) {
            for g in near(green) {
                for b in near(blue) {
                    let found = RGB(levels[r], levels[g], levels[b])
                    guard found.chroma > 0 else { continue }
                    let cost = asked.cost(of: found)
                    if cost < best.cost { best = (cost, 16 + 36 * r + 6 * g + b) }
                }
            }
        }
        return best.number
    }

    private static func nearestGrey(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        let mean = (red + green + blue) / 3
        // The ramp goes from 8 to 238; the cube has black and white.
        if mean < 4 { return 16 }
        if mean > 246 { return 231 }
        return 232 + min(23, (mean - 3) / 10)
    }

    /// The nearest of the 16 colors, by hue first; by distance alone, most pastels become white or gray.
    private static func nearestOfSixteen(
        _ red: Int,
        _ green: Int,
        _ blue: Int,
        _ isBackground: Bool
    ) -> Int {
        let asked = RGB(red, green, blue)
        guard asked.chroma > max(24, asked.high / 5), asked.high >= 64 else {
            // A background is never a middle gray, because no text is readable on it.
            if isBackground { return asked.high < 144 ? 0 : asked.high < 240 ? 7 : 15 }
            return asked.high < 48 ? 0 : asked.high < 144 ? 8 : asked.high < 216 ? 7 : 15
        }
        let middle = asked.high - asked.chroma / 2
        let bits = (red > middle ? 1 : 0) | (green > middle ? 2 : 0) | (blue > middle ? 4 : 0)
        // Dark yellow is brown on some terminals, and neither black nor white is readable on both.
        if isBackground, bits == 3 { return 11 }
        return asked.high > 176 && asked.high - asked.chroma > 64 ? bits + 8 : bits
    }

    /// A color's components, to find a similar one in a palette.
    private struct RGB {
        let red, green, blue: Int

        init(_ red: Int, _ green: Int, _ blue: Int) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        var high: Int { max(red, green, blue) }
        var chroma: Int { high - min(red, green, blue) }
        private var luma: Int { (2 * red + 5 * green + blue) / 8 }

        /// In degrees.
        private var hue: Int {
            if red == high { return (60 * (green - blue) / chroma + 360) % 360 }
            if green == high { return 60 * (blue - red) / chroma + 120 }
            return 60 * (red - green) / chroma + 240
        }

        /// How different another color is; a degree of hue counts as much as a step of brightness.
        func cost(of other: RGB) -> Int {
            let turn = abs(hue - other.hue)
            let (h, l) = (min(turn, 360 - turn), luma - other.luma)
            let c = (chroma - other.chroma) / 2
            return h * h + l * l + c * c
        }
    }
}

extension Color {
    private static let ansiNames = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    ]

    /// Makes a color of 0xRRGGBB.
    init(rgb value: UInt32) {
        self = .rgb(UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255))
    }

    /// Parses `#rrggbb`, `default`, an ANSI name (`red`), or a bright one (`brightRed`); nil for other texts.
    init?(text: String) {
        if text == "default" {
            self = .terminal
        } else if text.hasPrefix("#"), text.utf8.count == 7,
            let value = UInt32(text.dropFirst(), radix: 16)
        {
            self = Color(rgb: value)
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

/// How many colors a terminal shows.
package enum ColorDepth: Int, Comparable, Sendable {
    /// None; styles differ by bold, dim, italic, underline and reverse.
    case mono
    /// The 16 of its own palette.
    case sixteen
    /// A fixed palette of 256.
    case indexed256
    /// 24 bits.
    case trueColor

    /// Fewer colors come first.
    package static func < (left: ColorDepth, right: ColorDepth) -> Bool {
        left.rawValue < right.rawValue
    }
}
