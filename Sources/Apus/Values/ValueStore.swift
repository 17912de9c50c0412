import Documents
public import FoundationEssentials
import Synchronization

/// A store of Codable values by name, in two independent containers.
///
/// ```swift
/// let store = ValueStore()
/// try await store.set(user, for: "user", in: .persistent, expiry: .days(7))
/// let user = try await store.value(User.self, for: "user", in: .persistent)
/// ```
/// Values are stored as JSON, so a value may be read as another type than it was written as. The persistent
/// container is not opened before its first use.
public final class ValueStore: Sendable {
    /// Where values are stored.
    public enum Container: String, Sendable, Hashable, CaseIterable, Codable {
        /// In this process, as long as the store exists.
        case memory
        /// In a file that processes share.
        case persistent
    }

    /// The default store of `cached(as:)`.
    public static let standard = ValueStore()

    let memory = MemoryValues()
    private let persistent: DiskValues
    private let clock: @Sendable () -> Date

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - name: distinguishes stores in the same folder.
    ///   - directory: the folder of the persistent container; nil for `PROGRAM/apus` in the user's data folder
    ///     (`$XDG_DATA_HOME`, else `~/.local/share`), where PROGRAM is the name of the executable.
    ///   - clock: returns the time by which values expire.
    public init(
        name: String = "",
        directory: String? = nil,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        let file = name.isEmpty ? "values" : "values-\(PercentEncoding.component(name))"
        persistent = DiskValues(
            folder: directory ?? RunningProgram.dataFolder,
            file: "\(file).sqlite"
        )
        self.clock = clock
    }

    /// Stores a value under a name and replaces the previous one; by default it never expires.
    ///
    /// A value that would expire at once is not stored, and the previous one is removed.
    ///
    /// - Throws: `ValueStoreError.encoding` or `ValueStoreError.storage`. The previous value then stays.
    public func set(
        _ value: some Encodable,
        for key: String,
        in container: Container = .memory,
        expiry: CachePolicy.Expiry = .forever
    ) async throws(ValueStoreError) {
        let json = try Self.json(value, key)
        guard let life = EntryLifetime(storedAt: clock(), .keep(for: expiry)) else {
            try await remove(key, in: container)
            return
        }
        let kept = StoredValue(json: json, expires: life.expires)
        switch container {
        case .memory: memory.set(kept, for: key, at: clock())
        case .persistent: try await persistent.set(kept, for: key)
        }
    }

    /// The value stored under a name; nil if there is none or it has expired.
    ///
    /// - Throws: `ValueStoreError.decoding` if it cannot be decoded as the type; `ValueStoreError.storage`.
    public func value<T: Decodable>(
        _ type: T.Type = T.self,
        for key: String,
        in container: Container = .memory
    ) async throws(ValueStoreError) -> T? {
        let found =
            switch container {
            case .memory: memory.value(for: key, at: clock())
            case .persistent: try await persistent.value(for: key)
            }
        guard let found, !found.isOver(at: clock()) else { return nil }
        do {
            return try DocumentDecoder().decode(type, from: found.json)
        } catch {
            throw .decoding(key: key, detail: String(describing: error))
        }
    }

    /// Removes the value stored under a name; returns whether there was one.
    @discardableResult
    public func remove(_ key: String, in container: Container = .memory)
        async throws(ValueStoreError) -> Bool
    {
        switch container {
        case .memory: memory.remove(key)
        case .persistent: try await persistent.remove(key)
        }
    }

    /// Removes all values of one container; returns the number removed.
    @discardableResult
    public func removeAll(in container: Container) async throws(ValueStoreError) -> Int {
        switch container {
        case .memory: memory.removeAll()
        case .persistent: try await persistent.removeAll()
        }
    }

    /// The names of the unexpired values, sorted.
    public func keys(in container: Container = .memory) async throws(ValueStoreError) -> [String] {
        let now = clock()
        return switch container {
        case .memory: memory.keys(at: now)
        case .persistent: try await persistent.keys(at: now)
        }
    }

    private static func json(_ value: some Encodable, _ key: String) throws(ValueStoreError)
        -> [UInt8]
    {
        let encoder = JSONEncoder()
        // Sorted so that equal values give equal text.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw .encoding(key: key, detail: String(describing: error))
        }
    }
}

struct StoredValue: Sendable, Hashable {
    let json: [UInt8]
    /// When the value expires; nil if it never does.
    let expires: Date?

    func isOver(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

/// The values in memory, with their expiry dates.
final class MemoryValues: Sendable {
    private struct State {
        var values: [String: StoredValue] = [:]
        /// The number of values beyond which expired ones are removed.
        var limit = 64
    }

    private let state = Mutex(State())

    /// The number of values, including expired ones.
    var count: Int { state.withLock(\.values.count) }

    func set(_ value: StoredValue, for key: String, at now: Date) {
        state.withLock { state in
            state.values[key] = value
            guard state.values.count > state.limit else { return }
            state.values = state.values.filter { !$0.value.isOver(at: now) }
            // The limit doubles so that the average cost of each insertion stays constant.
            state.limit = max(64, 2 * state.values.count)
        }
    }

    func value(for key: String, at now: Date) -> StoredValue? {
        state.withLock { state in
            guard let value = state.values[key], value.isOver(at: now) else {
                return state.values[key]
            }
            state.values[key] = nil
            return nil
        }
    }

    func remove(_ key: String) -> Bool {
        state.withLock { $0.values.removeValue(forKey: key) != nil }
    }

    func removeAll() -> Int {
        state.withLock { state in
            defer { state.values = [:] }
            return state.values.count
        }
    }

    func keys(at now: Date) -> [String] {
        state.withLock { state in
            state.values.filter { !$0.value.isOver(at: now) }.keys.sorted()
        }
    }
}

extension Encodable {
    /// Stores the value under a name.
    ///
    /// ```swift
    /// try await user.cached(as: "user", in: .persistent)
    /// let user = try await User.cached(as: "user", in: .persistent)
    /// ```
    ///
    /// - Throws: `ValueStoreError`.
    public func cached(
        as key: String,
        in container: ValueStore.Container = .memory,
        expiry: CachePolicy.Expiry = .forever,
        of store: ValueStore = .standard
    ) async throws(ValueStoreError) {
        try await store.set(self, for: key, in: container, expiry: expiry)
    }
}

extension Decodable {
    /// The value of this type that is stored under a name; nil if there is none.
    ///
    /// - Throws: `ValueStoreError`.
    public static func cached(
        as key: String,
        in container: ValueStore.Container = .memory,
        of store: ValueStore = .standard
    ) async throws(ValueStoreError) -> Self? {
        try await store.value(Self.self, for: key, in: container)
    }
}

/// An error of the store.
public enum ValueStoreError: Error, Sendable, Hashable {
    /// The value cannot be written as JSON, for example because it has a number that is NaN.
    case encoding(key: String, detail: String)
    /// The stored value cannot be decoded as the requested type.
    case decoding(key: String, detail: String)
    /// The file cannot be read or written.
    case storage(detail: String)
}

extension ValueStoreError: CustomStringConvertible, LocalizedError {
    /// What happened, and to which value.
    public var description: String { message.description }

    /// The error in words.
    public var message: ErrorMessage {
        switch self {
        case .encoding(let key, let detail):
            ErrorMessage(
                "The value “\(key)” cannot be written as JSON",
                detail,
                advice: "The previous value is still stored."
            )
        case .decoding(let key, let detail):
            ErrorMessage(
                "The stored value “\(key)” is not of the requested type",
                detail,
                advice: "Read it as the type it was stored as, or remove it."
            )
        case .storage(let detail):
            ErrorMessage(
                "The value store cannot be read or written",
                detail,
                advice: "Check the folder's permissions and free space."
            )
        }
    }

    /// What happened; also returned by `localizedDescription`.
    public var errorDescription: String? {
        ErrorMessage(message.title, message.detail).description
    }

    /// Why it happened.
    public var failureReason: String? { message.detail.isEmpty ? nil : message.detail }

    /// What to do next.
    public var recoverySuggestion: String? { message.advice }
}
