extension Theme {
    /// The default theme, without reading its YAML file: Yams takes 3.4 ms for the first file that
    /// a process composes (0.4-0.6 ms for later ones), more than all the rest before the first
    /// frame.
    ///
    /// This table takes 0.02 ms, and a test keeps it equal to the file.
    package static let standard = Theme(
        name: "dusk",
        definitions: Dictionary(
            uniqueKeysWithValues: standardTable.map { entry in
                let style = Style(
                    foreground: color(entry.foreground),
                    background: color(entry.background),
                    attributes: Style.Attributes(rawValue: entry.attributes)
                )
                return (entry.scope, style)
            }
        )
    )

    private static func color(_ value: Int32) -> Color {
        guard value >= 0 else { return .terminal }
        return .rgb(UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255))
    }
}
