import FoundationEssentials
import HTTPTypes

extension ResponseCache {
    /// The response to a request, if the cache has one that may be served.
    ///
    /// A hit counts as a use and extends the entry's expiry as the policy says. `storage` says where to search,
    /// whatever the policy's own storage is. With ``CachePolicy/http`` and the request's own key, the hit is
    /// what HTTP allows to be served without asking the origin.
    public func lookup(
        _ key: CacheKey,
        policy: CachePolicy,
        for request: PreparedRequest,
        in storage: CachePolicy.Storage = .memoryAndDisk
    ) async -> CacheLookup {
        let policy = possible(policy)
        let storage = isOnDisk || storage != .memoryAndDisk ? storage : .memory
        if policy.semantics == .http, key == self.key(for: request, policy: policy) {
            return await HTTPCache(self, policy, in: storage).lookup(request, .onlyIfCached)
        }
        guard storage != .memory else { return memoryLookup(key, policy: policy, for: request) }
        let asked = now
        let inMemory = storage == .disk ? .nothing : use(key, policy, at: asked)
        if case .entry(let entry) = inMemory {
            return .hit(entry.response(for: request, at: asked, ResponseSource.memory))
        }
        // Only a read that may fill memory has to notice a store that happens meanwhile.
        let fill =
            storage == .memoryAndDisk && policy.storage?.usesMemory == true
            ? memory.beginFill(key) : nil
        let onDisk: CacheLookup
        if let found = disk.findAtOnce(key) {
            onDisk = lookup(found, on: key, policy, request, fill, at: asked)
        } else {
            let limit = request.options.memoryLimit
            let found = await disk.findWaiting(key, memoryLimit: limit)
            // Uses the time after the wait, so that an entry that has expired meanwhile is not served.
            onDisk = lookup(found, on: key, policy, request, fill, at: now)
        }
        if case .hit = onDisk { return onDisk }
        if storage == .memoryAndDisk,
            let response = await sharedLookup(key, policy: policy, for: request)
        {
            return .hit(response)
        }
        counters.countMiss()
        switch onDisk {
        case .miss(_, .notFound), .miss(_, .unavailable):
            guard case .expired(let end) = inMemory else { return onDisk }
            return .miss(key, .expired(since: end))
        default: return onDisk
        }
    }

    /// The response to a request, if memory has one; never waits.
    public func memoryLookup(
        _ key: CacheKey,
        policy: CachePolicy,
        for request: PreparedRequest
    ) -> CacheLookup {
        let (now, policy) = (now, possible(policy))
        switch use(key, policy, at: now) {
        case .entry(let entry):
            return .hit(entry.response(for: request, at: now, ResponseSource.memory))
        case .expired(let end):
            counters.countMiss()
            return .miss(key, .expired(since: end))
        case .nothing:
            counters.countMiss()
            return .miss(key, Self.absence(policy))
        }
    }

    /// The response that the cache holds, without counting as a use.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - policy: the policy that the key was made with. It matters only for ``CachePolicy/http``, where
    ///     the request selects among the responses for its URL.
    ///   - request: the request that the response is for.
    ///   - includingExpired: whether an expired response is returned, or with HTTP's rules a stale one.
    ///   - storage: where to search: in memory, on disk or both.
    /// - Returns: the response; nil if there is none.
    public func peek(
        _ key: CacheKey,
        policy: CachePolicy = .keep(),
        for request: PreparedRequest,
        includingExpired: Bool = true,
        in storage: CachePolicy.Storage = .memoryAndDisk
    ) async -> Response? {
        let policy = possible(policy)
        let storage = isOnDisk || storage != .memoryAndDisk ? storage : .memory
        if policy.semantics == .http, key == self.key(for: request, policy: policy) {
            let cache = HTTPCache(self, policy, in: storage, isUse: false)
            guard
                case .hit(let response) = await cache.lookup(
                    request,
                    includingExpired ? .stored : .onlyIfCached
                )
            else { return nil }
            return response
        }
        let now = now
        let inMemory = storage == .disk ? nil : memory.peek(key)
        if let inMemory, !inMemory.life.isOver(at: now) {
            return inMemory.response(for: request, at: now, ResponseSource.memory)
        }
        if storage != .memory,
            case .entry(let entry) = await disk.find(key, memoryLimit: request.options.memoryLimit),
            includingExpired || !entry.life.isOver(at: now)
        {
            return entry.response(for: request, at: now, ResponseSource.disk)
        }
        return includingExpired
            ? inMemory?.response(for: request, at: now, ResponseSource.memory) : nil
    }

    /// Looks up an entry in memory and counts the use.
    private func use(_ key: CacheKey, _ policy: CachePolicy, at now: Date) -> MemoryStore.Found {
        let (found, isSavingDue) = memory.use(key, at: now, policy)
        if isSavingDue { disk.note(memory.takeUnsaved()) }
        if case .entry = found { counters.countMemoryHit() }
        return found
    }

    /// Turns the result of a disk read into a lookup result; if there is a `fill` number, also fills memory.
    private func lookup(
        _ found: consuming DiskStore.Found,
        on key: CacheKey,
        _ policy: CachePolicy,
        _ request: PreparedRequest,
        _ fill: Int?,
        at now: Date
    ) -> CacheLookup {
        switch consume found {
        case .entry(var entry):
            if let end = entry.life.endIfOver(at: now) {
                if let fill { memory.endFill(fill, key, nil) }
                return .miss(key, .expired(since: end))
            }
            note(&entry, usedAt: now, policy)
            if let fill { endFill(fill, key, entry, policy, at: now) }
            counters.countDiskHit()
            return .hit(entry.response(for: request, at: now, ResponseSource.disk))
        case let none:
            if let fill { memory.endFill(fill, key, nil) }
            return .miss(key, Self.reason(none, policy))
        }
    }

    private func note(_ entry: inout StoredResponse, usedAt now: Date, _ policy: CachePolicy) {
        let end = entry.life.end(afterUseAt: now, policy)
        let isExtended = end != entry.life.expires
        entry.life.expires = end
        entry.hits += 1
        entry.lastAccess = now
        disk.note(
            PendingUses(hits: 1, lastAccess: now, expires: isExtended ? end : nil),
            of: entry.key.name
        )
    }

    /// Fills memory with an entry read from elsewhere, for as long as the policy allows.
    func endFill(
        _ fill: Int,
        _ key: CacheKey,
        _ entry: StoredResponse,
        _ policy: CachePolicy,
        at now: Date
    ) {
        guard Self.hasBytes(entry), let life = entry.life.inMemory(from: now, policy) else {
            return memory.endFill(fill, key, nil)
        }
        var held = entry
        held.life = life
        memory.endFill(fill, key, held, hasOwnEnd: policy.memoryExpiry != nil)
    }

    private static func hasBytes(_ entry: StoredResponse) -> Bool {
        if case .bytes = entry.body { true } else { false }
    }

    private static func reason(
        _ found: consuming DiskStore.Found,
        _ policy: CachePolicy
    ) -> CacheMissReason {
        switch consume found {
        case .corrupt(let detail): .corrupt(detail: detail)
        case .otherForm(let name): .otherForm(name)
        case .unavailable(let detail): .unavailable(detail: detail)
        case .entry: absence(policy)
        case .nothing: absence(policy)
        }
    }

    private static func absence(_ policy: CachePolicy) -> CacheMissReason {
        policy.storage == nil ? .policyNone : .notFound
    }
}

extension ResponseCache {
    /// What the cache would do with a request now; nothing is sent, and nothing counts as a use.
    ///
    /// Meant for display: the cost grows with the number of entries, unless the policy is HTTP's.
    public func forecast(
        for request: PreparedRequest,
        policy: CachePolicy
    ) async -> CacheForecast {
        let policy = possible(policy)
        let key = key(for: request, policy: policy)
        guard policy.semantics == .http else { return await forecast(key, policy) }
        let stored = await stored(for: request, policy: policy)
        let plan = HTTPCacheRules(mask: request.mask, options: policy.httpOptions).reuse(
            of: stored.variants.map(\.head),
            for: request.head,
            at: now,
            hasContent: request.hasContent,
            otherAccounts: stored.otherAccounts
        )
        return .http(plan.decision)
    }

    private func forecast(_ key: CacheKey, _ policy: CachePolicy) async -> CacheForecast {
        guard let entry = await entries().first(where: { $0.key == key }) else {
            return .miss(key, policy.storage == nil ? .policyNone : .notFound)
        }
        if let end = entry.expires, end <= now { return .miss(key, .expired(since: end)) }
        return .hit(entry)
    }
}
