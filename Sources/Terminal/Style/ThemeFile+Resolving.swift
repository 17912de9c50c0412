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
                    "\(entry.file):\(entry.line): palette.\(name): \"\(entry.text)\" is no colour"
                )
            }
        }
        var definitions: [String: Style] = [:]
        for (scope, entry) in styles.sorted(by: { $0.key < $1.key }) {
            func color(_ name: String?) -> Color {
                guard let name else { return .terminal }
                if let color = colors[name] ?? Color(text: name) { return color }
                warnings.append(
                    "\(entry.file):\(entry.line): styles.\(scope): \"\(name)\" is no colour"
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
