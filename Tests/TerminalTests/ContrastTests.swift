import Testing
import Themes

@testable import Terminal

/// Whether text can be read, in each theme and at each depth of colours.
@Suite("Contrast")
struct ContrastTests {
    /// What themes that keep the terminal's own background are made for: dark ones.
    private static let darkBackgrounds: [UInt32] = [0x000000, 0x1E1E1E, 0x282C34]
    /// Lines and tracks, which say nothing by themselves.
    private static let ornaments: Set<Scope> = [.border, .gaugeTrack]
    /// Those whose colours are the user's own.
    private static let foreign: Set<String> = ["terminal", "mono"]

    @Test("the ratio is that of WCAG")
    func ratio() {
        #expect(Contrast.ratio(0x000000, 0xFFFFFF) == 21)
        #expect(abs(Contrast.ratio(0x777777, 0xFFFFFF) - 4.48) < 0.01)
        #expect(Contrast.ratio(0x123456, 0x123456) == 1)
    }

    @Test(
        "all text of a theme has the contrast that WCAG asks for, selected or not",
        arguments: Themes.builtIn.map(\.name).filter { !foreign.contains($0) },
        [ColorDepth.trueColor, .indexed256, .sixteen]
    )
    func readable(name: String, depth: ColorDepth) throws {
        let theme = try ThemeLoader.builtIn(name).theme
        let resolved = theme.resolved(for: depth)
        for scope in Scope.allCases where !Self.ornaments.contains(scope) {
            let plain = theme[scope]
            for style in [plain] + Overlay.allCases.map({ theme.overlaid(plain, $0) }) {
                let shown = resolved[Int(style.rawValue)]
                guard shown.foreground >= 0 else { continue }
                for (front, back) in Self.pairs(shown, depth) {
                    let ratio = Contrast.ratio(front, back)
                    #expect(
                        ratio >= Contrast.forText,
                        "\(theme.description(of: style)): \(ratio) (\(shown))"
                    )
                }
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

    /// What may be seen: with the terminal's own background, on each that it may be.
    private static func pairs(_ style: ResolvedStyle, _ depth: ColorDepth) -> [(UInt32, UInt32)] {
        if depth == .sixteen {
            return SixteenColors.palettes.map {
                ($0[style.foreground], $0[max(0, style.background)])
            }
        }
        func of(_ number: Int) -> UInt32 {
            depth == .trueColor ? UInt32(number) : of256(number)
        }
        let front = of(style.foreground)
        guard style.background >= 0 else { return darkBackgrounds.map { (front, $0) } }
        return [(front, of(style.background))]
    }

    private static func of256(_ number: Int) -> UInt32 {
        let levels: [UInt32] = [0, 95, 135, 175, 215, 255]
        if number >= 232 { return UInt32(8 + 10 * (number - 232)) * 0x010101 }
        let place = number - 16
        return levels[place / 36] << 16 | levels[place / 6 % 6] << 8 | levels[place % 6]
    }
}
