package import Apus

/// What a provider needs to send a workspace's targets with their credentials.
package enum Signing {
    /// The interceptors of a provider: one that signs for each target what that target needs.
    ///
    /// They belong after those that repeat requests, and before those that record attempts.
    ///
    /// - Parameters:
    ///   - targets: what will be sent, if all of it is known: empty if none of them is signed; nil if it is not
    ///     known yet.
    ///   - transport: sends the requests to authorization servers.
    ///   - prompt: asks a person to sign in.
    /// - Returns: the interceptors; none if nothing needs them, so that simple requests stay simple.
    package static func interceptors(
        for targets: [WorkspaceTarget]? = nil,
        transport: any Transport,
        prompt: SignInPrompt
    ) -> [any Interceptor] {
        if let targets, !targets.contains(where: { $0.signing != nil }) { return [] }
        return [RequestSigner(signIns: SignIns(transport: transport, prompt: prompt))]
    }
}

extension Workspace {
    /// The commands that its `auth` runs, in the order of the files.
    package var signingCommands: [ShellCommand] {
        let settings =
            [defaults] + environments.map(\.settings) + groupDefaults.values
            + targets.map(\.settings)
        var seen: Set<ShellCommand> = []
        return settings.compactMap { settings in
            guard case .custom(let custom) = settings.authorization else { return nil }
            return custom.shellCommand
        }.filter { seen.insert($0).inserted }.sorted { ($0.folder, $0.text) < ($1.folder, $1.text) }
    }
}

extension CustomSetting {
    /// The command in its folder, by its real path.
    var shellCommand: ShellCommand {
        ShellCommand(command, in: TextFile.realPath(folder) ?? folder)
    }
}
