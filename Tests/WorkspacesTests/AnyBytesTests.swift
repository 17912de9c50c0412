import TestSupport
import Testing
import Workspaces

@Suite("Any text at all")
struct AnyBytesTests {
    private static let whole = """
        name: Demo
        variables: { user: 7, token: { env: T }, other: "{{ user }}" }
        environments:
          local: { baseURL: "http://h", variables: { user: 1 } }
          other: { baseURL: "http://i" }
        defaults: { headers: &h { Accept: "*/*" }, cache: { storage: disk, expires: 5 min } }
        targets:
          Users:
            List: GET /users
            Show: { request: "GET /users/{{ user }}", headers: { <<: *h, X: y } }
            New: { request: POST /users, json: { a: [1, "{{ user }}"] }, auth: { bearer: "{{ token }}" } }
        batches:
          B: [Users/List, { target: Users/Show, repeat: 2, set: { user: "{{ index }}" } }]
        chains:
          C:
            - { step: a, target: Users/New, capture: { id: "$.id" } }
            - { step: b, target: Users/Show, set: { user: "{{ id }}" } }

        """

    private func check(_ text: String) {
        do {
            let workspace = try Workspace.make(text)
            #expect(!workspace.environments.isEmpty)
        } catch {
            #expect(!error.problems.isEmpty)
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            for problem in error.problems {
                #expect(problem.location.line <= lines.count + 1, "\(problem.summary)")
            }
            #expect(!error.description.isEmpty)
        }
    }

    @Test("the whole text is a workspace")
    func valid() throws {
        _ = try Workspace.make(Self.whole)
    }

    @Test("a text cut anywhere is a workspace or has faults with places")
    func cut() {
        let scalars = Array(Self.whole.unicodeScalars)
        for end in stride(from: 0, to: scalars.count, by: 3) {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars[..<end])
            check(String(view))
        }
    }

    @Test(
        "a text with anything changed in it is a workspace or has faults with places",
        arguments: 0..<6
    )
    func changed(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let pieces = [
            "{", "}", "[", "]", ":", "- ", "*h", "&h ", "<<: ", "{{", "}}", "\n", "  ", "\t", "\"",
            "'", "#", "|", ">", "? ", "!", "%", "@", "\\", "\u{0}", "\u{FEFF}", "é", "🙂", "~", ",",
            "targets:", "A: ", "---", "\r",
        ]
        for _ in 0..<150 {
            var scalars = Array(Self.whole.unicodeScalars)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let at = Int.random(in: 0..<scalars.count, using: &generator)
                let piece = pieces.randomElement(using: &generator) ?? ""
                let end = min(scalars.count, at + Int.random(in: 0...3, using: &generator))
                scalars.replaceSubrange(at..<end, with: piece.unicodeScalars)
            }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            check(String(view))
        }
    }

    @Test("any bytes are a workspace or have faults with places", arguments: 0..<4)
    func bytes(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(1000 + seed))
        for _ in 0..<150 {
            let count = Int.random(in: 0..<80, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            check(String(decoding: bytes, as: UTF8.self))
            check(String(decoding: bytes.map { $0 & 0x7F | ($0 & 1) << 5 }, as: UTF8.self))
        }
    }
}
