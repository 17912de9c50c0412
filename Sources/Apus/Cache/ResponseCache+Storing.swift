import FoundationEssentials

extension ResponseCache {
    /// Keeps a response, if the policy says so; the disk gets it later, unless very much waits
    /// for the disk already.
    ///
    /// What reads the key from now on, in this process, finds it. A disk that fails is a notice.
    /// The process waits for the disk when it ends, but for a signal that kills it;
    /// `flush()` and `close()` wait at once.
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

    /// Keeps a response, if the policy says so; returns when it is kept as said.
    ///
    /// A disk that fails leaves the response in memory, if the policy has it
    /// there, and gives a notice.
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

    /// `toDisk` puts an entry on disk, and says why if that failed.
    private func store(
        _ response: Response,
        _ key: CacheKey,
        _ policy: CachePolicy,
        toDisk: (StoredResponse) async -> NotStoredReason?
    ) async -> CacheStoreOutcome {
        if let reason = Self.reasonNotToStore(response, policy) { return .notStored(reason) }
        guard let life = EntryLifetime(storedAt: now, policy) else { return .notStored(.expired) }
        let entry = StoredResponse(response, key: key, life: life)
        let inMemory = insertInMemory(entry, policy)
        var onDisk = reasonNotOnDisk(entry, policy)
        if onDisk == nil {
            onDisk = await toDisk(entry)
        } else {
            // An older answer must not come back once the new one has left memory.
            disk.writeUnwaited(changing: [key.row]) { _ = try $0.remove(key) }
        }
        return outcome(inMemory, onDisk, policy, until: life.expires)
    }

    /// What became of an answer, from why it is not in memory and why not on disk; counted if it
    /// is in one of them.
    func outcome(
        _ inMemory: NotStoredReason?,
        _ onDisk: NotStoredReason?,
        _ policy: CachePolicy,
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
        counters.countStore()
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
        // 206 is a part: the key does not know which, and it would be served for the whole.
        return (200..<300).contains(response.status) && response.status != 206
            ? nil : .status(response.status)
    }

    /// Nil when it is in memory, else why not.
    func insertInMemory(
        _ entry: StoredResponse,
        _ policy: CachePolicy
    ) -> NotStoredReason? {
        // A body that is in a file and goes to disk anyway would only be there twice.
        let isWanted =
            switch policy.storage {
            case .memory: true
            case .memoryAndDisk: if case .bytes = entry.body { true } else { false }
            case .disk, nil: false
            }
        guard isWanted else {
            // An older answer must not stand in front of the new one.
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
            ? nil : .tooLarge(bytes: entry.body.count, limit: memory.costLimit)
    }

    /// Why an entry is not to go to disk; nil if it is.
    func reasonNotOnDisk(_ entry: StoredResponse, _ policy: CachePolicy) -> NotStoredReason? {
        let limit = configuration.diskLimit
        guard policy.storage == .disk || policy.storage == .memoryAndDisk else {
            return .policyNone
        }
        guard !entry.sendsCredential else { return .credential }
        guard entry.cost <= limit else {
            return .tooLarge(bytes: entry.body.count, limit: limit)
        }
        guard disk.serializer == nil || entry.body.count <= DiskStore.largestSealedBody else {
            return .tooLarge(bytes: entry.body.count, limit: DiskStore.largestSealedBody)
        }
        return nil
    }
}
