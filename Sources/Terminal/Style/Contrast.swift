import Glibc

/// How well text can be read on a background, as WCAG 2.2 measures it.
enum Contrast {
    /// The lowest ratio for text at level AA (1.4.3).
    static let forText = 4.5

    /// The contrast ratio of two colors in any order, from 1 to 21.
    static func ratio(_ one: UInt32, _ other: UInt32) -> Double {
        let (first, second) = (luminance(one) + 0.05, luminance(other) + 0.05)
        return max(first, second) / min(first, second)
    }

    /// Whether black text can be read better on a color than white text.
    static func isLight(_ rgb: UInt32) -> Bool { ratio(rgb, 0x000000) > ratio(rgb, 0xFFFFFF) }

    private static func luminance(_ rgb: UInt32) -> Double {
        func linear(_ value: UInt32) -> Double {
            let part = Double(value & 255) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) + 0.0722 * linear(rgb)
    }
}

/// The default 16 colors of two common terminals; users can change them.
enum SixteenColors {
    /// xterm and the Linux console; most other terminals are between them.
    static let palettes: [[UInt32]] = [
        [
            0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
            0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
        ],
        [
            0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA,
            0x555555, 0xFF5555, 0x55FF55, 0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF,
        ],
    ]

    /// The color nearest in hue to a given one that is readable on a background.
    ///
    /// The terminal's own background, -1, counts as white if it is light, else as black.
    static func readable(_ number: Int, on background: Int, isLight: Bool = false) -> Int {
        let background = shown(background, isLight: isLight)
        let hue = number & 7
        let isGrey = hue == 0 || hue == 7
        let others = isGrey ? [8, 7] : related[hue].flatMap { [$0, $0 + 8] }
        let wanted = [number, number ^ 8] + others
        let found = wanted.first { worst($0, background) >= Contrast.forText }
        return found ?? (worst(15, background) >= worst(0, background) ? 15 : 0)
    }

    /// What a background number looks like: the terminal's own is black or white.
    static func shown(_ background: Int, isLight: Bool) -> Int {
        background >= 0 ? background : isLight ? 15 : 0
    }

    /// The hues that replace an unreadable hue: blue becomes cyan, yellow becomes red.
    private static let related: [[Int]] = [[], [5], [6], [1], [6, 5], [1], [4], []]

    private static func worst(_ number: Int, _ background: Int) -> Double {
        palettes.map { Contrast.ratio($0[number], $0[background]) }.min() ?? 0
    }
}
