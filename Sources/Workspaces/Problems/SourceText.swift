/// A file's text, cut into lines, so that a problem can show where it is.
final class SourceText: Sendable {
    /// The file's name, as problems show it.
    let name: String
    /// The whole text.
    let text: String
    /// The lines, without their ends.
    let lines: [String]

    init(name: String, text: String) {
        self.name = name
        self.text = text
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map(String.init)
    }

    /// The line with this number, from 1.
    func line(_ number: Int) -> String? {
        lines.indices.contains(number - 1) ? lines[number - 1] : nil
    }
}
