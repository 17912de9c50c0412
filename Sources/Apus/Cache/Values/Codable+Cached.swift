extension Encodable {
    /// Keeps the value under a name.
    ///
    /// ```swift
    /// try await user.cached(as: "user", in: .persistent)
    /// let user = try await User.cached(as: "user", in: .persistent)
    /// ```
    ///
    /// - Throws: `ValueStore.Fault`.
    public func cached(
        as key: String,
        in container: ValueStore.Container = .memory,
        expiry: CachePolicy.Expiry = .never,
        of store: ValueStore = .standard
    ) async throws(ValueStore.Fault) {
        try await store.set(self, for: key, in: container, expiry: expiry)
    }
}

extension Decodable {
    /// The value of this type that is kept under a name; nil if there is none.
    ///
    /// - Throws: `ValueStore.Fault`.
    public static func cached(
        as key: String,
        in container: ValueStore.Container = .memory,
        of store: ValueStore = .standard
    ) async throws(ValueStore.Fault) -> Self? {
        try await store.value(Self.self, for: key, in: container)
    }
}
