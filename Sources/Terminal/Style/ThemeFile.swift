import Yams

/// A theme as its file says it, before colours have values: a child may change the palette under
/// its parent's styles.
struct ThemeFile: Sendable {
    struct Entry: Sendable {
        var text: String
        var line: Int
        var file: String
    }

    struct StyleEntry: Sendable {
        var foreground: String?
        var background: String?
        var attributes: Style.Attributes = []
        var line: Int
        var file: String
    }

    var name: String
    var inherits: String?
    var palette: [String: Entry] = [:]
    var styles: [String: StyleEntry] = [:]
    var warnings: [String] = []

    static let attributeNames: [String: Style.Attributes] = [
        "bold": .bold, "dim": .dim, "italic": .italic, "underline": .underline,
        "reverse": .reverse,
    ]

    /// Reads the YAML text of `file`.
    init(yaml: String, file: String, name: String) throws(ThemeError) {
        self.name = name
        guard case .mapping(let root) = try Self.compose(yaml, file: file) else {
            throw .unreadable(file: file, line: nil, "a theme must be a mapping")
        }
        for (key, value) in root {
            let line = key.mark?.line ?? 1
            switch (key.string ?? "", value) {
            case ("name", .scalar(let text)): self.name = text.string
            case ("inherits", .scalar(let text)): inherits = text.string
            case ("palette", .mapping(let entries)): readPalette(entries, file: file)
            case ("styles", .mapping(let entries)): readStyles(entries, file: file)
            case ("palette", _), ("styles", _):
                warn(file, line, "\"\(key.string ?? "")\" must be a mapping")
            case (let other, _):
                warn(file, line, "\"\(other)\" is not known here")
            }
        }
    }

    /// How many aliases there may be: `*` where a value can begin, with a name behind it.
    private static func aliasCount(in yaml: String) -> Int {
        var count = 0
        var before = UInt8(ascii: " ")
        var isStar = false
        for byte in yaml.utf8 {
            if isStar, byte > 0x20 { count += 1 }
            isStar =
                byte == UInt8(ascii: "*") && (before <= 0x20 || " [{,:-?".utf8.contains(before))
            before = byte
        }
        return count
    }

    private static func compose(_ yaml: String, file: String) throws(ThemeError) -> Node {
        // An alias of aliases is small to write, and takes for ever to compare with other keys.
        guard aliasCount(in: yaml) <= 16 else {
            throw .unreadable(file: file, line: nil, "too many aliases")
        }
        do {
            guard let node = try Yams.compose(yaml: yaml) else {
                throw ThemeError.unreadable(file: file, line: nil, "the file is empty")
            }
            return node
        } catch let error as ThemeError {
            throw error
        } catch let YamlError.parser(_, problem, mark, _), let YamlError.scanner(
            _,
            problem,
            mark,
            _
        )
        {
            throw .unreadable(file: file, line: mark.line, problem)
        } catch {
            throw .unreadable(file: file, line: nil, "not YAML")
        }
    }

    private mutating func readPalette(_ entries: Node.Mapping, file: String) {
        for (key, value) in entries {
            let line = key.mark?.line ?? 1
            guard let name = key.string, case .scalar(let text) = value else {
                warn(file, line, "palette: expected a name and a colour")
                continue
            }
            palette[name] = Entry(text: text.string, line: line, file: file)
        }
    }

    private mutating func readStyles(_ entries: Node.Mapping, file: String) {
        for (key, value) in entries {
            let line = key.mark?.line ?? 1
            guard let scope = key.string else { continue }
            if !Self.isKnown(scope) { warn(file, line, "styles: no scope is called \"\(scope)\"") }
            switch value {
            case .scalar(let text): styles[scope] = words(text.string, scope, file, line)
            case .mapping(let parts): styles[scope] = parsed(parts, scope, file, line)
            default: warn(file, line, "styles.\(scope): expected a text or a mapping")
            }
        }
    }

    /// `accent on surface bold`.
    private mutating func words(
        _ text: String,
        _ scope: String,
        _ file: String,
        _ line: Int
    ) -> StyleEntry {
        var entry = StyleEntry(line: line, file: file)
        var isBackground = false
        for word in text.split(separator: " ").map(String.init) {
            if word == "on" {
                isBackground = true
            } else if let attribute = Self.attributeNames[word] {
                entry.attributes.insert(attribute)
            } else if isBackground, entry.background == nil {
                entry.background = word
            } else if entry.foreground == nil {
                entry.foreground = word
            } else {
                warn(file, line, "styles.\(scope): \"\(word)\" is one colour too many")
            }
        }
        return entry
    }

    /// `{fg: accent, bg: surface, bold: true}`.
    private mutating func parsed(
        _ parts: Node.Mapping,
        _ scope: String,
        _ file: String,
        _ line: Int
    ) -> StyleEntry {
        var entry = StyleEntry(line: line, file: file)
        for (key, value) in parts {
            let line = key.mark?.line ?? line
            let text = value.string ?? ""
            switch key.string ?? "" {
            case "fg": entry.foreground = text
            case "bg": entry.background = text
            case let name:
                guard let attribute = Self.attributeNames[name], let isOn = value.bool else {
                    warn(file, line, "styles.\(scope): \"\(name): \(text)\" is not understood")
                    continue
                }
                if isOn { entry.attributes.insert(attribute) }
            }
        }
        return entry
    }

    /// A scope, something more general, or something more special.
    private static func isKnown(_ name: String) -> Bool {
        Scope.allCases.contains { scope in
            scope.name == name || scope.name.hasPrefix(name + ".")
                || name.hasPrefix(scope.name + ".")
        }
    }

    private mutating func warn(_ file: String, _ line: Int, _ text: String) {
        warnings.append("\(file):\(line): \(text)")
    }
}

extension ThemeFile {
    /// This file's entries over those of what it inherits from.
    func over(_ parent: ThemeFile) -> ThemeFile {
        var result = self
        result.palette = parent.palette.merging(palette) { $1 }
        result.styles = parent.styles.merging(styles) { $1 }
        result.warnings = parent.warnings + warnings
        return result
    }

    /// The theme, and what was wrong with it.
    func resolved() -> LoadedTheme {
        var warnings = warnings
        var colors: [String: Color] = [:]
        for (name, entry) in palette.sorted(by: { $0.key < $1.key }) {
            if let color = Color(text: entry.text) {
                colors[name] = color
            } else {
                warnings.append(
                    "\(entry.file):\(entry.line): palette.\(name): \"\(entry.text)\" is not a colour"
                )
            }
        }
        var definitions: [String: Style] = [:]
        for (scope, entry) in styles.sorted(by: { $0.key < $1.key }) {
            func color(_ name: String?) -> Color {
                guard let name else { return .terminal }
                if let color = colors[name] ?? Color(text: name) { return color }
                warnings.append(
                    "\(entry.file):\(entry.line): styles.\(scope): \"\(name)\" is not a colour"
                )
                return .terminal
            }
            definitions[scope] = Style(
                foreground: color(entry.foreground),
                background: color(entry.background),
                attributes: entry.attributes
            )
        }
        let theme = Theme(name: name, definitions: definitions)
        return LoadedTheme(theme: theme, warnings: warnings, definitions: definitions)
    }
}
