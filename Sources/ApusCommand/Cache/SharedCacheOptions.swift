import Apus
import ArgumentParser
import Interchange
import Sharing
import Terminal
import Workspaces

/// The cache that a team shares, in place of that of this machine.
struct SharedCacheOptions: ParsableArguments {
    @Flag(
        help: """
            The cache that the workspace, or cache.yaml in the configuration's folder, shares with a team; \
            without it, this machine's.
            """
    )
    var shared = false

    @Option(
        name: .shortAndLong,
        help: "The workspace that names the shared cache. Default: this folder's.",
        completion: .file(extensions: ["yaml"])
    )
    var workspace: String?

    func validate() throws {
        guard shared || workspace == nil else {
            throw ValidationError("--workspace needs --shared: it names the cache that is shared.")
        }
    }

    /// A cache with the store that is shared.
    ///
    /// - Throws: `WorkspaceError` if the workspace cannot be read, `CommandError` if no store is named or it
    ///   cannot be used.
    func cache() throws -> ResponseCache {
        let workspace = try loaded()
        let store: RedisStore?
        do throws(SharedStoreError) {
            if let workspace {
                store = try workspace.sharedStore()
            } else {
                store = try Workspace.configuredStore()
            }
        } catch {
            throw CommandError("\(error)")
        }
        guard let store else {
            throw CommandError(
                """
                no shared cache is named. In a workspace: \
                cache: { shared: "redis://host/0", key: { env: TEAM_KEY } } (apus help sharing)
                """
            )
        }
        let cache = ResponseCache.forCommand(.inMemory)
        cache.share(through: store)
        return cache
    }

    private func loaded() throws -> Workspace? {
        guard workspace != nil || NewWorkspaceFile.hasWorkspace(".") else { return nil }
        return try WorkspaceChoice(path: workspace, foreign: WorkspaceImporter()).load().workspace
    }
}

extension ResponseCache {
    /// The cache of a command with this store, if it has one.
    static func forCommand(sharing store: (any SharedStore)?) -> ResponseCache {
        let cache = forCommand()
        if let store { cache.share(through: store) }
        return cache
    }
}

extension Workspace {
    /// The store that a command shares responses through; a fault is reported, and then nothing is shared.
    var storeForCommand: (any SharedStore)? {
        Self.reporting { () throws(SharedStoreError) in try sharedStore() }
    }

    /// The same for what is sent without a workspace.
    static var configuredStoreForCommand: (any SharedStore)? {
        reporting { () throws(SharedStoreError) in try configuredStore() }
    }

    private static func reporting(
        _ find: () throws(SharedStoreError) -> RedisStore?
    ) -> (any SharedStore)? {
        do throws(SharedStoreError) {
            return try find()
        } catch {
            StandardError.write("apus: \(error)")
            return nil
        }
    }
}

extension RequestSubject {
    /// The store that responses to it are shared through.
    var storeForCommand: (any SharedStore)? {
        if case .target(_, let workspace?) = self { return workspace.workspace.storeForCommand }
        return Workspace.configuredStoreForCommand
    }
}
