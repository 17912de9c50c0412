import Documents
import FoundationEssentials
import Glibc
import HTTPTypes
import SQLite
import Testing

@testable import Apus
@testable import Secrets

@Suite("what is on disk holds no known credential")
struct CacheSecretTests {
    private enum Planted: String, CaseIterable {
        case authorization = "s3cret/auth+0"
        case cookie = "s3cret/cookie+1"
        case own = "s3cret/own+2"
        case query = "s3cret/query+3"
        case password = "s3cret/password+4"
        case location = "s3cret/location+5"
        case parameter = "s3cret/parameter+6"
        case path = "s3cret-path-7"

        /// As it stands in a URL.
        var escaped: String { PercentEncoding.component(rawValue) }

        var forms: [String] {
            let base64 = Data(rawValue.utf8).base64EncodedString()
            return [rawValue, escaped, escaped.lowercased(), base64]
        }
    }

    private static func request() -> Apus.PreparedRequest {
        var request = Apus.PreparedRequest.cached(
            "/\(Planted.path.rawValue)/a?api_key=\(Planted.query.escaped)"
                + "&mine=\(Planted.parameter.escaped)&page=1",
            authority: "ada:\(Planted.password.escaped)@api.example.com",
            fields: HTTPFields(pairs: [
                ("Authorization", "Bearer \(Planted.authorization.rawValue)"),
                ("Cookie", "session=\(Planted.cookie.rawValue)"), ("X-Own", Planted.own.rawValue),
            ])
        )
        request.options.secretParameters = ["mine"]
        request.options.secretTexts = [Secret(Planted.path.rawValue)]
        return request
    }

    private static func metrics(_ request: Apus.PreparedRequest) -> TransferMetrics {
        var metrics = TransferMetrics.full
        metrics.effectiveURL = request.url
        metrics.redirects = [
            .init(
                status: 302,
                location: "/b?token=\(Planted.location.escaped)",
                url: request.url,
                fields: [.location: "/b?token=\(Planted.location.escaped)"]
            )
        ]
        metrics.trace = request.head.headerFields.map {
            WireTraceEntry(kind: .headerOut, text: "\($0.name): \($0.value)")
        }
        return metrics
    }

    private static func response(_ body: Int, _ fields: [(String, String)]) -> Response {
        let request = request()
        return Response(
            request: request,
            head: HTTPResponse(status: .ok, headerFields: HTTPFields(pairs: fields)),
            body: .bytes([UInt8](repeating: 0x61, count: body)),
            source: .server,
            received: Date(timeIntervalSinceReferenceDate: 800_000_000),
            metrics: metrics(request)
        )
    }

    /// The secrets whose forms are in the bytes of any file below a folder.
    private static func found(in folder: CacheFolder) throws -> [String] {
        try folder.files.flatMap { name -> [String] in
            let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)"))
            return Planted.allCases.filter { secret in
                secret.forms.contains { Self.has(bytes, $0) }
            }.map { "\($0) in \(name)" }
        }
    }

    private static func has(_ bytes: Data, _ text: String) -> Bool {
        // A text for strstr(3), which is quick: no text looked for has zeros.
        let characters = bytes.map { CChar(bitPattern: $0 == 0 ? 1 : $0) } + [0]
        return strstr(characters, text) != nil
    }

    @Test("neither of a policy of its own, in rows as in files", arguments: [100, 100_000])
    func own(size: Int) async throws {
        let bench = try CacheBench()
        let names = ["Accept", "Authorization", "Cookie"].compactMap { HTTPField.Name($0) }
        let policy = CachePolicy.keep(in: .disk, key: .full(fields: names))
        let key = bench.cache.key(for: Self.request(), policy: policy)
        let response = Self.response(size, [("Content-Type", "text/plain")])
        _ = await bench.cache.store(response, key: key, policy: policy)
        #expect(try Self.found(in: bench.folder) == [])
        await bench.cache.close()
        #expect(try Self.found(in: bench.folder) == [])
        let hit = await bench.another().lookup(key, policy: policy, for: Self.request()).response
        #expect(hit?.body == response.body && hit?.head == response.head)
        #expect(hit?.metrics?.phases == response.metrics?.phases)
        #expect(hit?.metrics?.redirects.first?.location == "/b?token=\(CredentialMask.mask)")
        #expect(hit?.metrics?.trace.isEmpty == true)
    }

    @Test("nor by HTTP, whatever Vary names, and the right request still gets it")
    func http() async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.http(in: .disk)
        let fields = [
            ("Cache-Control", "max-age=600"), ("Vary", "Authorization, Cookie, X-Own, Accept"),
        ]
        let transport = ScriptedTransport { _ throws(ApusError) in
            var response = Self.response(10, fields)
            response.received = bench.clock.now
            return response
        }
        let provider = Provider<MultiTarget>(transport: transport, cache: bench.cache)
        let request = Self.request()
        func get(_ own: String) async throws -> Response {
            var options = TransportOptions()
            options.secretParameters = ["mine"]
            options.secretTexts = [Secret(Planted.path.rawValue)]
            var fields = request.head.headerFields
            if let name = HTTPField.Name("X-Own") { fields[name] = own }
            let target = TestTarget(
                base: "https://ada:\(Planted.password.escaped)@api.example.com",
                path: request.head.path ?? "/",
                headerFields: fields,
                cachePolicy: policy,
                options: options
            )
            return try await provider.response(for: MultiTarget(target), from: .cacheIfPossible)
        }
        #expect(try await !get(Planted.own.rawValue).isCached)
        await bench.cache.flush()
        #expect(await bench.cache.entries().count == 1)
        #expect(try Self.found(in: bench.folder) == [])
        #expect(try await get(Planted.own.rawValue).isCached)
        #expect(try await !get("another").isCached)
        await bench.cache.close()
        #expect(try Self.found(in: bench.folder) == [])
        for entry in await bench.cache.entries() {
            #expect(!Planted.allCases.contains { entry.key.recipe.contains($0.rawValue) })
        }
    }

    @Test("a response that sends on to a URL with a credential is in memory only")
    func location() async throws {
        let bench = try CacheBench()
        let fields = [("Location", "https://store.example.com/a?token=\(Planted.location.escaped)")]
        for (storage, outcome) in [
            (CachePolicy.Storage.memoryAndDisk, CacheStoreOutcome.stored(.memory, expires: nil)),
            (.disk, .notStored(.credential)),
        ] {
            let policy = CachePolicy.keep(for: .forever, in: storage)
            let key = bench.key("/a", policy)
            let response = Self.response(10, fields)
            #expect(await bench.cache.store(response, key: key, policy: policy) == outcome)
        }
        #expect(try Self.found(in: bench.folder) == [])
    }

    @Test("the entries of an older version, which had credentials, leave no byte")
    func older() async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(in: .disk, extraKey: nil)
        await bench.store("/known-path-of-old", policy: policy)
        await bench.cache.close()
        let database = "\(bench.folder.path)/responses.sqlite"
        do {
            let queue = try DatabaseQueue(path: database)
            try await queue.write { try $0.execute(sql: "PRAGMA user_version = 4") }
            try queue.close()
        }
        let another = bench.another()
        #expect(await another.entries().isEmpty)
        #expect(bench.notices.all.isEmpty)
        await another.close()
        for name in bench.folder.files {
            let bytes = try Data(contentsOf: URL(filePath: "\(bench.folder.path)/\(name)"))
            #expect(!Self.has(bytes, "known-path-of-old"))
        }
    }
}
