import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import Terminal
import Workspaces

/// `apus sign-in TARGET`: obtains a token of OAuth 2 for a target, and for all that share its sign-in.
struct SignInCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        _superCommandName: "apus",
        abstract: "Sign in with OAuth 2, as a workspace's target says.",
        discussion: """
            The token is obtained anew, whatever there is, and kept for all targets of the workspace and the environment \
            with the same server, client and scope. `apus send` and all others do the same when a token is missing, so \
            that this is only needed before they run without a terminal.

            Where a person has to sign in, the page's address is shown and opened with $BROWSER or xdg-open. Tokens are in \
            files of your own (0600) in $XDG_STATE_HOME/apus/sign-ins (~/.local/state/apus/sign-ins).

            --json prints an object: version (1), name, expires (seconds since 1970) and refreshable; name and expires may \
            be null.

            Example: apus sign-in Users/List --workspace shop.apus.yaml --environment live

            Exit status: 0 signed in, 1 refused, 2 wrong usage, or a target without oauth2, 20 connection, 23 timeout, \
            130 interrupted.
            """
    )

    @Argument(help: "A target's name (Users/Show user).", completion: WorkspaceCompletions.targets)
    var target: String

    @OptionGroup var workspace: WorkspaceOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        let (workspace, name, json) = (try workspace.load(), target, json)
        try CommandRun.untilEnd {
            let signIns = SignIns(prompt: .onTerminal)
            let (plan, status): (SignInPlan, SignInStatus)
            do {
                plan = try await workspace.signIn(of: name)
                status = try await signIns.signIn(plan)
            } catch let error as ApusError {
                StandardError.write("apus: \(error.commandMessage)")
                return ExitStatus.of(error)
            }
            try StandardOutput.print(
                asJSON: json,
                status.json,
                or: plan.grant.asksPerson ? [] : [status.words]
            )
            return 0
        }
    }
}

/// `apus sign-out TARGET`: forgets the token of a target's sign-in.
struct SignOutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        _superCommandName: "apus",
        abstract: "Forget a token of OAuth 2, or all of them.",
        discussion: """
            The token's file is removed. The server is not told: what it has given out it must end itself.

            Examples:
              apus sign-out Users/List --workspace shop.apus.yaml
              apus sign-out --all

            Exit status: 0 forgotten, 1 nobody was signed in, 2 wrong usage, or a target without oauth2.
            """
    )

    @Argument(help: "A target's name (Users/Show user).", completion: WorkspaceCompletions.targets)
    var target: String?

    @OptionGroup var workspace: WorkspaceOptions

    @Flag(help: "Forget the tokens of all workspaces.")
    var all = false

    func validate() throws {
        if all == (target != nil) { throw ValidationError("Name a target, or use --all.") }
    }

    func run() throws {
        guard let target else {
            let count = SignIns.removeAll()
            try StandardOutput.print(count == 1 ? "signed out of 1" : "signed out of \(count)")
            return
        }
        let workspace = try workspace.load()
        try CommandRun.untilEnd {
            let signIns = SignIns(prompt: .onTerminal)
            // What identifies the sign-in seldom needs values that are asked, run or sent for.
            var wasSignedIn = try await signIns.signOut(try workspace.plan(of: target).plan)
            if !wasSignedIn, try workspace.plan(of: target).target.supply != nil {
                wasSignedIn = try await signIns.signOut(try await workspace.signIn(of: target))
            }
            try StandardOutput.print(wasSignedIn ? "signed out" : "nobody was signed in")
            return wasSignedIn ? 0 : ExitStatus.negative
        }
    }
}

extension NamedWorkspace {
    /// The sign-in of a target as far as it is known without asking, running and sending for values.
    ///
    /// - Throws: `WorkspaceError` if there is no such target, or it has none.
    fileprivate func plan(
        of name: String
    ) throws(WorkspaceError) -> (target: WorkspaceTarget, plan: SignInPlan) {
        let target = try target(named: name)
        guard let plan = target.signing?.signIn else {
            throw WorkspaceError(
                "“\(target.id)” does not sign in: neither it nor \(environment) has `auth: { oauth2: … }`"
            )
        }
        return (target, plan)
    }

    /// The sign-in of a target, with the values that it needs.
    ///
    /// - Throws: `WorkspaceError` if there is no such target, or it has none; `ApusError` if a value is missing.
    fileprivate func signIn(of name: String) async throws -> SignInPlan {
        let (target, plan) = try plan(of: name)
        guard target.supply != nil else { return plan }
        let provider = AnyProvider.forCommand(plugins: [], suppliesValues: true)
        let complete = try await provider.completed(target)
        await provider.cache.close()
        return (complete.signedCredentials as? RequestSigning)?.signIn ?? plan
    }
}

extension SignInStatus {
    fileprivate var json: JSON {
        JSON(members: [
            ("version", 1), ("name", name.map { JSON($0) } ?? .null),
            ("expires", expires.map { JSON(Int($0.timeIntervalSince1970)) } ?? .null),
            ("refreshable", JSON(isRefreshable)),
        ])
    }
}
