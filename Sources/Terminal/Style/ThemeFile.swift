import Documents

/// A theme as in its file, with colors not resolved, because a child may change the palette of its parent's
/// styles.
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
    var backdrop: Backdrop?
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
        for (key, line, value) in try Self.parse(yaml, file: file) {
            switch (key, value.content) {
            case ("name", .scalar(let text, _)): self.name = text
            case ("inherits", .scalar(let text, _)): inherits = text
            case ("background", .scalar(let text, _)):
                backdrop = Backdrop(rawValue: text)
                guard backdrop == nil else { continue }
                warn(file, line, "\"background\" must be dark, light or any, not \"\(text)\"")
            case ("palette", .mapping(let entries)):
                readPalette(try Self.members(of: entries, file: file), file: file)
            case ("styles", .mapping(let entries)): try readStyles(entries, file: file)
            case ("palette", _), ("styles", _):
                warn(file, line, "\"\(key)\" must be a mapping")
            case (let other, _):
                warn(file, line, "\"\(other)\" is an unknown key")
            }
        }
    }

    /// The members of a mapping; throws if a key is not a text, or is there twice.
    private static func members(
        of members: [(key: YAMLValue, value: YAMLValue)],
        file: String
    ) throws(ThemeError) -> [(key: String, line: Int, value: YAMLValue)] {
        var found: [(key: String, line: Int, value: YAMLValue)] = []
        var names: Set<String> = []
        for (key, value) in members {
            let line = key.place.line
            guard let name = key.text else {
                throw .unreadable(file: file, line: line, "expected a name, not a list")
            }
            guard names.insert(name).inserted else {
                throw .unreadable(file: file, line: line, "duplicate key \"\(name)\"")
            }
            found.append((name, line, value))
        }
        return found
    }

    private static func parse(
        _ yaml: String,
        file: String
    ) throws(ThemeError) -> [(key: String, line: Int, value: YAMLValue)] {
        let root: YAMLValue?
        do throws(YAMLError) {
            root = try YAMLValue.parse(yaml, maximumValues: 100_000)
        } catch {
            guard error.kind == .syntax else {
                throw .unreadable(file: file, line: nil, "not YAML")
            }
            throw .unreadable(file: file, line: error.place.line, error.problem)
        }
        guard let root else { throw .unreadable(file: file, line: nil, "the file is empty") }
        guard case .mapping(let members) = root.content else {
            throw .unreadable(file: file, line: nil, "a theme must be a mapping")
        }
        return try Self.members(of: members, file: file)
    }

    private mutating func readPalette(
        _ entries: [(key: String, line: Int, value: YAMLValue)],
        file: String
    ) {
        for (name, line, value) in entries {
            guard let text = value.text else {
                warn(file, line, "palette: expected a name and a color")
                continue
            }
            palette[name] = Entry(text: text, line: line, file: file)
        }
    }

    private mutating func readStyles(
        _ entries: [(key: YAMLValue, value: YAMLValue)],
        file: String
    ) throws(ThemeError) {
        for (scope, line, value) in try Self.members(of: entries, file: file) {
            if !Self.isKnown(scope) { warn(file, line, "styles: no scope is called \"\(scope)\"") }
            switch value.content {
            case .scalar(let text, _): styles[scope] = words(text, scope, file, line)
            case .mapping(let parts):
                let parts = try Self.members(of: parts, file: file)
                styles[scope] = parsed(parts, scope, file, line)
            default: warn(file, line, "styles.\(scope): expected a string or a mapping")
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
                warn(file, line, "styles.\(scope): \"\(word)\" is one color too many")
            }
        }
        return entry
    }

    /// `{fg: accent, bg: surface, bold: true}`.
    private mutating func parsed(
        _ parts: [(key: String, line: Int, value: YAMLValue)],
        _ scope: String,
        _ file: String,
        _ line: Int
    ) -> StyleEntry {
        var entry = StyleEntry(line: line, file: file)
        for (key, line, value) in parts {
            let text = value.text ?? ""
            switch key {
            case "fg": entry.foreground = text
            case "bg": entry.background = text
            case let name:
                guard let attribute = Self.attributeNames[name], let isOn = Self.bool(text) else {
                    warn(file, line, "styles.\(scope): \"\(name): \(text)\" is not valid")
                    continue
                }
                if isOn { entry.attributes.insert(attribute) }
            }
        }
        return entry
    }

    /// The Boolean words of YAML 1.1.
    private static func bool(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    }

    /// Whether a name is a scope, more general than one, or more specific.
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
    /// This file's entries merged over those of the file it inherits from.
    func over(_ parent: ThemeFile) -> ThemeFile {
        var result = self
        result.backdrop = backdrop ?? parent.backdrop
        result.palette = parent.palette.merging(palette) { $1 }
        result.styles = parent.styles.merging(styles) { $1 }
        result.warnings = parent.warnings + warnings
        return result
    }

    /// The theme, and what is wrong with it.
    func resolved() -> LoadedTheme {
        var warnings = warnings
        var colors: [String: Color] = [:]
        for (name, entry) in palette.sorted(by: { $0.key < $1.key }) {
            if let color = Color(text: entry.text) {
                colors[name] = color
            } else {
                warnings.append(
                    "\(entry.file):\(entry.line): palette.\(name): \"\(entry.text)\" is not a color"
                )
            }
        }
        var definitions: [String: Style] = [:]
        for (scope, entry) in styles.sorted(by: { $0.key < $1.key }) {
            func color(_ name: String?) -> Color {
                guard let name else { return .terminal }
                if let color = colors[name] ?? Color(text: name) { return color }
                warnings.append(
                    "\(entry.file):\(entry.line): styles.\(scope): \"\(name)\" is not a color"
                )
                return .terminal
            }
            definitions[scope] = Style(
                foreground: color(entry.foreground),
                background: color(entry.background),
                attributes: entry.attributes
            )
        }
        let theme = Theme(name: name, definitions: definitions, backdrop: backdrop ?? .dark)
        return LoadedTheme(theme: theme, warnings: warnings, definitions: definitions)
    }
}
