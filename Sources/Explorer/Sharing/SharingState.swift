import Apus
import Recordings
import Sharing

/// What is shared with the team: sessions of one's own, and those of colleagues.
struct SharingState {
    /// The server that was typed or named by --share; nil for that of the shared cache.
    var chosen: RedisAddress?
    /// The address of the shared cache's server; nil if there is none, or it cannot be used.
    var cacheServer: String?
    /// What is known of the sessions on the server.
    var listing = Listing.unknown
    /// Whether the server is asked for its sessions again and again, for the list that shows them.
    var isListing = false
    /// The session of a colleague that is watched; nil if none is.
    var watched: WatchedSession?
    /// How many sessions were watched so far, which tells late messages from those of now.
    var watchCount = 0

    enum Listing: Equatable {
        case unknown
        /// The server has not responded yet.
        case asked
        case found([StreamedSession])
        case failed(String)
    }

    /// The server's address, without credentials; nil if none is known.
    var serverName: String? { chosen?.name ?? cacheServer }

    /// The sessions that were found.
    var sessions: [StreamedSession] {
        if case .found(let sessions) = listing { sessions } else { [] }
    }
}

/// Whether a session that is recorded is shared, too.
enum SharingStatus: Equatable, Sendable {
    /// The server has not responded yet.
    case begun
    case shared
    /// It is not, for this reason.
    case failed(String)
}

/// A session of a colleague that is watched.
struct WatchedSession: Equatable, Sendable {
    var id: Int
    var name: String
    /// How many exchanges were received.
    var count = 0
    /// Why nothing can be received now; nil if it can.
    var problem: String?

    /// The session here that it is recorded in.
    var recordedName: String { RecordedSession.nameOfWatched(name) }
}

/// Which server to use.
struct ServerChoice: Sendable {
    /// What was typed or named by --share; nil for the server of the shared cache.
    var chosen: RedisAddress?
    /// What knows the shared cache; nil before there is a catalog.
    var source: (any CatalogSource)?
}

/// Finds the key for a server.
struct TeamServers: Sendable {
    /// The server that --share names, with its key; nil for none.
    var given: TeamServer?
    /// The value of TEAM_KEY; nil if it is not set.
    var teamKey: String?

    /// The server of a choice, with the key that --team-key, TEAM_KEY or the shared cache says.
    ///
    /// The shared cache's own server has the shared cache's key and password.
    func server(_ choice: ServerChoice) throws(SharedStoreError) -> TeamServer {
        let ofCache = ownServer(choice)
        guard let address = choice.chosen else {
            guard let server = try ofCache.get() else {
                throw SharedStoreError(
                    "No server is known: type its address, redis://host:port/db."
                )
            }
            return server
        }
        if let given, given.address == address { return given }
        if case .success(let server?) = ofCache, server.name == address.name,
            address.password == nil
        {
            return server
        }
        if let given { return TeamServer(address, key: given.key) }
        if let teamKey, !teamKey.isEmpty {
            do throws(RedisFault) {
                return TeamServer(address, key: try TeamKey(teamKey))
            } catch {
                throw SharedStoreError("\(error)")
            }
        }
        if let server = try ofCache.get() { return TeamServer(address, key: server.key) }
        throw SharedStoreError("\(TeamKey.missing()) (apus help sharing)")
    }

    private func ownServer(_ choice: ServerChoice) -> Result<TeamServer?, SharedStoreError> {
        do throws(SharedStoreError) {
            return .success(try choice.source?.teamServer())
        } catch {
            return .failure(error)
        }
    }
}
