import Documents
import FoundationEssentials
import HTTPTypes

extension HTTPCache {
    /// Makes a response; nil if the entry has gone, or if a range of a body file exceeds the memory limit.
    func response(
        _ answer: ServedResponse,
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
            case .shared: ResponseSource.shared
            }
        var response = used.entry.response(for: request, at: cache.now, place)
        response.head = answer.response
        response.body = body
        response.decision = decision
        return response
    }

    private static func body(
        _ wanted: ServedResponse.Body,
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

    /// The 504 of a cache that must not ask the origin and has nothing to serve (RFC 9111, 5.2.1.7), or that
    /// could not validate what must be validated (5.2.2.2).
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
    /// Answers a request to which libcurl adds cookies of a jar.
    ///
    /// The rules see the cookies, because `Vary: Cookie` is about what is sent (RFC 9111, 4.1). The request
    /// goes to the origin without them, because libcurl would send them twice.
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

    /// Wraps an origin so that it gets only the caller's own cookies.
    private static func sending(_ own: String?, to origin: @escaping Origin) -> Origin {
        { request, isDelivered throws(ApusError) in
            var sent = request
            sent.head.headerFields.set(own, for: .cookie)
            var response = try await origin(sent, isDelivered)
            // If no interceptor changed the cookies, the response's request has them as the rules saw them.
            if response.request.head.headerFields[.cookie] == own {
                let known = request.head.headerFields[.cookie]
                response.request.head.headerFields.set(known, for: .cookie)
            }
            return response
        }
    }
}

extension HTTPCache {
    /// Makes a flow that only looks up entries and has no origin.
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

    /// Looks up a request, following redirects; `asking` must be a mode that does not ask the origin.
    func lookup(_ request: PreparedRequest, _ asking: CacheMode) async -> CacheLookup {
        var cache = self
        do throws(ApusError) {
            return .hit(try await cache.answer(request, asking))
        } catch {
            guard case .cacheMiss(let key, let reason) = error.reason else {
                // Redirects in a circle, or too many: there is no response.
                let key = self.cache.key(for: request, policy: policy)
                return .miss(key, .notFound)
            }
            return .miss(key, reason)
        }
    }
}
