import Apus
import Recordings
import Workspaces

extension Provider where Target == MultiTarget {
    /// This provider, with the values that a workspace's targets need, if they may need any.
    func supplying(if needsValues: Bool) -> Provider {
        guard needsValues else { return self }
        return supplying(asking: TerminalPrompt()) { supplied in
            RecordingTarget(
                supplied.target,
                origin: ExchangeOrigin(
                    target: supplied.target.id.rawValue,
                    workspace: supplied.workspace,
                    environment: supplied.environment,
                    variables: supplied.target.variables
                )
            )
        }
    }
}
