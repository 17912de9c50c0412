import Apus
import Terminal

/// The theme that was asked for, found and fitted to the terminal.
struct ThemeChoice {
    /// A theme's name or file; nil for the default.
    var name: String?

    /// Loads it; warnings go to the standard error.
    func load(for profile: TerminalProfile) throws(ScreenStartError) -> Theme {
        guard name != nil || profile.colorDepth != .trueColor else { return .standard }
        do {
            let loader = ThemeLoader(configurationFolder: StandardFolders.configuration)
            let loaded = try loader.load(name ?? Theme.standard.name, depth: profile.colorDepth)
            for warning in loaded.warnings { StandardError.write(warning) }
            return loaded.theme
        } catch {
            throw ScreenStartError(text: "\(error)")
        }
    }
}
