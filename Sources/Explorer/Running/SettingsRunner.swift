import Apus
import Documents
import FoundationEssentials
import Terminal

/// Reads the user's themes and keys, and reports changes of their files.
@MainActor
final class SettingsRunner {
    private let folder: String?
    private let depth: ColorDepth
    private let mailbox: Mailbox<Message>
    private var watches: [FolderWatch] = []
    private var themes: Task<Void, Never>?

    /// `folder` is `$XDG_CONFIG_HOME/apus`; nil if there is no such folder.
    init(folder: String?, depth: ColorDepth, mailbox: Mailbox<Message>) {
        (self.folder, self.depth, self.mailbox) = (folder, depth, mailbox)
        watch()
    }

    func close() {
        watches = []
        themes?.cancel()
    }

    /// Watches the folders that exist; a folder that is made later is watched once themes are listed.
    private func watch() {
        guard let folder, watches.count < 2 else { return }
        watches = [
            FolderWatch(folder, .whole, of: { $0 == KeyFile.name }) { [mailbox] in
                mailbox.send(.keysChanged)
            },
            FolderWatch("\(folder)/themes", .whole, of: { $0.hasSuffix(".yaml") }) { [mailbox] in
                mailbox.send(.theme(.changed))
            },
        ].compactMap(\.self)
    }

    func listThemes() {
        watch()
        let loader = ThemeLoader(configurationFolder: folder)
        Task.detached { [mailbox] in mailbox.send(.theme(.listed(loader.available()))) }
    }

    func loadTheme(_ name: String) {
        themes?.cancel()
        themes = Task.detached { [folder, depth, mailbox] in
            let loader = ThemeLoader(configurationFolder: folder)
            do throws(ThemeError) {
                let loaded = try loader.load(name, depth: depth)
                guard !Task.isCancelled else { return }
                let warning = loaded.warnings.first
                mailbox.send(.theme(.loaded(name, loaded.theme, warning: warning)))
            } catch {
                mailbox.send(.theme(.failed(error.description)))
            }
        }
    }

    func keepTheme(_ name: String) {
        Task.detached { [mailbox] in
            do throws(PrivateFileError) {
                try KeptTheme.write(name)
            } catch {
                mailbox.send(.theme(.failed("the theme was not saved: \(error.description)")))
            }
        }
    }

    func keepWrap(_ wraps: Bool) {
        Task.detached { [mailbox] in
            do throws(PrivateFileError) {
                try KeptWrap.write(wraps)
            } catch {
                mailbox.send(.theme(.failed("wrapping was not saved: \(error.description)")))
            }
        }
    }

    func loadKeys() {
        guard let folder else { return }
        Task.detached { [mailbox] in
            let (keys, problem) = KeyFile.load(from: folder)
            mailbox.send(.keysLoaded(keys, problem: problem))
        }
    }
}

/// Whether lines of text wrap, kept for the next start.
enum KeptWrap {
    private static var path: String { "\(StandardFolders.state)/wrap" }

    /// Whether they wrapped last; false if nothing is kept.
    static func read() -> Bool {
        // A missing or unreadable file must not keep the program from starting.
        guard let bytes = try? PrivateFiles.readFile(path, upTo: 16) else { return false }
        return bytes.starts(with: "on".utf8)
    }

    static func write(_ wraps: Bool) throws(PrivateFileError) {
        try PrivateFiles.replace(path, with: Array(wraps ? "on\n".utf8 : "off\n".utf8))
    }
}

/// The theme that was chosen last, kept for the next start.
enum KeptTheme {
    private static var path: String { "\(StandardFolders.state)/theme" }

    /// Its name; nil if there is none.
    static func read() -> String? {
        // A missing or unreadable file must not keep the program from starting.
        guard let bytes = try? PrivateFiles.readFile(path, upTo: 256) else { return nil }
        let name = String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }
        return name.isEmpty ? nil : String(name)
    }

    static func write(_ name: String) throws(PrivateFileError) {
        try PrivateFiles.replace(path, with: Array("\(name)\n".utf8))
    }
}
