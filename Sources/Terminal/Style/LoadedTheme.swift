/// A theme and what was wrong in its file.
package struct LoadedTheme: Sendable {
    /// Usable whatever the warnings say.
    package let theme: Theme
    /// File, line and what; in the order of the file.
    package let warnings: [String]
    let definitions: [String: Style]
}
