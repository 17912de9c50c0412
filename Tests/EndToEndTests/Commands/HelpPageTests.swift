import Explorer
import FoundationEssentials
import Testing

@testable import ApusCommand

@Suite("Pages of help")
struct HelpPageTests {
    private static let pages = [
        ("Security", SecurityPage.page), ("Files", FilesPage.page),
        ("ChecksInCI", RunsPage.page), ("Sharing", SharingPage.page), ("Keys", KeysPage.page),
    ]

    @Test("a page of the documentation is what the program prints", arguments: pages)
    func page(name: String, text: String) throws {
        let path = "\(#filePath)".replacing(
            "Tests/EndToEndTests/Commands/HelpPageTests.swift",
            with: "Sources/Apus/Apus.docc/\(name).md"
        )
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
            try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text + "\n")
    }

    @Test("a page fits a terminal, but for what cannot be broken", arguments: pages)
    func width(name: String, text: String) {
        let printed = MarkdownText.text(of: text)
        for line in printed.split(separator: "\n") where line.count > 80 {
            #expect(!line.drop { $0 == " " }.contains(" ") || line.contains("`"), "\(line)")
        }
        #expect(!printed.contains("**") && !printed.contains("|---"))
        // Code keeps its lines.
        for line in text.split(separator: "\n")
        where line.hasPrefix("        ") && !text.contains("```") {
            #expect(printed.contains("\n\(line)"), "\(line)")
        }
    }
}
