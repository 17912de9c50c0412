import Documents
import FoundationEssentials
import HTTPTypes

extension HTTPCache {
    /// The answer with its body; nil if the entry has gone, or if the bytes asked for are too
    /// many to be taken from a file.
    func response(
        _ answer: StoredAnswer,
        _ variants: [CachedVariant],
        _ request: PreparedRequest,
        _ decision: CacheDecision
    ) async -> Response? {
        guard let variant = variants.first(where: { $0.head.id == answer.id }) else { return nil }
        let used =
            answer.body == .none
            ? variant : await cache.use(variant, for: request, policy: policy, isUse: isUse)
        guard let used, let body = Self.body(answer.body, of: used.entry.body, request) else {
            return nil
        }
        let place =
            switch used.place {
            case .memory: ResponseSource.memory
            case .disk: ResponseSource.disk
            }
        var response = used.entry.response(for: request, at: cache.now, place)
        response.head = answer.response
        response.body = body
        response.decision = decision
        return response
    }

    private static func body(
        _ wanted: StoredAnswer.Body,
        of body: ResponseBody,
        _ request: PreparedRequest
    ) -> ResponseBody? {
        switch (wanted, body) {
        case (.whole, _): return body
        case (.none, _): return .bytes([])
        case (.slice(let range), .bytes(let bytes)):
            guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return nil }
            return .bytes(Array(bytes[range]))
        case (.slice(let range), .file(let file)):
            guard range.count <= request.options.memoryLimit, range.upperBound <= file.count else {
                return nil
            }
            return (try? FileBytes.read(file.path, range)).map(ResponseBody.bytes)
        }
    }

    /// The answer of a cache that may not ask and has nothing to give (RFC 9111, 5.2.1.7), or that
    /// asked in vain about what it may not give (5.2.2.2).
    func gatewayTimeout(_ request: PreparedRequest, _ decision: CacheDecision) -> Response {
        let fields: HTTPFields = [.contentLength: "0", .date: HTTPDate.format(cache.now)]
        var response = Response(
            request: request,
            head: HTTPResponse(status: .gatewayTimeout, headerFields: fields),
            body: .bytes([]),
            source: .gateway,
            received: cache.now
        )
        response.decision = decision
        return response
    }
}

extension HTTPCache {
    /// Gives the answer to a request to which libcurl adds cookies of a jar.
    ///
    /// For the rules the request has them, as `Vary: Cookie` is about what is sent (RFC 9111,
    /// 4.1); to the origin it goes without, lest libcurl send them twice.
    mutating func hop(
        _ request: PreparedRequest,
        _ asking: CacheMode,
        with jar: CookieJar
    ) async throws(ApusError) -> Response {
        let own = request.head.headerFields[.cookie]
        var ruled = request
        ruled.head.headerFields.set(jar.field(for: request.head, beside: own), for: .cookie)
        var flow = self
        flow.origin = Self.sending(own, to: origin)
        flow.originBehind = Self.sending(own, to: originBehind)
        defer { timeTaken = flow.timeTaken }
        var response = try await flow.ruledHop(ruled, asking)
        response.request = request
        return response
    }

    /// Sends a request with the caller's own cookies only.
    private static func sending(_ own: String?, to origin: @escaping Origin) -> Origin {
        { request, isDelivered throws(ApusError) in
            var sent = request
            sent.head.headerFields.set(own, for: .cookie)
            var response = try await origin(sent, isDelivered)
            // What nobody changed on the way is as the rules know it.
            if response.request.head.headerFields[.cookie] == own {
                let known = request.head.headerFields[.cookie]
                response.request.head.headerFields.set(known, for: .cookie)
            }
            return response
        }
    }
}

extension HTTPCache {
    /// The part of a cache that looks into it, and has no origin to ask.
    init(
        _ cache: ResponseCache,
        _ policy: CachePolicy,
        in storage: CachePolicy.Storage,
        isUse: Bool = true
    ) {
        let none: Origin = { request, _ throws(ApusError) in
            throw ApusError(.cancelled, request: request.line)
        }
        self.init(
            cache: cache,
            policy: policy,
            revalidations: BackgroundTasks(limit: 0),
            origin: none,
            originBehind: none,
            tell: { _ in },
            storage: storage,
            isUse: isUse
        )
    }

    /// What is stored for a request, redirects followed; `asking` is a mode that asks no origin.
    func lookup(_ request: PreparedRequest, _ asking: CacheMode) async -> CacheLookup {
        var cache = self
        do throws(ApusError) {
            return .hit(try await cache.answer(request, asking))
        } catch {
            guard case .cacheMiss(let key, let reason) = error.reason else {
                // Redirects that lead in a circle, or too far: there is no answer.
                let key = self.cache.key(for: request, policy: policy)
                return .miss(key, .notFound)
            }
            return .miss(key, reason)
        }
    }
}
