import Apus
import Documents
import Terminal

/// What the explorer and the viewer start with: a terminal that can show a screen, and a theme.
@MainActor
struct ScreenStart {
    let theme: Theme
    /// The name or file that the user gave.
    let themeName: String
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
        let (theme, themeName) = try theme(named: name, orKept: kept, for: profile)
        return try show(
            ScreenStart(
                theme: theme,
                themeName: themeName,
                depth: profile.colorDepth,
                look: Look(
                    theme: theme,
                    symbols: profile.symbols,
                    colorDepth: profile.colorDepth,
                    showsImages: profile.showsImages
                )
            )
        )
    }

    /// A screen of 24-bit colors without a terminal.
    static func withoutTerminal(theme name: String?) throws(ScreenStartError) -> ScreenStart {
        let (theme, themeName) = try theme(named: name, orKept: nil, for: .none)
        return ScreenStart(
            theme: theme,
            themeName: themeName,
            depth: .trueColor,
            look: Look(theme: theme, symbols: .unicode)
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

    /// The requested theme, fitted to the terminal; warnings go to the standard error.
    private static func theme(
        named name: String?,
        orKept kept: String?,
        for profile: TerminalProfile
    ) throws(ScreenStartError) -> (Theme, name: String) {
        let standard = Theme.standard.name
        let asked = name ?? kept ?? standard
        guard name != nil || kept != nil || profile.colorDepth != .trueColor else {
            return (.standard, standard)
        }
        let loader = ThemeLoader(configurationFolder: StandardFolders.configuration)
        do {
            let loaded = try loader.load(asked, depth: profile.colorDepth)
            for warning in loaded.warnings { StandardError.write(warning) }
            return (loaded.theme, asked)
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
