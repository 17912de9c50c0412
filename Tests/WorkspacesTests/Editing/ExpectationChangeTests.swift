import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Secrets
import TestSupport
import Testing

@testable import Workspaces

@Suite("Writing what is expected to the file")
struct ExpectationChangeTests {
    private static let text = """
        defaults: { expect: { status: 2xx } }
        environments: { e: { baseURL: "http://h" } }
        variables: { who: Ada }
        targets:
          Users:
            # One of them
            Show: GET /users/1   # by id
            List:
              request: GET /users
              expect:   # what we rely on
                json:
                  users[0].name: Ada   # the first
                  $.total: { type: number, ">": 1 }
              tags: [smoke]
            Flow: { request: GET /flow, expect: { fields: { content-type: a }, status: 200 } }
          Home: GET /
        """

    private func changed(_ change: WorkspaceChange, _ text: String = text) throws -> String {
        let workspace = try Workspace.parse(text: text, file: "a.apus.yaml")
        return try workspace.changing(change).sources.map(\.text).joined()
    }

    private func json(_ path: String) throws -> Workspaces.Expectation.Subject {
        .json(try JSONPath(parsing: path), written: path)
    }

    /// The lines that a change removes, with `-`, and those that it adds, with `+`.
    private func lines(_ change: WorkspaceChange) throws -> [String] {
        let old = Self.text.split(separator: "\n").map(String.init)
        let new = try changed(change).split(separator: "\n").map(String.init)
        return new.difference(from: old).map { step in
            switch step {
            case .remove(_, let line, _): "-\(line)"
            case .insert(_, let line, _): "+\(line)"
            }
        }
    }

    @Test("a target that is one line becomes a mapping, and keeps its comments")
    func oneLine() throws {
        let text = try changed(.expect("== 36", of: try json("$.age"), target: "Users/Show"))
        #expect(
            text.contains(
                """
                    # One of them
                    Show:
                      request: GET /users/1   # by id
                      expect:
                        json:
                          $.age: 36
                    List:
                """
            ),
            "\(text)"
        )
    }

    @Test("a path that has an expectation already gets the new one, however either is written")
    func replaces() throws {
        #expect(
            try lines(.expect("matches ^A", of: try json("$.users[0].name"), target: "Users/List"))
                == [
                    "-          users[0].name: Ada   # the first",
                    "+          users[0].name: { matches: ^A }   # the first",
                ]
        )
        #expect(
            try lines(.expect("count >= 2", of: try json("$['total']"), target: "Users/List"))
                == [
                    "-          $.total: { type: number, \">\": 1 }",
                    "+          $.total: { count: \">= 2\" }",
                ]
        )
        let name = try #require(HTTPField.Name("Content-Type"))
        let text = try changed(.expect("contains json", of: .field(name), target: "Users/Flow"))
        #expect(text.contains("fields: { content-type: { contains: json } }, status: 200"))
        #expect(
            try lines(.expect("[200, 3xx]", of: .status, target: "Users/List")) == [
                "+        status: [200, 3xx]"
            ]
        )
    }

    @Test(
        "what is typed is what is read",
        arguments: [
            ("== \"36\"", #"is "36""#), ("36", "is 36"), ("Ada", #"is "Ada""#),
            ("== null", "is null"),
            ("== {\"a\": [1]}", #"is {"a":[1]}"#), ("!= true", "is not true"), ("<=2.5", "<= 2.5"),
            ("in [1, \"b\"]", #"is one of [1,"b"]"#), ("contains x y", #"contains "x y""#),
            ("matches ^\\d+$", #"matches "^\\d+$""#), ("exists", "exists"),
            ("exists false", "does not exist"), ("count 2", "has 2"),
            ("type null", "is of type null"), ("== {{ who }}", #"is "Ada""#),
            ("== exists", #"is "exists""#), ("== \"a\\u001b[31m\\n\"", #"is "a\u001b[31m\n""#),
            ("== \"<<\"", #"is "<<""#), ("== \"~\"", #"is "~""#),
        ]
    )
    func typed(_ typed: String, _ expected: String) throws {
        let change = WorkspaceChange.expect(typed, of: try json("$.a"), target: "Users/Show")
        let workspace = try Workspace.parse(text: Self.text, file: "a.apus.yaml").changing(change)
        let target = try workspace.sent("Users/Show")
        let own = try #require(target.expectations.first { $0.subject != .status })
        #expect(own.expected == expected)
        // What is offered to be changed means the same.
        let again = TypedExpectation.text(of: own)
        let value = try TypedExpectation.value(of: again, for: own.subject)
        let same = try TypedExpectation.value(of: typed, for: own.subject)
        // A template is offered as what it stands for.
        #expect(value == same || typed.contains("{{"))
    }

    @Test(
        "what says nothing, or cannot be read, is refused, and nothing is written",
        arguments: ["", "==", "matches (", "== \"a", "type text", "count x", "in", "< [1]"]
    )
    func refused(_ typed: String) throws {
        let change = WorkspaceChange.expect(typed, of: try json("$.a"), target: "Users/Show")
        #expect(throws: WorkspaceError.self) { try changed(change) }
    }

    @Test("removing one leaves what stands beside it, and nothing that is empty")
    func removing() throws {
        let total = try json("$.total")
        #expect(
            try lines(.removeExpectation(total, .more, target: "Users/List")) == [
                "-          $.total: { type: number, \">\": 1 }",
                "+          $.total: { type: number }",
            ]
        )
        let text = try changed(
            .removeExpectation(try json("$.users[0].name"), .equals, target: "Users/List"),
            try changed(
                .removeExpectation(
                    total,
                    .type,
                    target: "Users/List"
                ),
                try changed(.removeExpectation(total, .more, target: "Users/List"))
            )
        )
        #expect(
            text.contains("    List:\n      request: GET /users\n      tags: [smoke]\n"),
            "\(text)"
        )
        #expect(throws: WorkspaceError.self) {
            try changed(.removeExpectation(.status, nil, target: "Users/List"))
        }
    }

    @Test(
        "what is offered for a value is met by it, also by a hostile one",
        arguments: [
            #""Ada""#, "36", "1.50", "true", "null", "[1, 2]", "[]", #"{"a": 1}"#, #""""#,
            #""{{ who }} ${who} and {{ more""#, #""\u001b[31m\u0000\u202e\ud83d\ude00""#,
            #""C:\\{{ who }}""#, #""<<""#, #"": # - 'x' \"y\"""#, "12345678901234567890123",
            #""a (b) [c] $^.|?*+{2}\\""#, "\"\(String(repeating: "漢字", count: 400))\"",
        ]
    )
    func offered(_ body: String) throws {
        let document = Document.parse(DocumentBytes(Array(#"{"a": \#(body)}"#.utf8)))
        let node = try #require(document.first(matching: try JSONPath("$.a")))
        let subject = try #require(
            Workspaces.Expectation.Subject.value(at: "$['a']", shortened: "a")
        )
        let offers = TypedExpectation.offers(
            for: JSON(document: document, node: node),
            named: "a",
            masking: CredentialMask()
        )
        #expect(!offers.isEmpty)
        for offer in offers
        where !offer.hasPrefix("<") && !offer.hasPrefix(">") && offer != "count >= 1" {
            let change = WorkspaceChange.expect(offer, of: subject, target: "Users/Show")
            let workspace = try Workspace.parse(text: Self.text, file: "a.apus.yaml")
                .changing(change)
            let target = try workspace.sent("Users/Show")
            let checked = target.check(
                .success(.json(#"{"a": \#(body)}"#)),
                after: .zero,
                now: .now
            )
            #expect(checked?.isMet == true, "\(offer): \(checked?.items.map(\.expected) ?? [])")
        }
    }

    @Test("a secret is not offered to be written to a file")
    func secrets() {
        let mask = CredentialMask(secrets: ["t0p-s3cret"])
        let known = TypedExpectation.offers(for: JSON("a t0p-s3cret"), named: "x", masking: mask)
        #expect(known == ["exists", "type string"])
        let named = TypedExpectation.offers(for: JSON("abc"), named: "password", masking: mask)
        #expect(named == ["exists", "type string"])
        #expect(
            TypedExpectation.offers(forField: "a=b", named: .setCookie, masking: mask) == ["exists"]
        )
    }

    @Test("a target goes up and down with the comments above it, and stays in its group")
    func shift() throws {
        let down = try changed(.shift("Users/Show", isDown: true))
        let start = try #require(down.firstRange(of: "    List:"))
        #expect(
            down[start.lowerBound...].contains(
                """
                      tags: [smoke]
                    # One of them
                    Show: GET /users/1   # by id
                    Flow:
                """
            ),
            "\(down)"
        )
        #expect(try changed(.shift("Users/Show", isDown: false), down) == Self.text)
        #expect(try changed(.shift("Users", isDown: true)).hasSuffix("status: 200 } }"))
        for (path, isDown) in [("Users/Show", false), ("Users/Flow", true), ("Home", true)] {
            #expect(throws: WorkspaceError.self) {
                try changed(.shift(path, isDown: isDown))
            }
        }
    }
}
