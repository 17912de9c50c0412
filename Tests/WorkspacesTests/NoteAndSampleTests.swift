import Apus
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Workspaces

@Suite("Notes and samples")
struct NoteAndSampleTests {
    private static let text = """
        note: Ask *Ada* for a key.
        variables: { who: Ada }
        targets:
          Users:
            note: |
              These change
              what all see.
            Show:
              request: GET http://h/users/7
              note: "See [the manual](https://example.com/)."
              sample: { status: 404, headers: { ETag: '"1"' }, json: { name: "{{ who }}", n: 1.50 } }
            Like: { like: Users/Show, request: GET http://h/other }
            Text: { request: GET http://h/, sample: { body: done } }
            note two: GET http://h/note
          note: GET http://h/a-target-of-this-name

        """

    private func workspace(_ text: String = text) throws -> Workspace {
        try Workspace.parse(text: text, file: "a.apus.yaml")
    }

    @Test("a workspace, a group and a target have notes, and a target can be called note")
    func notes() throws {
        let workspace = try workspace()
        #expect(workspace.note == "Ask *Ada* for a key.")
        #expect(workspace.groups.map(\.noteText) == ["These change\nwhat all see.\n"])
        let show = try #require(workspace.definition(TargetID("Users/Show")))
        #expect(show.note == "See [the manual](https://example.com/).")
        #expect(workspace.targets.map(\.name) == ["Show", "Like", "Text", "note two", "note"])
    }

    @Test("a sample is the stub of its target and of those that are like it, if samples are used")
    func samples() throws {
        let plain = try workspace()
        let stubbed = plain.usingSamples()
        for (id, status) in [("Users/Show", 404), ("Users/Like", 404), ("Users/Text", 200)] {
            guard case .never = try plain.sent(id).stub else {
                Issue.record("\(id) is stubbed without being asked")
                continue
            }
            let target = try stubbed.sent(id)
            guard case .immediate(let stub) = target.stub,
                case .response(let response, .bytes(let bytes)) = stub.content
            else {
                Issue.record("\(id) has no stub")
                continue
            }
            #expect(response.status.code == status)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text == (id == "Users/Text" ? "done" : #"{"name":"Ada","n":1.50}"#))
            #expect(response.headerFields[.contentType] != nil)
            #expect(target.display.notes.first == "answered by its sample")
        }
        guard case .never = try stubbed.sent("note").stub else {
            Issue.record("a target without a sample is stubbed")
            return
        }
    }

    @Test("a sample's file is read when the target is sent; one that is missing is a failure")
    func file() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/user.json"
        let text = "targets: { A: { request: GET http://h/, sample: { file: \(path) } } }\n"
        let target = try workspace(text).usingSamples().sent("A")
        guard case .immediate(let missing) = target.stub,
            case .failure(.file(path, _)) = missing.content
        else {
            Issue.record("a missing file is no failure")
            return
        }
        try "{}".write(toFile: path, atomically: false, encoding: .utf8)
        guard case .immediate(let stub) = target.stub else { return }
        #expect(stub == StubResponse(body: .bytes(Array("{}".utf8))))
    }

    @Test(
        "what is wrong with a note or a sample is reported",
        arguments: [
            ("{ json: 1, body: x }", "only one body, and this one already has `json`"),
            ("{ status: 99 }", "a whole number from 100 to 599"),
            ("{ state: 200 }", "unknown key `state` in a sample"),
            ("{ body: \"{{ nobody }}\" }", "unknown variable `nobody`"),
        ]
    )
    func faults(sample: String, words: String) {
        let text = "targets: { A: { request: GET http://h/, sample: \(sample) } }\n"
        let error = #expect(throws: WorkspaceError.self) { try workspace(text) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
}
