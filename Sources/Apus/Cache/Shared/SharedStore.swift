/// A store of responses that several machines share, behind memory and disk: for example a Redis server.
///
/// It keeps bytes under two names. A group is a cache key; its members are the responses under that key. The
/// cache decides what is stored there and what may be served; the store only keeps it, and must return
/// nothing that was not written by someone of the same team.
///
/// A store never fails a request. What it cannot do is a miss, and it says why by a notice.
public protocol SharedStore: Sendable {
    /// The store's address for people, without credentials: `redis://cache.internal:6379/0`.
    var name: String { get }

    /// Whether the store can be used, as far as is known.
    var status: SharedStoreStatus { get }

    /// Takes the function that is called when the status changes, or when a value had to be refused.
    ///
    /// Called once, before anything else. The function may be called on any thread and does not block.
    func report(to notice: @escaping @Sendable (SharedStoreNotice) -> Void)

    /// The members of a group; returns within the store's time limit, whatever the store does.
    func read(_ group: String) async -> SharedReading

    /// Writes a member of a group and removes the group after its lifetime.
    ///
    /// Called on a thread of the cache's, which it may block.
    func write(_ value: [UInt8], as member: String, of group: String, for lifetime: Duration)

    /// Removes groups; called on a thread of the cache's, which it may block.
    func remove(_ groups: [String])

    /// Passes all groups to `body`, some at a time.
    ///
    /// - Throws: `SharedStoreError` if the store cannot be used.
    func scan(
        _ body: @escaping @Sendable (_ group: String, _ members: [String: [UInt8]]) -> Void
    ) async throws(SharedStoreError)

    /// Removes groups, or everything of this team's if `groups` is nil; returns how many there were.
    ///
    /// - Throws: `SharedStoreError` if the store cannot be used.
    func clear(_ groups: [String]?) async throws(SharedStoreError) -> Int
}

/// What a store that is shared had under a key.
public enum SharedReading: Sendable, Hashable {
    /// These members; none if there is nothing.
    case members([String: [UInt8]])
    /// These members; others were refused, for this reason.
    case refused(String, others: [String: [UInt8]])
    /// The store was not asked or did not respond in time, for this reason.
    case unavailable(String)
}

/// Whether a store that is shared can be used.
public enum SharedStoreStatus: Sendable, Hashable {
    /// Nothing has been asked yet.
    case unused
    /// The last thing asked of it worked.
    case available
    /// It does not work, for this reason, and is left alone for a while.
    case unavailable(String)
}

/// An event of a store that is shared.
public enum SharedStoreNotice: Sendable, Hashable {
    /// It stopped working, for this reason; it is tried again from time to time.
    case failed(String)
    /// It works again.
    case recovered
    /// Responses cannot be written to it, for this reason; they are still read.
    case writesFailed(String)
    /// Responses can be written to it again.
    case writesRecovered
    /// Something in it was not signed with the team's key, and was ignored.
    case refused(String)
}

/// Why a store that is shared could not be listed or cleared.
public struct SharedStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened, as a sentence.
    public let description: String

    /// Makes an error.
    public init(_ description: String) { self.description = description }
}

extension SharedStoreNotice {
    /// A message for people about the store with this name.
    func text(of name: String) -> String {
        switch self {
        case .failed(let reason):
            "The shared cache does not work and is left alone for now: \(reason) (\(name))."
        case .recovered: "The shared cache works again (\(name))."
        case .writesFailed(let reason):
            "The shared cache takes no more responses for now: \(reason) (\(name))."
        case .writesRecovered: "The shared cache takes responses again (\(name))."
        case .refused(let detail):
            "A response of the shared cache was refused: \(detail) (\(name))."
        }
    }
}
