import FoundationEssentials
import TestSupport
import Testing

@testable import Workspaces

@Suite("What a workspace's review finds")
struct WorkspaceReviewTests {
    private let folder = TemporaryFolder()

    private func review(_ text: String) throws -> WorkspaceReview {
        try WorkspaceReview(path: try folder.write(text, to: "a.apus.yaml"))
    }

    @Test(
        "what is probably not meant is a warning at its place",
        arguments: [
            ("variables: { used: 1, unused: 2 }", "unused", "nothing uses the variable `unused`"),
            ("targets: { B: \"GET http://h/users/{id}\" }", "{id}", "`{id}` is sent as it stands"),
            ("targets: { B: GET http://h/users/:id }", ":id", "`:id` is sent as it stands"),
            (
                "targets: { B: { request: POST http://h/, json: { a: no } } }", "no",
                "`no` is a string here"
            ),
            (
                "targets: { B: { request: POST http://h/, json: [08] } }", "08",
                "`08` is a string here"
            ),
            (
                "targets: { B: { request: GET http://h/, auth: { bearer: abcdefgh } } }",
                "abcdefgh", "a credential stands in the file under `bearer`"
            ),
            (
                "variables: { password: hunter2 }", "hunter2",
                "a credential stands in the file under `password`"
            ),
        ]
    )
    func warnings(line: String, place: String, message: String) throws {
        let base = "targets: { A: \"GET http://h/{{ used }}{{ password }}\" }"
        let text =
            line.hasPrefix("targets")
            ? line
            : "\(line)\n\(base)\nenvironments: { e: { variables: { used: 1, password: '' } } }"
        let found = try review(text).problems
        let problem = try #require(found.first { $0.message.contains(message) }, "\(found)")
        #expect(problem.severity == .warning)
        #expect(problem.location.line == 1)
        let column = line[..<(try #require(line.firstRange(of: place)).lowerBound)].count
        #expect(problem.location.column == column + 1)
    }

    @Test(
        "what is as it should be is not mentioned",
        arguments: [
            "targets: { A: GET http://h:8080/v1/files:batchGet }",
            "targets: { A: { request: POST http://h/, json: { a: \"no\", b: 0, c: 10, d: false, e: null } } }",
            "variables: { token: { env: T } }\ntargets: { A: { request: GET http://h/, auth: { bearer: \"{{ token }}\" } } }",
            "variables: { a: 1, b: \"{{ a }}\" }\ntargets: { A: \"GET http://h/{{ b | base64 }}\" }",
            "variables: { k: 1 }\ntargets: { A: \"GET http://h/{{ 'x' | hmac(k) }}\" }",
            "cache: { shared: \"redis://h/0\", key: { env: K }, password: { env: P } }\ntargets: { A: GET http://h/ }",
        ]
    )
    func clean(text: String) throws {
        #expect(try review(text).problems == [])
    }

    @Test("every page's example and the starter are clean")
    func examples() throws {
        for subject in FormatSubject.allCases {
            let found = try review(subject.example).problems
            #expect(found == [], "\(subject)")
        }
        #expect(try review(StarterWorkspace.text(baseURL: "http://h")).problems == [])
    }

    @Test(
        "what is certain is written: quotes, and a known variable's braces; the rest stays as it is, byte for byte"
    )
    func fix() throws {
        let text = """
            variables: { id: 7 }   # a comment\r
            targets:\r
              A: "GET http://h/users/{id}"\r
              B: { request: POST http://h/, json: [no, 'é', 08] }\r
            """
        let path = try folder.write(text, to: "a.apus.yaml")
        #expect(try WorkspaceReview(path: path).fix() == 3)
        let written = try String(contentsOfFile: path, encoding: .utf8)
        #expect(
            written
                == text.replacing("{id}", with: "{{ id }}").replacing("no,", with: "\"no\",")
                .replacing("08", with: "\"08\"")
        )
        #expect(try WorkspaceReview(path: path).problems == [])
    }

    @Test(
        "line ends that only some count move no fix, and none that does not fit is tried for ever"
    )
    func lineEnds() throws {
        let text =
            "variables: { id: 7, note: \"a\u{2028}b\u{B}c\" }\ntargets:\n"
            + "  A: \"GET http://h/{id}/{{ note }}\"\n  B: { request: POST http://h/, json: [no] }\n"
        let path = try folder.write(text, to: "a.apus.yaml")
        while try WorkspaceReview(path: path).fix() > 0 {}
        let written = try String(contentsOfFile: path, encoding: .utf8)
        let mended = text.replacing("/{id}", with: "/{{ id }}")
        #expect(
            [
                text, mended, text.replacing("no]", with: "\"no\"]"),
                mended.replacing("no]", with: "\"no\"]"),
            ].contains(written)
        )
    }

    @Test("a value that begins with braces gets its quotes")
    func quotes() throws {
        let path = try folder.write(
            "variables: { id: 7 }\ntargets:\n  A:\n    request: GET http://h/\n    headers:\n      X-A: {{ id }}  # why\n",
            to: "a.apus.yaml"
        )
        let review = try WorkspaceReview(path: path)
        #expect(review.problems.first?.message == "a value that begins with `{{` needs quotes")
        #expect(try review.fix() == 1)
        let written = try String(contentsOfFile: path, encoding: .utf8)
        #expect(written.contains("      X-A: \"{{ id }}\"  # why\n"))
        #expect(try WorkspaceReview(path: path).problems == [])
    }
}
