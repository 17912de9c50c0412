import Glibc
import TestSupport
import Testing
import Themes

@testable import Terminal

@Suite("Themes")
struct ThemeTests {
    @Test(
        "every built-in theme loads without warnings and says something for every scope",
        arguments: Themes.builtIn.map(\.name)
    )
    func builtIn(name: String) throws {
        let loaded = try ThemeLoader.builtIn(name)
        #expect(loaded.warnings == [])
        #expect(loaded.theme.name == name)
        for scope in Scope.allCases {
            let found = Theme.definedName(scope.name, in: loaded.definitions)
            #expect(!found.isEmpty, "\(scope.name) is not defined")
            let isGeneral = found == "text" && scope.name != "text"
            #expect(!isGeneral, "\(scope.name) is only text")
        }
        let theme = loaded.theme
        for (one, other) in [
            (Scope.border, Scope.borderFocused), (.paneTitle, .paneTitleFocused), (.text, .error),
            (.sourceCache, .sourceServer), (.statusSuccess, .statusServerError),
            (.diffAdded, .diffRemoved), (.text, .selection), (.selection, .selectionInactive),
        ] {
            #expect(theme[one] != theme[other], "\(one) and \(other) look the same")
        }
    }

    @Test("the list names every file in the folder")
    func list() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let folder = try #require(opendir("/\(root)/Themes/builtin"))
        defer { closedir(folder) }
        var files: Set<String> = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".yaml") { files.insert(String(name.dropLast(5))) }
        }
        #expect(files == Set(ThemeLoader.builtInNames))
    }

    @Test("the standard theme is its YAML file")
    func standard() throws {
        let loaded = try ThemeLoader.builtIn(Theme.standard.name)
        let light = try ThemeLoader.builtIn(Theme.standardLight.name)
        if getenv("RECORD_STANDARD_THEME") != nil {
            try record([
                ("standardTable", loaded.definitions), ("standardLightTable", light.definitions),
            ])
        }
        #expect(Theme(name: Theme.standard.name, definitions: loaded.definitions) == .standard)
        #expect(ThemeLoader.builtInNames.first == Theme.standard.name)
        #expect(light.theme == .standardLight)
    }

    @Test("scopes have the names of their cases")
    func scopeNames() {
        for scope in Scope.allCases {
            let parts = scope.name.split(separator: ".")
            let camel = parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
            #expect(String(describing: scope) == parts[0] + camel.joined())
            #expect(Scope(name: scope.name) == scope)
        }
    }

    @Test("a dotted name falls back to what is before its last dot")
    func fallback() {
        let theme = Theme(
            name: "x",
            definitions: [
                "tree": Style(attributes: .dim), "tree.key": Style(foreground: .ansi(4)),
            ]
        )
        #expect(theme.style(for: "tree.key.focused") == theme[.treeKey])
        #expect(theme.style(for: "tree.other") == theme[.treeNull])
        #expect(theme.style(for: "nothing") == .default)
        #expect(theme[.treeKey] != theme[.treeNull])
    }

    @Test("an overlay keeps the foreground and replaces another overlay")
    func overlay() {
        let theme = Theme.standard
        let laid = theme.overlaid(theme[.treeKey], .selection)
        let styles = theme.styles
        #expect(
            styles[Int(laid.rawValue)].foreground
                == styles[Int(theme[.treeKey].rawValue)].foreground
        )
        #expect(
            styles[Int(laid.rawValue)].background
                == styles[Int(theme[.selection].rawValue)].background
        )
        #expect(
            theme.overlaid(laid, .selectionInactive)
                == theme.overlaid(theme[.treeKey], .selectionInactive)
        )
        #expect(theme.description(of: laid).hasSuffix("+ selection"))
    }

    @Test("bad entries warn with file and line, the rest counts")
    func warnings() throws {
        let yaml = """
            name: odd
            colour: red
            palette:
              ink: "#12"
              sea: "#102030"
            styles:
              text: sea
              tree.key: {fg: nowhere, bold: true}
              tre.key: sea
              title: sea on ink blinking
              border: [1]
            """
        let loaded = try ThemeFile(yaml: yaml, file: "odd.yaml", name: "odd").resolved()
        let expected = [
            "odd.yaml:2: \"colour\"", "odd.yaml:9: styles: no scope is called \"tre.key\"",
            "odd.yaml:10: styles.title: \"blinking\"", "odd.yaml:11: styles.border:",
            "odd.yaml:4: palette.ink:", "odd.yaml:10: styles.title: \"ink\"",
            "odd.yaml:8: styles.tree.key: \"nowhere\"",
        ]
        for text in expected {
            #expect(
                loaded.warnings.contains { $0.hasPrefix(text) },
                "\(text) in \(loaded.warnings)"
            )
        }
        #expect(loaded.warnings.count == expected.count)
        let key = loaded.theme.styles[Int(loaded.theme[.treeKey].rawValue)]
        #expect(key == Style(foreground: .rgb(16, 32, 48), attributes: .bold))
    }

    @Test("users' themes are found by name and path, may build on built-in ones, not in a circle")
    func userThemes() throws {
        let folder = TemporaryFolder("themes")
        try folder.write(
            "name: paper\ninherits: paper\nstyles: {title: brightRed}\n",
            to: "themes/paper.yaml"
        )
        try folder.write("inherits: two\n", to: "themes/one.yaml")
        try folder.write("inherits: one\n", to: "themes/two.yaml")
        try folder.write("styles: [\n", to: "themes/broken.yaml")
        let loader = ThemeLoader(configurationFolder: folder.path)
        #expect(loader.available().suffix(3) == ["broken", "one", "two"])
        let paper = try loader.load("paper", depth: .trueColor).theme
        #expect(paper.styles[Int(paper[.title].rawValue)].foreground == .ansi(9))
        #expect(paper[.treeKey] != .default)
        let path = folder.path + "/themes/paper.yaml"
        #expect(throws: Never.self) { try loader.load(path, depth: .trueColor) }
        #expect(throws: ThemeError.self) { try loader.load("one", depth: .trueColor) }
        #expect(throws: ThemeError.self) { try loader.load("broken", depth: .trueColor) }
        for index in 1...30 {
            try folder.write(
                "inherits: \(index == 1 ? "paper" : "t\(index - 1)")\n",
                to: "themes/t\(index).yaml"
            )
        }
        #expect(throws: Never.self) { try loader.load("t10", depth: .trueColor) }
        #expect(throws: ThemeError.self) { try loader.load("t30", depth: .trueColor) }
        #expect(throws: ThemeError.unknown("none", available: loader.available())) {
            try loader.load("none", depth: .trueColor)
        }
        #expect(try loader.load("dusk", depth: .mono).theme.name == "mono")
    }

    @Test("colours become the nearest that a terminal has")
    func degrading() {
        #expect(Color.rgb(255, 0, 0).number(in: .indexed256) == 196)
        #expect(Color.rgb(128, 128, 128).number(in: .indexed256) == 244)
        #expect(Color.rgb(0, 0, 5).number(in: .trueColor) == 8)
        #expect(Color.rgb(1, 2, 3).number(in: .trueColor) == 0x010203)
        #expect(Color.rgb(240, 122, 127).number(in: .sixteen) == 9)
        #expect(Color.rgb(20, 20, 20).number(in: .sixteen) == 0)
        #expect(Color.rgb(250, 250, 250).number(in: .sixteen) == 15)
        #expect(Color.ansi(12).number(in: .trueColor) == 12)
        // These numbers are the palette's, or black.
        #expect(Color.rgb(0, 0, 12).number(in: .trueColor) == 16)
        #expect(Color.ansi(8).number(in: .trueColor) == 0x808080)
        #expect(Color.ansi(12).number(in: .mono) == -1)
        let badge = Style(foreground: .ansi(0), background: .ansi(3), attributes: .bold)
        #expect(badge.withoutColors == Style(attributes: [.bold, .reverse]))
    }

    @Test(
        "the environment says how many colours there are",
        arguments: [
            ("xterm-256color", "truecolor", "", ColorDepth.trueColor),
            ("xterm-256color", "", "", .indexed256), ("xterm-256color", "truecolor", "1", .mono),
            ("linux", "truecolor", "", .sixteen), ("vt100", "", "", .mono),
            ("xterm-direct", "", "", .trueColor), ("dumb", "truecolor", "", .mono),
            ("xterm", "24bit", "", .trueColor), ("screen", "", "", .sixteen),
        ]
    )
    func depth(terminal: String, colorTerm: String, noColor: String, depth: ColorDepth) {
        let found = TerminalProfile.colorDepth(
            terminal: terminal,
            colorTerm: colorTerm,
            noColor: noColor
        )
        #expect(found == depth)
    }

    @Test("every symbol of both sets is one column wide, and the plain ones are ASCII")
    func symbols() {
        for (symbols, isPlain) in [(Symbols.unicode, false), (.plain, true)] {
            var scalars: [Unicode.Scalar] = []
            for child in Mirror(reflecting: symbols).children {
                if let one = child.value as? Unicode.Scalar { scalars.append(one) }
                if let many = child.value as? [Unicode.Scalar] { scalars += many }
            }
            #expect(scalars.count > 50)
            for scalar in scalars {
                #expect(WidthTable.class(of: scalar.value) == .narrow)
                #expect(!isPlain || scalar.isASCII)
            }
            #expect(symbols.gaugeEighths.count == 8 && symbols.sparkline.count == 8)
        }
    }

    private func record(_ tables: [(name: String, definitions: [String: Style])]) throws {
        func value(_ color: Color) -> String {
            guard case .rgb(let red, let green, let blue) = color else { return "-1" }
            let number = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
            let digits = String(number, radix: 16, uppercase: true)
            return "0x" + String(repeating: "0", count: 6 - digits.count) + digits
        }
        var text = """
            // Generated from Themes/builtin/dusk.yaml and dawn.yaml by ThemeTests with RECORD_STANDARD_THEME=1;
            // the same test fails when they differ, so the YAML files stay the only source.

            """
        for (name, definitions) in tables {
            let rows = definitions.sorted { $0.key < $1.key }.map { scope, style in
                let colors = "\(value(style.foreground)), \(value(style.background))"
                let attributes = style.attributes.rawValue
                return "    StandardStyle(\"\(scope)\", \(colors), \(attributes)),\n"
            }
            text += "\nlet \(name): [StandardStyle] = [\n\(rows.joined())]\n"
        }
        try Recording.write(text, to: "Terminal/Style/StandardTable.swift")
    }

    @Test("a pipe, a device and a folder are no themes, and nobody waits for them")
    func refusesDevices() throws {
        let folder = TemporaryFolder("themes")
        let pipe = folder.path + "/themes/pipe.yaml"
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        let loader = ThemeLoader(configurationFolder: folder.path)
        for name in ["pipe", pipe, "/dev/zero", folder.path + "/themes"] {
            #expect(throws: ThemeError.self) { try loader.load(name, depth: .trueColor) }
        }
    }

    @Test("aliases of aliases as a key are refused, not compared for ever")
    func refusesAliasBombs() throws {
        let folder = TemporaryFolder("themes")
        var text = "a0: &a0 [x, x, x, x]\n"
        for level in 1..<40 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 4).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        text += "? *a39\n: 1\n? *a39\n: 2\n"
        try folder.write(text, to: "themes/bomb.yaml")
        let loader = ThemeLoader(configurationFolder: folder.path)
        #expect(throws: ThemeError.self) { try loader.load("bomb", depth: .trueColor) }
    }
}
