import FoundationEssentials
import HTTPTypes
import Synchronization

/// The responses stored for a request's URL and account.
struct StoredVariants: Sendable {
    let variants: [CachedVariant]
    /// The other accounts that have responses, if this account has none; nil otherwise.
    var otherAccounts: CacheFinding?
}

extension ResponseCache {
    /// All responses stored for a request's URL and account; reads only memory if that has them all.
    ///
    /// Entries in memory win: another process's replacement on disk is unseen until the entry leaves memory.
    func stored(
        for request: PreparedRequest,
        policy: CachePolicy,
        in storage: CachePolicy.Storage = .memoryAndDisk
    ) async -> StoredVariants {
        let all = await variants(of: key(for: request, policy: policy), policy, storage)
        let account = policy.account(of: request)
        let now = now
        let own = all.filter {
            $0.entry.http?.account == account && !$0.entry.life.isOver(at: now)
        }
        guard own.isEmpty, !all.isEmpty else { return StoredVariants(variants: own) }
        let alive = all.filter { !$0.entry.life.isOver(at: now) }
        let others = Set(alive.compactMap { $0.entry.http?.account }).sorted()
        guard !others.isEmpty else { return StoredVariants(variants: []) }
        return StoredVariants(
            variants: [],
            otherAccounts: .accounts(
                String(account.prefix(8)),
                by: policy.accountNames(of: request),
                stored: others.map { String($0.prefix(8)) }
            )
        )
    }

    /// All responses stored for a URL, of any account, including expired ones.
    private func variants(
        of primary: CacheKey,
        _ policy: CachePolicy,
        _ storage: CachePolicy.Storage
    ) async -> [CachedVariant] {
        if storage == .disk { return variants([], await disk.variants(of: primary)) }
        let known = memory.variants(of: primary)
        if known.isComplete || storage == .memory { return variants(known.entries, []) }
        let fill = memory.beginFill(primary)
        let onDisk = await disk.variants(of: primary)
        let belongsInMemory = policy.storage != .disk
        let whole = onDisk.filter { $0.fileCount == nil }
        memory.endFill(
            fill,
            ofVariants: primary,
            belongsInMemory ? whole.map(\.entry) : [],
            isComplete: belongsInMemory && whole.count == onDisk.count
        )
        return variants(known.entries, onDisk)
    }

    private func variants(
        _ inMemory: [StoredResponse],
        _ onDisk: [DiskVariant]
    ) -> [CachedVariant] {
        let fromDisk = onDisk.filter { variant in
            !inMemory.contains { $0.key == variant.entry.key }
        }
        return inMemory.compactMap { CachedVariant($0, in: .memory) }
            + fromDisk.compactMap { CachedVariant($0.entry, in: .disk, fileCount: $0.fileCount) }
    }

    /// Loads an entry's body, and counts a use unless `isUse` is false; returns nil if the entry has gone.
    func use(
        _ variant: CachedVariant,
        for request: PreparedRequest,
        policy: CachePolicy,
        isUse: Bool = true
    ) async -> CachedVariant? {
        var variant = variant
        let now = now
        switch variant.place {
        case .memory:
            guard isUse else { return variant }
            let (_, isSavingDue) = memory.use(variant.entry.key, at: now, policy)
            if isSavingDue { disk.note(memory.takeUnsaved()) }
            counters.countMemoryHit()
        case .disk:
            if variant.fileCount != nil {
                guard
                    case .entry(let entry) = await disk.find(
                        variant.entry.key,
                        memoryLimit: request.options.memoryLimit
                    )
                else { return nil }
                variant.entry.body = entry.body
            }
            guard isUse else { return variant }
            disk.note(PendingUses(hits: 1, lastAccess: now), of: variant.entry.key.name)
            counters.countDiskHit()
        case .shared: if isUse { counters.countSharedHit() }
        }
        variant.entry.hits += 1
        variant.entry.lastAccess = now
        return variant
    }

    /// Stores a response for a URL and replaces those that `superseded` returns.
    ///
    /// `superseded` gets the heads that exist when the response is written. If it returns nil, one of them
    /// is newer and nothing is stored.
    ///
    /// `mark` is from when the request was sent. If the URL has been invalidated since, nothing is stored.
    func store(
        _ entry: StoredResponse,
        policy: CachePolicy,
        after mark: InvalidationLog.Mark,
        isCounted: Bool = true,
        inPlaceOf superseded: @escaping @Sendable ([StoredHead]) -> [Int]?
    ) -> CacheStoreOutcome {
        guard let http = entry.http else { return .notStored(.policyNone) }
        guard !isInvalidated(http.primary, after: mark) else { return .notStored(.invalidated) }
        let gone = removeFromMemory(http.primaryKey, http.account) { heads in
            superseded(heads).map { Self.leaving($0, heads) }
        }
        guard let gone else { return .notStored(.outdated) }
        let inMemory = insertInMemory(entry, policy)
        let onDisk = reasonNotOnDisk(entry, policy)
        if onDisk == nil {
            if inMemory != nil { memory.forgetGroup(of: http.primaryKey) }
            disk.insertUnwaited(entry) { table in
                let heads = try table.heads(of: http.primary, account: http.account)
                // Memory knows of uses that have not been written to disk yet.
                return superseded(heads).map { Self.leaving(gone + $0, heads) }
            }
        } else {
            disk.writeUnwaited(changing: [http.primary.row]) { table in
                let old = superseded(try table.heads(of: http.primary, account: http.account))
                for row in old ?? [] { _ = try table.remove(row: Int64(row)) }
            }
        }
        // An invalidation in the meantime found nothing to remove yet.
        guard !isInvalidated(http.primary, after: mark) else {
            remove([entry])
            return .notStored(.invalidated)
        }
        return outcome(
            inMemory,
            onDisk,
            policy,
            isCounted: isCounted,
            until: entry.freshUntil
        )
    }

    private func isInvalidated(_ primary: KeyName, after mark: InvalidationLog.Mark) -> Bool {
        invalidations.withLock { $0.has(primary, after: mark) }
    }

    /// The entries to remove for a new one: those it supersedes, and the least recently used over the limit.
    ///
    /// `heads` are those of its URL and account, most recently used first.
    private static func leaving(_ superseded: [Int], _ heads: [StoredHead]) -> [Int] {
        let old = Set(superseded)
        let staying = heads.filter { !old.contains($0.id) }
        return superseded + staying.dropFirst(HTTPCacheRules.variantLimit - 1).map(\.id)
    }

    /// Removes the responses for a URL that `superseded` returns.
    func removeVariants(
        of primary: CacheKey,
        account: String,
        _ superseded: @escaping @Sendable ([StoredHead]) -> [Int]
    ) {
        _ = removeFromMemory(primary, account, superseded)
        disk.writeUnwaited(changing: [primary.row]) { table in
            for row in superseded(try table.heads(of: primary.name, account: account)) {
                _ = try table.remove(row: Int64(row))
            }
        }
    }

    /// Removes from memory the responses that `superseded` returns.
    ///
    /// It gets the heads, most recently used first. Returns the ids of the removed responses, or nil if
    /// `superseded` returned nil.
    private func removeFromMemory(
        _ primary: CacheKey,
        _ account: String,
        _ superseded: ([StoredHead]) -> [Int]?
    ) -> [Int]? {
        // Among entries used at the same time, the one stored last comes first.
        let known = memory.variants(of: primary).entries.reversed()
            .filter { $0.http?.account == account }
            .sorted { $0.lastAccess > $1.lastAccess }
        guard let superseded = superseded(known.compactMap(\.storedHead)) else { return nil }
        let old = Set(superseded)
        for entry in known where old.contains(Int(entry.key.row)) { _ = memory.remove(entry.key) }
        return Array(old)
    }

    /// Updates the heads and times of entries; their bodies stay.
    func update(_ entries: [StoredResponse]) {
        for entry in entries {
            memory.update(entry)
            disk.writeUnwaited(changing: entry.rows) { try $0.update(entry) }
        }
    }

    /// Removes entries from memory and disk.
    func remove(_ entries: [StoredResponse]) {
        for entry in entries {
            _ = memory.remove(entry.key)
            disk.writeUnwaited(changing: entry.rows) { _ = try $0.remove(entry.key) }
        }
    }

    /// Removes all responses for a URL, for every account.
    ///
    /// Responses in flight are not stored. `mark` is from when the invalidating response's request was sent.
    ///
    /// - Returns: the mark with which the invalidating response itself may be stored.
    func invalidate(_ primary: CacheKey, after mark: InvalidationLog.Mark) -> InvalidationLog.Mark {
        let own = invalidations.withLock { $0.note(primary.name, after: mark) }
        _ = memory.removeVariants(of: primary)
        disk.writeUnwaited(changing: [primary.row]) { _ = try $0.removeVariants(of: primary) }
        return own
    }
}
