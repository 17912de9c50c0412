import Apus
import FoundationEssentials
import HTTPTypes
import Testing
import Workspaces

@Suite("The demo's workspace")
struct DemoWorkspaceTests {
    /// The text as the command's source has it, without the indentation of its literal.
    private func text() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/ApusCommand/Screen/DemoWorkspace.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.firstIndex(where: { $0.hasSuffix(##"#""""##) }),
            let last = lines.lastIndex(where: { $0.hasSuffix(##""""#"##) })
        else { throw Missing(what: "the literal") }
        return lines[(first + 1)..<last].map { $0.dropFirst(4) }.joined(separator: "\n")
    }

    @Test("the demo's workspace has no fault, and every request of it can be built")
    func everyRequestResolves() throws {
        let workspace = try Workspace.make(try text(), given: ["base": "http://127.0.0.1:8080"])
        #expect(workspace.environments.map(\.name) == ["local", "other"])
        #expect(workspace.batches.map(\.count) == [8, 14, 100])
        for environment in workspace.environments {
            for target in workspace.targets where target.id.rawValue != "Sign up/Verify" {
                let sent = try workspace.resolve(target, in: environment.name)
                let request = try Endpoint(sent).request
                #expect(request.url.hasPrefix("http://127.0.0.1:8080/"))
            }
            for batch in workspace.batches {
                #expect(try workspace.resolve(batch, in: environment.name).count == batch.count)
            }
        }
    }

    @Test("the demo's sign-up chain hands its captures on")
    func chain() throws {
        let workspace = try Workspace.make(try text(), given: ["base": "http://h"])
        let chain = try #require(workspace.chains.first { $0.name == "Sign up" })
        #expect(chain.steps.map(\.name) == ["register", "verify", "profile"])
        let verify = try workspace.resolve(
            chain.steps[1],
            in: "local",
            captured: ["id": .number("51"), "code": .string("482913")]
        )
        #expect(verify.bodyText == #"{"user_id":51,"code":"482913"}"#)
        let profile = try workspace.resolve(
            chain.steps[2],
            in: "local",
            captured: ["token": .string("demo-1")]
        )
        #expect(profile.headerFields[.authorization] == "Bearer demo-1")
    }
}

extension WorkspaceTarget {
    /// The body, if it is in memory.
    var bodyText: String? {
        guard case .bytes(let bytes) = try? Endpoint(self).request.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
