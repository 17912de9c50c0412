import Documents
import TreeView
import Workspaces

/// A line of the help.
enum HelpLine: Hashable {
    case title(String)
    case binding(keys: String, text: String)
    case text(String)
    case blank
}

/// The pages of the help as lines, and what is found in them.
struct HelpPages {
    let keys: KeyTable
    /// The notes on the selected line, in Markdown; nil if there are none.
    let notes: String?
    let columns: Int

    /// How many lines of a part are shown around what was found in it.
    private static let mostLines = 6

    func lines(of subject: HelpSubject) -> [HelpLine] {
        guard let page = page(of: subject) else { return [] }
        return Self.lines(MarkdownText.text(of: page, columns: max(20, min(columns, 100))))
    }

    private func page(of subject: HelpSubject) -> String? {
        switch subject {
        case .notes: notes
        case .keys: nil
        case .workspace: FormatReference.page
        case .runs: RunsPage.page
        case .sharing: SharingPage.page
        case .security: SecurityPage.page
        case .files: FilesPage.page
        }
    }

    private static func lines(_ text: String) -> [HelpLine] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            if line.isEmpty { return .blank }
            return isTitle(line) ? .title(String(line)) : .text(String(line))
        }
    }

    private static func isTitle(_ line: Substring) -> Bool {
        line.first?.isUppercase == true && line == line.uppercased()
    }

    /// The keys and the parts of all pages that have all of some words.
    func lines(with text: String) -> [HelpLine] {
        let words = text.lowercased().split(separator: " ").map(String.init)
        var found = foundKeys(words)
        for subject in HelpSubject.allCases where subject != .keys {
            let parts = Self.parts(of: lines(of: subject), with: words)
            guard !parts.isEmpty else { continue }
            if !found.isEmpty { found.append(.blank) }
            found.append(.title(subject.title))
            found += parts
        }
        return found
    }

    private func foundKeys(_ words: [String]) -> [HelpLine] {
        var lines: [HelpLine] = []
        for place in KeyBinding.Place.ofExplorer {
            let bindings = keys.bindings.filter { binding in
                guard binding.place == place, !binding.keys.isEmpty else { return false }
                let note = KeyNotes.note(on: binding.action) ?? ""
                let text = "\(binding.shownKeys) \(binding.label) \(binding.help) \(note)"
                    .lowercased()
                let known = PaletteWords.words(for: binding.action)
                return words.allSatisfy { text.contains($0) || known.contains($0) }
            }
            guard !bindings.isEmpty else { continue }
            if !lines.isEmpty { lines.append(.blank) }
            lines.append(.title(place.title))
            for binding in bindings {
                let note = KeyNotes.note(on: binding.action).map { "; \($0)" } ?? ""
                lines.append(.binding(keys: binding.shownKeys, text: binding.help + note))
            }
        }
        return lines
    }

    /// The paragraphs of a page, and the rows of its tables, which begin two columns further right.
    private static func parts(of lines: [HelpLine]) -> [[HelpLine]] {
        var parts: [[HelpLine]] = [[]]
        for line in lines {
            if case .text(let text) = line, text.hasPrefix("  "), !text.hasPrefix("   ") {
                parts.append([])
            }
            if line == .blank { parts.append([]) } else { parts[parts.count - 1].append(line) }
        }
        return parts.filter { !$0.isEmpty }
    }

    /// The parts of a page, between blank lines, that have all of some words; of a long one, the lines around them.
    private static func parts(of lines: [HelpLine], with words: [String]) -> [HelpLine] {
        var found: [HelpLine] = []
        for part in parts(of: lines) {
            let texts = part.map { line -> String in
                switch line {
                case .title(let text), .text(let text): text.lowercased()
                case .binding, .blank: ""
                }
            }
            let whole = texts.joined(separator: " ")
            guard words.allSatisfy({ whole.contains($0) }) else { continue }
            let first = texts.firstIndex { text in words.contains { text.contains($0) } } ?? 0
            let start = part.count <= mostLines ? 0 : max(0, first - 1)
            if !found.isEmpty { found.append(.blank) }
            found += part.dropFirst(start).prefix(mostLines)
        }
        return found
    }
}
