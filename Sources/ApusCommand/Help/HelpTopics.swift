import Documents
import Explorer
import Workspaces

/// The pages of `apus help` that are about no command.
enum HelpTopics {
    /// The page that the words after `help` ask for; nil if they are about a command.
    ///
    /// - Throws: `CommandError` for an unknown subject.
    static func text(for words: [String]) throws(CommandError) -> String? {
        switch words.first {
        case "workspace": return try workspace(words.dropFirst().first, words.count)
        case "security" where words.count == 1: return MarkdownText.text(of: SecurityPage.page)
        case "ci" where words.count == 1: return MarkdownText.text(of: RunsPage.page)
        case "sharing" where words.count == 1: return MarkdownText.text(of: SharingPage.page)
        case "files" where words.count == 1: return MarkdownText.text(of: FilesPage.page)
        case "keys" where words.count == 1: return MarkdownText.text(of: KeysPage.page)
        default: return nil
        }
    }

    private static func workspace(
        _ word: String?,
        _ count: Int
    ) throws(CommandError) -> String {
        guard let word else { return FormatReference.text }
        let names = FormatSubject.allCases.map(\.rawValue)
        guard count == 2, let subject = FormatSubject(rawValue: word) else {
            let meant = Suggestion.nearest(to: word, among: names)
            let hint = meant.map { "; did you mean `apus help workspace \($0)`?" } ?? "."
            throw CommandError(
                "there is no page `\(GivenArguments.shown(word))`\(hint) The pages are "
                    + names.joined(separator: ", ")
            )
        }
        return FormatReference.text(of: subject)
    }
}
