import Documents

/// What a program with a screen starts with: a terminal that can show it, and a theme.
@MainActor
package struct ScreenStart {
    /// The theme of the first frame.
    package let theme: Theme
    /// The name or file that the user gave.
    package let themeName: String
    /// Whether the user has chosen no theme, so that it follows the terminal's background.
    package let followsBackground: Bool
    /// The terminal's background, if the environment's variables say it; else nil.
    package let background: PixelColor?
    /// The colors that the terminal has.
    package let depth: ColorDepth
    /// What views draw with.
    package let look: Look
    private let configuration: String?

    /// Runs a program's screen; throws if it cannot.
    ///
    /// - Parameters:
    ///   - name: The theme that the user gave; nil for the kept one.
    ///   - kept: The theme that was chosen last; nil for the one that suits the terminal's background.
    ///   - configuration: The folder with the user's own themes; nil for none.
    ///   - show: Shows the screen; returns the exit status.
    /// - Returns: The exit status.
    /// - Throws: `ScreenStartError` if there is no terminal, or no such theme.
    package static func show(
        theme name: String?,
        kept: String?,
        configuration: String?,
        _ show: (ScreenStart) throws(ScreenStartError) -> Int32
    ) throws(ScreenStartError) -> Int32 {
        Document.keepMemory(atMost: 16 << 20)
        let profile = TerminalProfile.detect()
        if let problem = profile.problem { throw ScreenStartError(text: problem.description) }
        let start = try theme(named: name, orKept: kept, for: profile, in: configuration)
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
                ),
                configuration: configuration
            )
        )
    }

    /// A screen of 24-bit colors without a terminal.
    package static func withoutTerminal(
        theme name: String?,
        configuration: String?
    ) throws(ScreenStartError) -> ScreenStart {
        let start = try theme(named: name, orKept: nil, for: .none, in: configuration)
        return ScreenStart(
            theme: start.theme,
            themeName: start.name,
            followsBackground: start.isAutomatic,
            background: nil,
            depth: .trueColor,
            look: Look(theme: start.theme, symbols: .unicode),
            configuration: configuration
        )
    }

    /// Takes over the terminal until the app quits; returns the exit status.
    package func show<App: TerminalApp>(
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
    package func theme(on background: PixelColor, insteadOf present: Theme) -> Theme? {
        let name = AutomaticTheme.name(on: background)
        guard name != present.name else { return nil }
        let loader = ThemeLoader(configurationFolder: configuration)
        // A user's own file of this name that cannot be read leaves the theme as it is.
        return try? loader.load(name, depth: depth).theme
    }

    /// The requested theme, fitted to the terminal; warnings go to the standard error.
    private static func theme(
        named name: String?,
        orKept kept: String?,
        for profile: TerminalProfile,
        in configuration: String?
    ) throws(ScreenStartError) -> (theme: Theme, name: String, isAutomatic: Bool) {
        let chosen = (name ?? kept).flatMap { $0 == AutomaticTheme.name ? nil : $0 }
        let asked = chosen ?? AutomaticTheme.name(on: profile.background)
        if chosen == nil, profile.colorDepth == .trueColor, asked == Theme.standard.name {
            return (.standard, asked, true)
        }
        let loader = ThemeLoader(configurationFolder: configuration)
        do {
            let loaded = try loader.load(asked, depth: profile.colorDepth)
            for warning in loaded.warnings { StandardError.write(warning) }
            return (loaded.theme, asked, chosen == nil)
        } catch {
            if kept != nil {
                // The kept theme was a file of the user's that is gone, which must not prevent the start.
                StandardError.write("\(error)")
                return try theme(named: nil, orKept: nil, for: profile, in: configuration)
            }
            throw ScreenStartError(text: "\(error)")
        }
    }
}

/// Why a screen could not be shown.
package struct ScreenStartError: Error {
    /// The reason, in words for people.
    package let text: String

    /// Makes an error.
    package init(text: String) { self.text = text }
}
