package import Apus
import Glibc
package import Sharing

/// The cache that a team shares, as a workspace or the user's configuration names it.
package struct SharedCacheSettings: Sendable {
    /// Where the server is.
    let address: RedisAddress
    /// The team's key; its value is nil if it cannot be read.
    let key: Secret
    /// The server's password, if it is not in the address.
    let password: Secret?
    /// The longest that a request waits for the server; nil for the usual time.
    let budget: Duration?

    /// The store.
    ///
    /// - Throws: `SharedStoreError` if the key or the password cannot be read, or the key is too short.
    package func store() throws(SharedStoreError) -> RedisStore {
        let server = try server()
        return RedisStore(
            server.address,
            key: server.key,
            budget: budget ?? RedisStore.standardBudget
        )
    }

    /// The server, on which sessions can be shared, too.
    ///
    /// - Throws: `SharedStoreError` if the key or the password cannot be read, or the key is too short.
    package func server() throws(SharedStoreError) -> TeamServer {
        let word = try Self.value(of: key, "key")
        var address = address
        if let password { address.password = try Self.value(of: password, "password") }
        do throws(RedisFault) {
            return TeamServer(address, key: try TeamKey(word))
        } catch {
            throw SharedStoreError("The shared cache is not used: \(error).")
        }
    }

    private static func value(of secret: Secret, _ what: String) throws(SharedStoreError) -> String
    {
        guard let value = secret.value, !value.isEmpty else {
            let fault = secret.fault ?? "\(secret.origin) is empty"
            throw SharedStoreError(
                "The shared cache is not used, because it has no \(what): \(fault)."
            )
        }
        return value
    }
}

extension SharedCacheSettings {
    /// The name of the file of the user's configuration that has them.
    package static let fileName = "cache.yaml"

    /// Reads the settings of the user's configuration; nil if there are none.
    ///
    /// The file has what `cache` has in a workspace: `shared: redis://…` and `key: { env: … }`.
    ///
    /// - Throws: `WorkspaceError` if the file cannot be read.
    package static func configured(
        in folder: String = StandardFolders.configuration,
        secrets: SecretReader = .process
    ) throws(WorkspaceError) -> SharedCacheSettings? {
        let path = "\(folder)/\(fileName)"
        guard access(path, F_OK) == 0 else { return nil }
        let log = ProblemLog()
        let text: String
        do throws(FileReadError) {
            text = try TextFile.read(path, atMost: 64 << 10)
        } catch {
            throw WorkspaceError([Problem(file: path, "the file \(error.detail)")])
        }
        let source = SourceText(name: path, text: text, original: text)
        var settings: SharedCacheSettings?
        if let root = YAMLReader(source: source, log: log).read(), !root.isNull {
            settings = SharedCacheDecoder(log: log, secrets: secrets).decode(root)
        }
        try log.throwIfAny(files: [path])
        return settings
    }
}

extension Workspace {
    /// The store that its responses are shared through: what its files say, or else the user's configuration; nil
    /// for none.
    ///
    /// - Throws: `SharedStoreError` if there is one that cannot be used.
    package func sharedStore() throws(SharedStoreError) -> RedisStore? {
        try sharedCacheSettings()?.store()
    }

    /// The server of that store; nil for none.
    ///
    /// - Throws: `SharedStoreError` if there is one that cannot be used.
    package func teamServer() throws(SharedStoreError) -> TeamServer? {
        try sharedCacheSettings()?.server()
    }

    /// The store of the user's configuration; nil for none.
    ///
    /// - Throws: `SharedStoreError` if there is one that cannot be used.
    package static func configuredStore() throws(SharedStoreError) -> RedisStore? {
        try configuredSettings()?.store()
    }

    private func sharedCacheSettings() throws(SharedStoreError) -> SharedCacheSettings? {
        if let sharedCache { return sharedCache }
        return try Self.configuredSettings()
    }

    private static func configuredSettings() throws(SharedStoreError) -> SharedCacheSettings? {
        do throws(WorkspaceError) {
            return try SharedCacheSettings.configured()
        } catch {
            throw SharedStoreError("The shared cache is not used: \(error)")
        }
    }
}
