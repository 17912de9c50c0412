import Testing
import Themes

@testable import Terminal

/// Whether text can be read, in each theme and at each depth of colours.
@Suite("Contrast")
struct ContrastTests {
    /// What themes that keep the terminal's own background are made for.
    private static let darkBackgrounds: [UInt32] = [0x000000, 0x1E1E1E, 0x282C34]
    private static let lightBackgrounds: [UInt32] = [
        0xFFFFFF, 0xFAFAFA, 0xFDF6E3, 0xFBF1C7, 0xEFF1F5, 0xE1E2E7,
    ]

    @Test("the ratio is that of WCAG")
    func ratio() {
        #expect(Contrast.ratio(0x000000, 0xFFFFFF) == 21)
        #expect(abs(Contrast.ratio(0x777777, 0xFFFFFF) - 4.48) < 0.01)
        #expect(Contrast.ratio(0x123456, 0x123456) == 1)
    }

    @Test(
        "all text of a theme has the contrast that WCAG asks for, selected or not",
        arguments: Themes.builtIn.map(\.name),
        [ColorDepth.trueColor, .indexed256, .sixteen]
    )
    func readable(name: String, depth: ColorDepth) throws {
        let theme = try ThemeLoader.builtIn(name).theme
        var checked = 0
        for (terminal, backgrounds) in Self.terminals(for: theme.backdrop) {
            let resolved = theme.resolved(for: depth, on: terminal)
            for scope in Scope.allCases where !scope.isOrnament {
                let plain = theme[scope]
                for style in [plain] + Overlay.allCases.map({ theme.overlaid(plain, $0) }) {
                    let shown = resolved[Int(style.rawValue)]
                    // The terminal's own text on its own background.
                    guard shown.foreground >= 0 || shown.background >= 0 else { continue }
                    for (front, back) in Self.pairs(shown, depth, backgrounds) {
                        checked += 1
                        let ratio = Contrast.ratio(front, back)
                        #expect(
                            ratio >= Contrast.forText,
                            "\(theme.description(of: style)): \(ratio) (\(shown))"
                        )
                    }
                }
            }
        }
        #expect(checked > 100 || name == "mono")
    }

    @Test("no text of the terminal's theme is bright black, the background itself in some palettes")
    func avoidsBrightBlack() throws {
        let theme = try ThemeLoader.builtIn("terminal").theme
        for scope in Scope.allCases where !scope.isOrnament {
            for style in [theme[scope]] + Overlay.allCases.map({ theme.overlaid(theme[scope], $0) })
            {
                let found = theme.styles[Int(style.rawValue)]
                #expect(found.foreground != .ansi(8) && found.background != .ansi(8), "\(scope)")
            }
        }
    }

    @Test("nobody who has chosen no theme gets one that cannot be read, whatever the background")
    func automatic() throws {
        // Read once: their files take longer than everything else here.
        let loader = ThemeLoader(configurationFolder: nil)
        let themes = try ["dusk", "dawn", "slate", "paper"].map {
            try loader.load($0, depth: .trueColor).theme
        }
        for level in UInt8.min...UInt8.max {
            for color in [
                PixelColor(red: level, green: level, blue: level),
                PixelColor(red: 0, green: level, blue: level / 2),
                PixelColor(red: 255, green: level, blue: 200),
            ] {
                let name = AutomaticTheme.name(on: color)
                let theme = try #require(themes.first { $0.name == name })
                #expect(theme.isReadable(on: color), "\(name) on \(color)")
                #expect((theme.backdrop == .light) == color.isLight)
            }
        }
    }

    @Test(
        "a theme keeps its hues in 256 colours",
        arguments: ["dusk", "paper", "linen", "frost", "orchard"]
    )
    func hues(name: String) throws {
        let theme = try ThemeLoader.builtIn(name).theme
        let resolved = theme.resolved(for: .indexed256)
        for scope in [
            Scope.sourceCache, .sourceServer, .statusSuccess, .statusClientError,
            .statusServerError, .diffMoved, .treeBoolean, .textAccent,
        ] {
            let number = resolved[Int(theme[scope].rawValue)].foreground
            let color = Self.of256(number)
            let parts = [color >> 16 & 255, color >> 8 & 255, color & 255]
            #expect((parts.max() ?? 0) - (parts.min() ?? 0) >= 40, "\(scope) is \(number)")
        }
    }

    @Test("a selected row is marked in 16 colours, where backgrounds fall together")
    func marksRows() throws {
        for name in Themes.builtIn.map(\.name) where name != "mono" {
            let theme = try ThemeLoader.builtIn(name).theme
            let resolved = theme.resolved(for: .sixteen)
            for overlay in [Overlay.selection, .selectionInactive] {
                let place = Int(theme.overlaid(.default, overlay).rawValue)
                #expect(resolved[place] != resolved[0], "\(name) \(overlay)")
            }
        }
    }

    /// The terminals that a theme is made for: the background that they tell, and those that it may be.
    private static func terminals(for backdrop: Backdrop) -> [(PixelColor?, [UInt32])] {
        let dark = (PixelColor?.none, darkBackgrounds)
        let light = (PixelColor?.some(.white), lightBackgrounds)
        return switch backdrop {
        case .dark: [dark]
        case .light: [(nil, lightBackgrounds), light]
        case .any: [dark, light]
        }
    }

    /// What may be seen: with the terminal's own background, on each that it may be.
    ///
    /// The terminal's own text is black or white, and on light terminals the palette's colors are seen on white.
    private static func pairs(
        _ style: ResolvedStyle,
        _ depth: ColorDepth,
        _ backgrounds: [UInt32]
    ) -> [(UInt32, UInt32)] {
        let isLight = Contrast.isLight(backgrounds[0])
        let (text, back) = isLight ? (UInt32(0), UInt32(0xFFFFFF)) : (0xFFFFFF, 0)
        func isOfPalette(_ number: Int) -> Bool {
            // In direct color this number is a near-black.
            0...15 ~= number && (depth != .trueColor || number != 8)
        }
        func of(_ number: Int) -> UInt32 {
            depth == .trueColor ? UInt32(number) : of256(number)
        }
        if isOfPalette(style.foreground) || isOfPalette(style.background) {
            return SixteenColors.palettes.map { palette in
                func seen(_ number: Int, _ own: UInt32) -> UInt32 {
                    number < 0 ? own : isOfPalette(number) ? palette[number] : of(number)
                }
                return (seen(style.foreground, text), seen(style.background, back))
            }
        }
        let front = style.foreground < 0 ? text : of(style.foreground)
        guard style.background >= 0 else { return backgrounds.map { (front, $0) } }
        return [(front, of(style.background))]
    }

    private static func of256(_ number: Int) -> UInt32 {
        let levels: [UInt32] = [0, 95, 135, 175, 215, 255]
        if number >= 232 { return UInt32(8 + 10 * (number - 232)) * 0x010101 }
        let place = number - 16
        return levels[place / 36] << 16 | levels[place / 6 % 6] << 8 | levels[place % 6]
    }
}
