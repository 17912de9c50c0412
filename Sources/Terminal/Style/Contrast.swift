import Glibc

/// How well text can be read on a background, as WCAG 2.2 measures it.
enum Contrast {
    /// What WCAG asks for of text, level AA (1.4.3).
    static let forText = 4.5

    /// The ratio of two colours, 1 to 21, whichever is the lighter.
    static func ratio(_ one: UInt32, _ other: UInt32) -> Double {
        let (first, second) = (luminance(one) + 0.05, luminance(other) + 0.05)
        return max(first, second) / min(first, second)
    }

    private static func luminance(_ rgb: UInt32) -> Double {
        func linear(_ value: UInt32) -> Double {
            let part = Double(value & 255) / 255
            return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) + 0.0722 * linear(rgb)
    }
}

/// The 16 colours of a terminal, which people change: what two common kinds begin with.
enum SixteenColors {
    /// xterm, and the console of Linux: between them lie most others.
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

    /// The colour that can be read on a background, the nearest in hue to one that may be unreadable there.
    ///
    /// A background of the terminal's own, -1, is taken for black: themes for bright ones bring their own.
    static func readable(_ number: Int, on background: Int) -> Int {
        let hue = number & 7
        let isGrey = hue == 0 || hue == 7
        let others = isGrey ? [8, 7] : related[hue].flatMap { [$0, $0 + 8] }
        let wanted = [number, number ^ 8] + others
        let found = wanted.first { worst($0, background) >= Contrast.forText }
        return found ?? (worst(15, background) >= worst(0, background) ? 15 : 0)
    }

    /// Where a hue goes that cannot be read: blue becomes cyan, yellow red.
    private static let related: [[Int]] = [[], [5], [6], [1], [6, 5], [1], [4], []]

    private static func worst(_ number: Int, _ background: Int) -> Double {
        palettes.map { Contrast.ratio($0[number], $0[max(0, background)]) }.min() ?? 0
    }
}

/// A style as a terminal of some depth has it.
struct ResolvedStyle: Hashable {
    /// The numbers of its colours; -1 is the terminal's own.
    var foreground: Int
    var background: Int
    var attributes: Style.Attributes
}

extension Theme {
    /// The styles in numbers of a terminal of this depth, in the order of `styles`.
    func resolved(for depth: ColorDepth) -> [ResolvedStyle] {
        var resolved = styles.map { $0.resolved(for: depth) }
        guard depth == .sixteen else { return resolved }
        let text = resolved[0].background
        for (overlay, mark) in [
            (Overlay.selection, Style.Attributes.reverse), (.selectionInactive, .underline),
        ] {
            let place = Int(overlaid(.default, overlay).rawValue)
            // Two backgrounds became one of the 16: the row is marked without them.
            guard resolved[place].background == text, styles[place] != styles[0] else { continue }
            for index in place..<place + Int(overlaid(.default, .selection).rawValue) {
                resolved[index].attributes.insert(mark)
            }
        }
        return resolved
    }
}

extension Style {
    fileprivate func resolved(for depth: ColorDepth) -> ResolvedStyle {
        let style = depth == .mono ? withoutColors : self
        let back = style.background.number(in: depth, isBackground: true)
        var front = style.foreground.number(in: depth)
        if depth == .sixteen, case .rgb = style.foreground {
            front = SixteenColors.readable(front, on: back)
        }
        return ResolvedStyle(foreground: front, background: back, attributes: style.attributes)
    }
}
