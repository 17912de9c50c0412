package import Apus
import FoundationEssentials
package import Sharing

extension Workspace {
    /// The environment variable that has the team's key where nothing else is said.
    package static let teamKeyVariable = "TEAM_KEY"

    /// The address of the cache that it shares, without credentials; nil if it shares none.
    package var sharedAddress: String? { sharedCache?.address.name }

    /// A server with batches for workers.
    ///
    /// That of the shared cache has its password and its key; any other has the key in `TEAM_KEY`.
    ///
    /// - Throws: `SharedStoreError` if the address, the key or the password cannot be used.
    package func batchServer(at url: String) throws(SharedStoreError) -> BatchServer {
        if let sharedCache, url == sharedAddress {
            let (address, key) = try sharedCache.server()
            return BatchServer(address, key: key)
        }
        let variable = Self.teamKeyVariable
        guard let word = ProcessInfo.processInfo.environment[variable], !word.isEmpty else {
            throw SharedStoreError(
                "the environment variable \(variable) is not set: it has the key that the team signs with"
            )
        }
        do throws(RedisFault) {
            return BatchServer(try RedisAddress(url), key: try TeamKey(word))
        } catch {
            throw SharedStoreError("\(error)")
        }
    }
}
