import Apus
import ArgumentParser
import Workspaces

/// What a command is to send: a URL of the user's own, or a workspace's target.
enum RequestSubject {
    case url(URLTarget)
    case target(WorkspaceTarget)

    /// Tells a URL from a target's name by its scheme, and finds the target.
    init(_ text: String, in options: WorkspaceOptions) throws {
        if text.contains("://") {
            self = .url(URLTarget(text))
            return
        }
        let workspace = try options.load()
        do throws(WorkspaceFault) {
            self = .target(try workspace.target(named: text))
        } catch {
            throw CommandFailure("\(error.description)\nA URL begins with http:// or https://.")
        }
    }
}
