import Documents
import FoundationEssentials
import TestSupport
import Testing

@testable import Workspaces

@Suite("The table of the workspace format")
struct FormatTableTests {
    struct Place: CustomTestStringConvertible, Sendable {
        let section: FormatSection.ID
        let key: FormatKey
        var testDescription: String { "\(section) \(key.name)" }
    }

    /// Every key, where it stands.
    static let places = FormatSection.all.flatMap { section in
        section.keys.map { Place(section: section.id, key: $0) }
    }

    @Test("each key's example is read", arguments: places)
    func example(_ place: Place) {
        let entries = FormatDocument.entries(with: place.key, in: place.section)
        let found = problems(
            FormatDocument.text(of: place.section, entries),
            files: FormatDocument.files
        )
        #expect(found == [])
    }

    @Test(
        "a key that is not in the table is unknown",
        arguments: FormatSection.all.map(\.id).filter { $0 != .group }
    )
    func unknown(_ section: FormatSection.ID) {
        let entries = section == .target ? ["request: GET /", "zzz: 1"] : ["zzz: 1"]
        let found = problems(FormatDocument.text(of: section, entries)).joined()
        // Where a credential is expected, a word that is no key may be one.
        let isHidden = [.secret, .question, .response, .auth, .credentials, .apiKey]
            .contains(section)
        #expect(found.contains(isHidden ? "unknown key `…`" : "unknown key `zzz`"), "\(found)")
    }

    @Test("each of a key's words is read, and no other", arguments: places)
    func words(_ place: Place) {
        let words = place.key.kind.choices
        guard !words.isEmpty else { return }
        for word in words + (place.key.kind.takesAnyText ? [] : ["zzz"]) {
            let key = FormatKey(
                place.key.name,
                place.key.kind,
                "",
                example: "\(place.key.name): \"\(word)\""
            )
            let entries = FormatDocument.entries(with: key, in: place.section)
            let found = problems(
                FormatDocument.text(of: place.section, entries),
                files: FormatDocument.files
            )
            #expect(found.isEmpty == (word != "zzz"), "\(word): \(found)")
        }
    }

    @Test("each page's example is a workspace without a problem", arguments: FormatSubject.allCases)
    func pages(_ subject: FormatSubject) throws {
        #expect(problems(subject.example) == [])
    }

    @Test("every key is on a page")
    func onPages() {
        let shown = Set(FormatSubject.allCases.flatMap { $0.keys.flatMap(\.keys).map(\.example) })
        let missing = Self.places.filter { !shown.contains($0.key.example) }
        #expect(missing.map(\.testDescription) == [])
    }

    @Test("the page of the documentation is what the table says")
    func page() throws {
        let path = "\(#filePath)".replacing(
            "Tests/WorkspacesTests/Reference/FormatTableTests.swift",
            with: "Sources/Apus/Apus.docc/Workspace.md"
        )
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
            try FormatReference.page.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == FormatReference.page, "RECORD_SNAPSHOTS=1 writes it anew")
    }
}

extension FormatKind {
    /// Whether any word is right.
    fileprivate var takesAnyText: Bool {
        switch self {
        case .text, .template, .path, .value: true
        case .either(let kinds): kinds.contains(where: \.takesAnyText)
        default: false
        }
    }

    /// The words that it takes, if it takes some.
    fileprivate var choices: [String] {
        switch self {
        case .word(let words): words
        case .either(let kinds): kinds.flatMap(\.choices)
        default: []
        }
    }
}
