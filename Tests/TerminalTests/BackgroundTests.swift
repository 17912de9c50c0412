import Testing

@testable import Terminal

/// What is known of the terminal's background, and what asks for it.
@Suite("The terminal's background")
struct BackgroundTests {
    @Test(
        "responses have one to four digits a color",
        arguments: [
            ("rgb:ffff/ffff/ffff", 0xFFFFFF), ("rgb:0000/2b2b/3636", 0x002B36),
            ("rgb:f/8/0", 0xFF8800), ("rgb:FD/F6/E3", 0xFDF6E3),
            ("rgba:ffff/0000/0000/8000", 0xFF0000),
            ("#fdf6e3", 0xFDF6E3), ("#fff", 0xFFFFFF), ("#ffff80800000", 0xFF8000),
            ("rgb:fff/800/000", 0xFF7F00),
        ]
    )
    func answers(text: String, value: Int) {
        #expect(PixelColor(response: text)?.value == UInt32(value))
    }

    @Test(
        "everything else is no color",
        arguments: [
            "", "?", "rgb:", "rgb:ff/ff", "rgb:ff//ff", "rgb:fffff/0/0", "rgb:gg/00/00", "white",
            "rgb:+f/00/00", "#ff", "rgb:ff/ff/ff/ff/ff", "#\u{FF11}11",
        ]
    )
    func noResponses(text: String) {
        #expect(PixelColor(response: text) == nil)
    }

    @Test(
        "COLORFGBG ends with the number of the background",
        arguments: [
            ("15;0", false), ("0;15", true), ("0;default;15", true), ("12;8", false), ("0;7", true),
            ("7;6", false), ("15;default", nil), ("", nil), ("0;16", nil), ("x", nil),
        ] as [(String, Bool?)]
    )
    func variable(text: String, isLight: Bool?) {
        #expect(PixelColor(colorFGBG: text)?.isLight == isLight)
    }

    @Test(
        "dark and light backgrounds get the two themes of the pair, an unknown one the dark theme"
    )
    func pair() {
        #expect(AutomaticTheme.name(on: nil) == "dusk")
        for dark: UInt32 in [0x000000, 0x1E1E1E, 0x282C34, 0x002B36, 0x300A24] {
            #expect(AutomaticTheme.name(on: PixelColor(dark)) == "dusk")
        }
        for light: UInt32 in [0xFFFFFF, 0xFDF6E3, 0xEFF1F5, 0xE1E2E7, 0xFBF1C7] {
            #expect(AutomaticTheme.name(on: PixelColor(light)) == "dawn")
        }
        // Nothing that keeps these can be read on them.
        #expect(AutomaticTheme.name(on: PixelColor(0x5A5A5A)) == "slate")
        #expect(AutomaticTheme.name(on: PixelColor(0x999999)) == "paper")
    }

    @Test("a terminal is asked in its own words, and one that may show them as text is not asked")
    func question() {
        func question(_ terminal: String, _ variables: [String: String] = [:]) -> String? {
            TerminalProfile.backgroundQuestion(terminal: terminal) { variables[$0] ?? "" }
        }
        let plain = "\u{1B}]11;?\u{7}"
        let throughTmux = plain + "\u{1B}Ptmux;\u{1B}\u{1B}]11;?\u{7}\u{1B}\\"
        let throughScreen = plain + "\u{1B}P\u{1B}]11;?\u{7}\u{1B}\\"
        for name in [
            "xterm-256color", "xterm", "foot", "alacritty", "rxvt-unicode-256color", "x-direct",
        ] {
            #expect(question(name) == plain)
        }
        #expect(question("tmux-256color") == throughTmux)
        #expect(question("screen-256color", ["TMUX": "/tmp/tmux,1,0"]) == throughTmux)
        #expect(question("xterm-256color", ["TMUX": "/tmp/tmux,1,0"]) == throughTmux)
        #expect(question("screen-256color", ["STY": "1.pts"]) == throughScreen)
        #expect(question("screen") == throughScreen)
        for name in ["linux", "vt100", "vt220", "ansi", "dumb", "", "cons25", "sun"] {
            #expect(question(name) == nil)
        }
    }

    @Test("a theme's file says which background it is for, and warns of other words")
    func file() throws {
        func theme(_ yaml: String) throws -> LoadedTheme {
            try ThemeFile(yaml: yaml, file: "x.yaml", name: "x").resolved()
        }
        #expect(try theme("name: x\n").theme.backdrop == .dark)
        #expect(try theme("background: light\n").theme.backdrop == .light)
        let odd = try theme("background: bright\n")
        #expect(odd.theme.backdrop == .dark)
        #expect(odd.warnings.count == 1 && odd.warnings[0].contains("dark, light or any"))
        let child = try ThemeFile(yaml: "inherits: dawn\n", file: "x.yaml", name: "x")
        let parent = try ThemeFile(yaml: "background: light\n", file: "y.yaml", name: "y")
        #expect(child.over(parent).resolved().theme.backdrop == .light)
    }

    @Test("colors of the palette that cannot be read on the background become others")
    func adapts() throws {
        let theme = Theme(
            name: "x",
            definitions: ["text": Style(), "error": Style(foreground: .ansi(4))],
            backdrop: .any
        )
        let place = Int(theme[.error].rawValue)
        for depth in [ColorDepth.trueColor, .indexed256, .sixteen] {
            #expect(theme.resolved(for: depth)[place].foreground == 6)
            #expect(theme.resolved(for: depth, on: .black)[place].foreground == 6)
            #expect(theme.resolved(for: depth, on: .white)[place].foreground == 4)
        }
        let own = Theme(name: "x", definitions: ["error": Style(foreground: .ansi(4))])
        #expect(own.resolved(for: .trueColor)[Int(own[.error].rawValue)].foreground == 4)
    }
}

extension PixelColor {
    fileprivate init(_ value: UInt32) {
        self.init(
            red: UInt8(value >> 16),
            green: UInt8(value >> 8 & 255),
            blue: UInt8(value & 255)
        )
    }
}
