import FoundationEssentials

extension ResponseCache {
    /// Stores a response if the policy allows it.
    ///
    /// The write to disk happens later, unless too many writes are pending.
    ///
    /// From now on lookups in this process find the response. A disk failure is reported as a notice. Pending
    /// writes are finished before the process exits, unless a signal kills it; `flush()` and `close()` wait
    /// at once.
    public func keep(
        _ response: Response,
        key: CacheKey,
        policy: CachePolicy
    ) async -> CacheStoreOutcome {
        await store(response, key, policy) { entry in
            disk.insertUnwaited(entry)
            await disk.catchUp()
            return nil
        }
    }

    /// Stores a response if the policy allows it; returns when it has been stored.
    ///
    /// If the disk fails, a notice is posted, and the response stays in memory if the policy uses it.
    public func store(
        _ response: Response,
        key: CacheKey,
        policy: CachePolicy
    ) async -> CacheStoreOutcome {
        await store(response, key, policy) { entry in
            switch await disk.insert(entry) {
            case .success: nil
            case .failure(let fault): .failed(detail: fault.detail)
            }
        }
    }

    /// `toDisk` writes an entry to disk; returns why if that failed.
    private func store(
        _ response: Response,
        _ key: CacheKey,
        _ policy: CachePolicy,
        toDisk: (StoredResponse) async -> NotStoredReason?
    ) async -> CacheStoreOutcome {
        let policy = possible(policy)
        if let reason = Self.reasonNotToStore(response, policy) { return .notStored(reason) }
        guard let life = EntryLifetime(storedAt: now, policy) else { return .notStored(.expired) }
        let entry = StoredResponse(response, key: key, life: life)
        let inMemory = insertInMemory(entry, policy)
        var onDisk = reasonNotOnDisk(entry, policy)
        if onDisk == nil {
            onDisk = await toDisk(entry)
        } else {
            // An older response must not reappear once the new one has left memory.
            disk.writeUnwaited(changing: [key.row]) { _ = try $0.remove(key) }
        }
        let outcome = outcome(inMemory, onDisk, policy, until: life.expires)
        if case .stored = outcome { share(entry, of: response.request, policy) }
        return outcome
    }

    /// Combines the reasons why a response is not in memory and not on disk; nil means that it is there.
    ///
    /// Counts it as stored if it is in at least one of them, unless it came from the shared store.
    func outcome(
        _ inMemory: NotStoredReason?,
        _ onDisk: NotStoredReason?,
        _ policy: CachePolicy,
        isCounted: Bool = true,
        until end: @autoclosure () -> Date?
    ) -> CacheStoreOutcome {
        let storage: CachePolicy.Storage
        switch (inMemory, onDisk) {
        case (nil, nil): storage = .memoryAndDisk
        case (nil, _): storage = .memory
        case (_, nil): storage = .disk
        case (let inMemory?, let onDisk?):
            return .notStored(policy.storage == .memory ? inMemory : onDisk)
        }
        if isCounted { counters.countStore() }
        return .stored(storage, expires: end())
    }

    private static func reasonNotToStore(
        _ response: Response,
        _ policy: CachePolicy
    ) -> NotStoredReason? {
        guard policy.storage != nil else { return .policyNone }
        guard response.source == .server else { return .notFromServer }
        guard response.request.destination == nil else { return .downloaded }
        guard response.isSurelyWhole else { return .incomplete }
        if let shouldStore = policy.shouldStore { return shouldStore(response) ? nil : .predicate }
        // A 206 is only a part. The key does not say which, so it would be served for the whole.
        return (200..<300).contains(response.status) && response.status != 206
            ? nil : .status(response.status)
    }

    /// Inserts an entry in memory; returns nil if it was inserted, or else why not.
    func insertInMemory(
        _ entry: StoredResponse,
        _ policy: CachePolicy
    ) -> NotStoredReason? {
        // A body in a file that also goes to disk would only be stored twice.
        let isWanted =
            switch policy.storage {
            case .memory: true
            case .memoryAndDisk: if case .bytes = entry.body { true } else { false }
            case .disk, nil: false
            }
        guard isWanted else {
            // An older response in memory must not hide the new one.
            _ = memory.remove(entry.key)
            return .policyNone
        }
        guard let life = entry.life.inMemory(from: entry.life.stored, policy) else {
            _ = memory.remove(entry.key)
            return .expired
        }
        var entry = entry
        entry.life = life
        return memory.insert(entry, hasOwnEnd: policy.memoryExpiry != nil)
            ? nil : .tooLarge(bytes: entry.cost, limit: memory.costLimit)
    }

    /// Why an entry must not go to disk; nil if it may.
    func reasonNotOnDisk(_ entry: StoredResponse, _ policy: CachePolicy) -> NotStoredReason? {
        let limit = configuration.diskLimit
        guard policy.storage?.usesDisk == true else { return .policyNone }
        guard !entry.sendsCredential else { return .credential }
        let cost = entry.cost
        guard cost <= limit else { return .tooLarge(bytes: cost, limit: limit) }
        guard disk.serializer == nil || entry.body.count <= DiskStore.largestSealedBody else {
            return .tooLarge(bytes: entry.body.count, limit: DiskStore.largestSealedBody)
        }
        return nil
    }
}
