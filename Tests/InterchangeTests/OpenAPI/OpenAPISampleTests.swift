import Interchange
import Testing
import Workspaces

/// A description, and the workspace that it is read as.
struct OpenAPISample: CustomTestStringConvertible, Sendable {
    let file: String
    let source: String
    let workspace: String

    var testDescription: String { file }
}

struct OpenAPISampleTests {
    @Test(
        "a description becomes a workspace that loads",
        arguments: [parameters, bodies, schemas, security, swagger]
    )
    func samples(sample: OpenAPISample) throws {
        let source = ImportSource(path: sample.file, bytes: Array(sample.source.utf8))
        let file = try ImportedFile(source)
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
        let expected = sample.workspace.split(separator: "\n", omittingEmptySubsequences: false)
        for (line, other) in zip(lines, expected) where line != other {
            Issue.record("`\(line)` is not `\(other)`")
        }
        #expect(lines.count == expected.count)
        _ = try Workspace.new(text: file.text, file: "a.apus.yaml")
    }
}
