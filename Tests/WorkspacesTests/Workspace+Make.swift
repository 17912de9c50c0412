import Documents
import Workspaces

extension Workspace {
    /// A workspace from a text, with secrets from a dictionary.
    static func make(
        _ text: String,
        file: String = "a.apus.yaml",
        given: [String: String] = [:],
        environmentVariables: [String: String] = [:],
        files: [String: String] = [:]
    ) throws(WorkspaceError) -> Workspace {
        try parse(
            text: text,
            file: file,
            given: given,
            secrets: SecretReader(
                environmentVariable: { environmentVariables[$0] },
                file: { (path: String) throws(FileReadError) -> String in
                    guard let text = files[path] else {
                        throw FileReadError(detail: "does not exist")
                    }
                    return text
                }
            )
        )
    }

    /// A step, filled in with what steps before it captured.
    func resolve(
        _ step: ChainStepDefinition,
        in environment: String,
        captured: [String: Value]
    ) throws(WorkspaceError) -> WorkspaceTarget {
        try resolve(step, in: environment, names: Array(captured.keys)) { name in
            captured[name].flatMap { try? JSON(parsing: $0.json) }
        }
    }

    /// The target of that id, filled in for the first environment.
    func sent(
        _ id: String,
        in environment: String? = nil,
        captured: [String: Value] = [:]
    ) throws -> WorkspaceTarget {
        guard let definition = definition(TargetID(id)) else { throw Missing(what: id) }
        return try resolve(
            definition,
            in: environment ?? environments[0].name,
            captured: captured
        )
    }
}

/// Something that a test needs is not there.
struct Missing: Error {
    let what: String
}

/// The problems of a text, one line each.
func problems(
    _ text: String,
    given: [String: String] = [:],
    files: [String: String] = [:]
) -> [String] {
    do {
        _ = try Workspace.make(text, given: given, files: files)
        return []
    } catch {
        return error.problems.map(\.summary)
    }
}
