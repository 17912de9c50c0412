import FoundationEssentials
import HTTPTypes
import Secrets
import Synchronization

/// What the shared store had for a request, as the rules of HTTP need it.
struct SharedVariants: Sendable {
    var variants: [CachedVariant] = []
    /// What came of asking.
    let finding: CacheFinding
}

extension ResponseCache {
    /// Shares responses through a store from now on; nil shares nothing.
    ///
    /// Responses that are being written to the store before are still written.
    public func share(through store: (any SharedStore)?) {
        store?.report { [notice, name = store?.name ?? ""] in notice(.shared(name, $0)) }
        let tier = store.map { SharedTier($0, serializer: disk.serializer) }
        sharing.withLock { $0 = tier }
    }

    /// The store that responses are shared through; nil if there is none.
    public var sharedStore: (any SharedStore)? { shared?.store }

    /// The shared store's entries, most recently stored first.
    ///
    /// - Throws: `SharedStoreError` if there is no store, or it cannot be used.
    package func sharedEntries() async throws(SharedStoreError) -> [SharedCacheEntry] {
        guard let shared else { throw SharedStoreError("No shared cache is set.") }
        let found = SharedEntryList()
        let now = now
        try await shared.scan { group, entry in
            found.add(SharedCacheEntry(group: group, entry: entry.entry(in: .disk, at: now)))
        }
        return found.all.sorted { $0.entry.stored > $1.entry.stored }
    }

    /// Removes from the shared store the entries that satisfy a predicate, or all; returns how many.
    ///
    /// - Throws: `SharedStoreError` if there is no store, or it cannot be used.
    package func removeShared(
        where isUnwanted: (@Sendable (CacheEntry) -> Bool)?
    ) async throws(SharedStoreError) -> Int {
        guard let shared else { throw SharedStoreError("No shared cache is set.") }
        guard let isUnwanted else { return try await shared.store.clear(nil) }
        let entries = try await sharedEntries().filter { isUnwanted($0.entry) }
        return try await shared.store.clear(Set(entries.map(\.group)).sorted())
    }
}

/// An entry of the shared store, with the name of its group there.
package struct SharedCacheEntry: Sendable {
    /// The name of the group.
    package let group: String
    /// The entry's description.
    package let entry: CacheEntry
}

// MARK: entries under a key of their own

extension ResponseCache {
    /// The response that the shared store has under a key; nil if there is none, or it may not be asked.
    ///
    /// A hit is put into memory and on disk, from where it is served from then on.
    func sharedLookup(
        _ key: CacheKey,
        policy: CachePolicy,
        for request: PreparedRequest
    ) async -> Response? {
        guard let shared, policy.reasonNotToShare(request) == nil else { return nil }
        let fill = memory.beginFill(key)
        let entries = try? await shared.entries(of: key.digest).get()
        let now = now
        guard var entry = entries?.responses.first, entry.key == key, entry.http == nil,
            !entry.life.isOver(at: now), let body = lent(entry.body, for: request)
        else {
            memory.endFill(fill, key, nil)
            return nil
        }
        entry.body = body
        // A response that arrived meanwhile is newer.
        let isOutdated = (memory.peek(key)?.life.stored).map { $0 > entry.life.stored } ?? false
        if policy.storage?.usesMemory == true {
            endFill(fill, key, entry, policy, at: now)
        } else {
            memory.endFill(fill, key, nil)
        }
        if !isOutdated, reasonNotOnDisk(entry, policy) == nil { disk.insertUnwaited(entry) }
        entry.hits += 1
        entry.lastAccess = now
        counters.countSharedHit()
        return entry.response(for: request, at: now, ResponseSource.shared)
    }

    /// Shares a response that has just been stored under a key of its own, if it may be.
    func share(_ entry: StoredResponse, of request: PreparedRequest, _ policy: CachePolicy) {
        guard let shared, policy.reasonNotToShare(request) == nil, entry.reasonNotToShare == nil
        else { return }
        shared.write(
            entry,
            as: SharedName.only,
            of: entry.key.digest,
            for: entry.sharedLifetime(at: now)
        )
    }

    /// The body in memory, or in a file if a request wants no more than so much in memory.
    private func lent(_ body: ResponseBody, for request: PreparedRequest) -> ResponseBody? {
        guard case .bytes(let bytes) = body, bytes.count > request.options.memoryLimit else {
            return body
        }
        return (try? disk.lending.lend(bytes)).map(ResponseBody.file)
    }
}

// MARK: responses of HTTP's rules

extension ResponseCache {
    /// The responses that the shared store has for a request's URL; nil if there is no store.
    ///
    /// They are put into memory and on disk, in place of older ones that the request selects.
    func sharedVariants(
        for request: PreparedRequest,
        policy: CachePolicy,
        _ rules: HTTPCacheRules
    ) async -> SharedVariants? {
        guard let shared else { return nil }
        let name = shared.store.name
        if let reason = policy.reasonNotToShare(request) {
            return SharedVariants(finding: .shared("\(name) is not asked: \(reason.text)"))
        }
        let mark = invalidations.withLock { $0.mark }
        let group = SharedName.group(of: request, policy, in: self)
        let now = now
        switch await shared.entries(of: group) {
        case .failure(let error):
            return SharedVariants(finding: .shared("\(name): \(error)"))
        case .success(let entries):
            let primary = key(for: request, policy: policy).name
            let account = policy.account(of: request)
            let own = entries.responses.filter {
                $0.http?.primary == primary && $0.http?.account == account
                    && !$0.life.isOver(at: now)
            }
            let variants = own.compactMap { entry -> CachedVariant? in
                var entry = entry
                guard let body = lent(entry.body, for: request) else { return nil }
                entry.body = body
                entry.readVary()
                return CachedVariant(entry, in: .shared)
            }
            for variant in variants { fill(variant, request, policy, rules, after: mark) }
            let count = variants.count
            let text = count == 0 ? "has nothing" : "has \(count) response\(count == 1 ? "" : "s")"
            let refused = entries.refusal.map { "; what else it has is refused: \($0)" } ?? ""
            return SharedVariants(
                variants: variants,
                finding: .shared("\(name) \(text)\(refused)")
            )
        }
    }

    private func fill(
        _ variant: CachedVariant,
        _ request: PreparedRequest,
        _ policy: CachePolicy,
        _ rules: HTTPCacheRules,
        after mark: InvalidationLog.Mark
    ) {
        let now = now
        // Only what this request selects: of the others it cannot be said which ones they replace.
        guard variant.head.vary.matches(request.head.headerFields, variant.head.selecting) else {
            return
        }
        _ = store(variant.entry, policy: policy, after: mark, isCounted: false) { heads in
            let old = rules.superseded(by: request.head, among: heads)
            let isOutdated = heads.contains {
                old.contains($0.id) && $0.isNewer(than: variant.head, at: now)
            }
            return isOutdated ? nil : old
        }
    }

    /// Shares a response of HTTP's rules, if a shared cache may store it.
    ///
    /// `request` is the one that was sent, with what interceptors changed.
    func shareVariant(
        _ entry: StoredResponse,
        of request: PreparedRequest,
        _ policy: CachePolicy,
        _ rules: HTTPCacheRules
    ) {
        guard let shared, let http = entry.http, let head = entry.storedHead, head.isWhole,
            policy.reasonNotToShare(request) == nil, entry.reasonNotToShare == nil
        else { return }
        let plan = rules.asShared.storing(
            head.response,
            to: request.head,
            hasContent: request.hasContent,
            hasCredentials: !RequestAccount(request, cookies: false).isNone,
            length: entry.body.count,
            requestTime: http.requestTime,
            responseTime: http.responseTime
        )
        guard plan.stored != nil else { return }
        shared.write(
            entry,
            as: SharedName.member(of: request, selecting: head.selecting),
            of: SharedName.group(of: request, policy, in: self),
            for: entry.sharedLifetime(at: now)
        )
    }

    /// Removes the responses for URLs from the shared store.
    func removeShared(_ keys: [CacheKey], _ request: PreparedRequest, _ policy: CachePolicy) {
        guard let shared else { return }
        let account = policy.account(of: request)
        let groups = keys.flatMap { key in
            Set(["", account]).map { SharedName.group(of: key, account: $0) }
        }
        shared.remove(groups)
    }
}

/// The names that a shared store knows responses by.
enum SharedName {
    /// The one member of a group that has only one response.
    static let only = "-"

    /// The group of the responses for a URL, and for the route that a request takes.
    static func group(
        of request: PreparedRequest,
        _ policy: CachePolicy,
        in cache: ResponseCache
    ) -> String {
        group(of: cache.key(for: request, policy: policy), account: policy.account(of: request))
    }

    static func group(of primary: CacheKey, account: String) -> String {
        account.isEmpty ? primary.digest : "\(primary.digest).\(account)"
    }

    /// The member of the responses that `Vary` tells apart from others by a request's fields.
    ///
    /// It is the same on every machine, so that a newer response replaces an older one.
    static func member(of request: PreparedRequest, selecting: SelectingFields) -> String {
        guard !selecting.members.isEmpty else { return only }
        let lines = selecting.members.map(\.name).sorted().map { name in
            let value = HTTPField.Name(name).flatMap {
                SelectingField($0, in: request.head.headerFields).value
            }
            return "\(name) \(value.map { $0.joined(separator: "\n") } ?? "-")"
        }
        return String(ContentDigest.hex(of: lines.joined(separator: "\n")).prefix(32))
    }
}

extension HTTPCacheRules {
    /// These rules as those of a cache that many use.
    var asShared: HTTPCacheRules {
        var rules = self
        rules.options.insert(.shared)
        return rules
    }
}
