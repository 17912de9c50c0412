import Apus
import ArgumentParser
import Documents
import Explorer
import Recordings
import Terminal
import Workspaces

extension RequestSubject {
    /// Recognizes what an argument asks to be sent, and prints what is noteworthy of a curl command.
    init(
        _ argument: String,
        in options: WorkspaceOptions,
        _ samples: SampleOptions? = nil
    ) throws {
        if options.workspace == nil, options.environment != nil || !options.values.isEmpty,
            RequestText.isCurlCommand(URLFault.trimmed(argument))
        {
            throw ValidationError("With a curl command, --environment and --set need --workspace.")
        }
        var choice = options.choice
        choice.usesSamples = samples?.stubs ?? false
        try self.init(argument, in: choice) { StandardError.write("apus: \($0)") }
    }

    /// The origin that the history records.
    var origin: ExchangeOrigin {
        if case .target(let target, let workspace?) = self {
            workspace.origin(of: target)
        } else {
            ExchangeOrigin()
        }
    }
}

extension NamedWorkspace {
    /// The origin that the history records for a target.
    func origin(of target: WorkspaceTarget? = nil) -> ExchangeOrigin {
        ExchangeOrigin(
            target: target?.id.rawValue,
            workspace: workspace.name,
            environment: environment,
            variables: target?.variables ?? [:]
        )
    }
}

extension WorkspaceTarget {
    /// The target's name, method and URL, secrets masked, as a JSON object.
    var requestJSON: JSON {
        JSON(members: [
            ("target", JSON(id.rawValue)), ("method", JSON(display.method)),
            ("url", JSON(display.url)),
        ])
    }
}
