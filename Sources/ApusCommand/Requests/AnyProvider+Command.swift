import Apus
import HTTPTypes
import Recordings
import Workspaces

extension AnyProvider {
    /// What sends the targets of a workspace: signed, with what values they need, with their samples where those are
    /// asked for.
    ///
    /// - Parameters:
    ///   - targets: What will be sent, if all of it is known.
    ///   - transport: Sends them.
    ///   - store: The store that responses are shared through; nil for none.
    ///   - plugins: The plugins that record, and others.
    ///   - suppliesValues: Whether values may have to be asked, run or sent for.
    /// - Returns: The provider, whose cache is that of the commands.
    static func forCommand(
        sending targets: [WorkspaceTarget]? = nil,
        by transport: CurlTransport = CurlTransport(),
        sharing store: (any SharedStore)? = nil,
        plugins: [any Plugin],
        suppliesValues: Bool
    ) -> AnyProvider {
        AnyProvider(
            transport: transport,
            cache: .forCommand(sharing: store),
            headerFields: [:],
            plugins: plugins,
            interceptors: Signing.interceptors(
                for: targets,
                transport: transport,
                prompt: .onTerminal
            ),
            stubs: .targets
        ).supplying(if: suppliesValues)
    }

    /// This provider, with the values that a workspace's targets need, if they may need any.
    func supplying(if needsValues: Bool) -> AnyProvider {
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
