import Apus
package import TreeView

extension ViewerSettings {
    /// The settings of the user of `apus`: keys, themes, and what the last start kept if `keepsState` is true.
    package static func ofUser(keepsState: Bool) -> ViewerSettings {
        var settings = ViewerSettings()
        settings.configuration = StandardFolders.configuration
        (settings.keys, settings.problem) = KeyFile.load(from: StandardFolders.configuration)
        settings.services = .engine
        guard keepsState else { return settings }
        settings.keptTheme = KeptTheme.read()
        settings.wraps = KeptWrap.read()
        // A folder that cannot be written only forgets it.
        settings.keepWrap = { try? KeptWrap.write($0) }
        return settings
    }
}
