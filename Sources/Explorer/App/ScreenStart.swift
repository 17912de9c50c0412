import Apus
import Documents
import Terminal

/// What the explorer and the viewer start with: a terminal that can show a screen, and a theme.
@MainActor
struct ScreenStart {
    let theme: Theme
    /// The name or file that the user gave.
    let themeName: String
    /// Whether the user has chosen no theme, so that it follows the terminal's background.
    let followsBackground: Bool
    /// The terminal's background, if its variables tell it.
    let background: PixelColor?
    let depth: ColorDepth
    let look: Look

    /// Runs a program's screen; if it cannot, writes the reason to the standard error.
    static func run(
        theme name: String?,
        keepsTheme: Bool = true,
        _ show: (ScreenStart) throws(ScreenStartError) -> Int32
    ) -> Int32 {
        do throws(ScreenStartError) {
            return try self.show(theme: name, keepsTheme: keepsTheme, show)
        } catch {
            return StandardError.fail(error.text)
        }
    }

    /// Runs a program's screen; throws if it cannot.
    static func show(
        theme name: String?,
        keepsTheme: Bool = true,
        _ show: (ScreenStart) throws(ScreenStartError) -> Int32
    ) throws(ScreenStartError) -> Int32 {
        Document.keepMemory(atMost: 16 << 20)
        let profile = TerminalProfile.detect()
        if let problem = profile.problem { throw ScreenStartError(text: problem.description) }
        let kept = name == nil && keepsTheme ? KeptTheme.read() : nil
        let start = try theme(named: name, orKept: kept, for: profile)
        return try show(
            ScreenStart(
                theme: start.theme,
                themeName: start.name,
                followsBackground: start.isAutomatic,
                background: profile.background,
                depth: profile.colorDepth,
                look: Look(
                    theme: start.theme,
                    symbols: profile.symbols,
                    colorDepth: profile.colorDepth,
                    showsImages: profile.showsImages
                )
            )
        )
    }

    /// A screen of 24-bit colors without a terminal.
    static func withoutTerminal(theme name: String?) throws(ScreenStartError) -> ScreenStart {
        let start = try theme(named: name, orKept: nil, for: .none)
        return ScreenStart(
            theme: start.theme,
            themeName: start.name,
            followsBackground: start.isAutomatic,
            background: nil,
            depth: .trueColor,
            look: Look(theme: start.theme, symbols: .unicode)
        )
    }

    /// Takes over the terminal until the app quits; returns the exit status.
    func show<App: TerminalApp>(
        _ app: App,
        _ mailbox: Mailbox<App.Message>
    ) throws(ScreenStartError) -> Int32 {
        do {
            return try TerminalSession(app: app, mailbox: mailbox, theme: theme).run()
        } catch {
            throw ScreenStartError(text: error.description)
        }
    }

    /// The automatic theme for a background; nil if it is the present one.
    func theme(on background: PixelColor, insteadOf present: Theme) -> Theme? {
        let name = AutomaticTheme.name(on: background)
        guard name != present.name else { return nil }
        let loader = ThemeLoader(configurationFolder: StandardFolders.configuration)
        // A user's own file of this name that cannot be read leaves the theme as it is.
        return try? loader.load(name, depth: depth).theme
    }

    /// The requested theme, fitted to the terminal; warnings go to the standard error.
    private static func theme(
        named name: String?,
        orKept kept: String?,
        for profile: TerminalProfile
    ) throws(ScreenStartError) -> (theme: Theme, name: String, isAutomatic: Bool) {
        let chosen = (name ?? kept).flatMap { $0 == AutomaticTheme.name ? nil : $0 }
        let asked = chosen ?? AutomaticTheme.name(on: profile.background)
        if chosen == nil, profile.colorDepth == .trueColor, asked == Theme.standard.name {
            return (.standard, asked, true)
        }
        let loader = ThemeLoader(configurationFolder: StandardFolders.configuration)
        do {
            let loaded = try loader.load(asked, depth: profile.colorDepth)
            for warning in loaded.warnings { StandardError.write(warning) }
            return (loaded.theme, asked, chosen == nil)
        } catch {
            if kept != nil {
                // The kept theme was a file of the user's that is gone, which must not prevent the start.
                StandardError.write("\(error)")
                return try theme(named: nil, orKept: nil, for: profile)
            }
            throw ScreenStartError(text: "\(error)")
        }
    }
}

/// Why a screen could not be shown.
package struct ScreenStartError: Error {
    /// The reason, in words for people.
    package let text: String
}
