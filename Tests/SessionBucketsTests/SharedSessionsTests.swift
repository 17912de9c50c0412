import Apus
import Documents
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization
import TestSupport
import Testing
import Workspaces

@testable import Recordings
@testable import SessionBuckets

@Suite("sessions in a bucket", .enabled(if: ObjectServer.isInstalled))
struct SharedSessionsTests {
    private let folder = TemporaryFolder()

    /// A history that gets bodies from buckets.
    private func history(_ name: String, keepsSecrets: Bool = false) -> History {
        let history = History(path: "\(folder.path)/\(name).sqlite", keepsSecrets: keepsSecrets)
        let bodies = SharedBodies(chain: ObjectServer.chain())
        history.fetchBodies { try await bodies.bytes(of: $0) }
        return history
    }

    private func sessions(_ address: ObjectStoreAddress) throws -> SharedSessions {
        try SharedSessions(address, chain: ObjectServer.chain(), cache: "\(folder.path)/cache")
    }

    /// A history with a session of these response bodies.
    private func recorded(
        _ name: String,
        _ bodies: [[UInt8]],
        type: String = "application/octet-stream",
        keepsSecrets: Bool = false
    ) async throws -> History {
        let history = history(name, keepsSecrets: keepsSecrets)
        let session = try await history.beginSession(named: "bug")
        for (number, body) in bodies.enumerated() {
            let request = PreparedRequest(
                head: HTTPRequest(
                    method: .get,
                    scheme: "https",
                    authority: "api.example.com",
                    path: "/items/\(number)",
                    headerFields: [.authorization: "Bearer topsecret"]
                )
            )
            let response = Response(
                request: request,
                head: HTTPResponse(
                    status: .ok,
                    headerFields: [.contentType: type]
                ),
                body: .bytes(body),
                source: .server,
                received: Date(timeIntervalSince1970: 1_790_000_000 + Double(number))
            )
            await history.record(
                ExchangeRecord(
                    started: response.received,
                    request: request,
                    result: .success(response),
                    duration: .milliseconds(12)
                ),
                in: session
            )
        }
        return history
    }

    /// The files of an exported session, by their names.
    private func files(_ history: History, _ name: String) async throws -> [String: String] {
        let path = "\(folder.path)/\(name)"
        var filter = HistoryFilter()
        filter.sessions = ["bug"]
        try await history.export(try await history.all(matching: filter), of: "bug", toFolder: path)
        return try Folders.names(in: path).reduce(into: [:]) { files, name in
            let bytes = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
            files[name] =
                bytes.count > 4000 ? "\(bytes.hashValue)" : String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Expects that both histories export the same files.
    private func expectSame(_ one: History, _ other: History) async throws {
        let (one, other) = try await (files(one, "one"), files(other, "other"))
        #expect(one.keys.sorted() == other.keys.sorted())
        for (name, text) in one { #expect(text == other[name], "\(name)") }
    }

    @Test("a session that was pushed is pulled as it was; what is there is not sent again")
    func roundTrip() async throws {
        let address = try await ObjectServer.shared().bucket()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let mine = try await recorded("mine", [bytes, Array("two".utf8), bytes])
        let pushed = try await sessions(address).push("bug", of: mine)
        #expect(pushed.exchanges == 3)
        // The same body is one object.
        #expect((200_000..<220_000).contains(pushed.sent))
        #expect(try await sessions(address).push("bug", of: mine).sent == 0)

        let listed = try await sessions(address).list()
        #expect(listed.map(\.name) == ["bug"])
        #expect(listed.first?.exchanges == 3)

        let theirs = history("theirs")
        let pulled = try await sessions(address).pull("bug", into: theirs) { _ in nil }
        #expect(pulled.count == 3)
        try await expectSame(theirs, mine)
        #expect(Folders.names(in: "\(folder.path)/cache/pulls") == [])
        await mine.close()
        await theirs.close()
    }

    @Test(
        "secrets that were recorded in clear leave masked, unless told",
        arguments: [false, true]
    )
    func secrets(keepsSecrets: Bool) async throws {
        let address = try await ObjectServer.shared().bucket()
        let mine = try await recorded("mine", [Array("one".utf8)], keepsSecrets: true)
        _ = try await sessions(address).push("bug", of: mine, keepsSecrets: keepsSecrets)
        let store = try ObjectStore(address, chain: ObjectServer.chain())
        var all: [UInt8] = []
        for object in try await store.list("team/") {
            all += try #require(try await store.bytes(of: object.key, atMost: 1 << 20))
        }
        #expect(String(decoding: all, as: UTF8.self).contains("items/0"))
        #expect(String(decoding: all, as: UTF8.self).contains("topsecret") == keepsSecrets)
        await mine.close()
    }

    /// The exchanges of a history, oldest first, as they are without fetching.
    private func wholes(_ history: History) async throws -> [ExchangeDetails] {
        var wholes: [ExchangeDetails] = []
        for exchange in try await history.all(matching: HistoryFilter()) {
            wholes.append(try #require(try await history.readableExchange(exchange.id)))
        }
        return wholes
    }

    @Test("a long body stays in the bucket until it is needed, once for all its exchanges")
    func lazily() async throws {
        let address = try await ObjectServer.shared().bucket()
        let long = Array(String(repeating: "x", count: 9_000).utf8 + Array("needle in hay".utf8))
        let body = Array((0..<10).map { _ in long }.joined())
        let mine = try await recorded("mine", [body, Array("two".utf8), body], type: "text/plain")
        _ = try await sessions(address).push("bug", of: mine)

        let theirs = history("theirs")
        let asked = Mutex(0)
        let bodies = SharedBodies(chain: ObjectServer.chain())
        theirs.fetchBodies {
            asked.withLock { $0 += 1 }
            return try await bodies.bytes(of: $0)
        }
        _ = try await sessions(address).pull("bug", into: theirs) { _ in nil }
        let pulled = try await wholes(theirs)
        #expect(pulled.map(\.exchange.size) == [body.count, 3, body.count])
        #expect(pulled.map(\.unkeptSize) == [body.count, nil, body.count])
        #expect(pulled[0].remoteBody?.digest == ContentDigest.hex(of: body))
        #expect(pulled[0].absence == "still in \(address.text)")
        #expect(try pulled[1].response?.body.load() == Array("two".utf8))
        let filter = try HistoryFilter("body:needle")
        #expect(try await theirs.exchanges(matching: filter).isEmpty)
        #expect(try await theirs.unsearchedCount(filter) == 2)
        #expect(try await theirs.unsearchedCount(HistoryFilter("needle session:other")) == 0)
        #expect(try await theirs.unsearchedCount(HistoryFilter("status:200")) == 0)
        #expect(asked.withLock(\.self) == 0)

        let got = try #require(try await theirs.fetchedExchange(pulled[2].exchange.id))
        #expect(try got.response?.body.load() == body)
        #expect(got.response?.isComplete == true && got.absence == nil && got.damage.isEmpty)
        #expect(try await wholes(theirs).allSatisfy { $0.unkeptSize == nil })
        #expect(asked.withLock(\.self) == 1)
        #expect(try await theirs.exchanges(matching: filter).count == 2)
        #expect(try await theirs.unsearchedCount(filter) == 0)
        try await expectSame(theirs, mine)
        #expect(asked.withLock(\.self) == 1)
        await mine.close()
        await theirs.close()
    }

    @Test("a body that is here already is not asked for again")
    func known() async throws {
        let address = try await ObjectServer.shared().bucket()
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let mine = try await recorded("mine", [body])
        _ = try await sessions(address).push("bug", of: mine)
        _ = try await sessions(address).pull("bug", as: "again", into: mine) { _ in nil }
        #expect(try await wholes(mine).map(\.unkeptSize) == [nil, nil])
        await mine.close()
    }

    @Test(
        "what is pulled whole, or was pushed with its secrets, has all of its bodies",
        arguments: [false, true]
    )
    func whole(keepsSecrets: Bool) async throws {
        let address = try await ObjectServer.shared().bucket()
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let mine = try await recorded("mine", [body], keepsSecrets: keepsSecrets)
        _ = try await sessions(address).push("bug", of: mine, keepsSecrets: keepsSecrets)
        let theirs = history("theirs")
        _ = try await sessions(address).pull("bug", into: theirs, withBodies: !keepsSecrets) { _ in
            nil
        }
        #expect(try await wholes(theirs).map(\.unkeptSize) == [nil])
        await mine.close()
        await theirs.close()
    }

    @Test("a body that comes later is masked, even if the bucket says that it is masked")
    func lateSecrets() async throws {
        let address = try await ObjectServer.shared().bucket()
        let text = #"{"access_token": "topsecret-in-the-body", "fill": ""#
        let body = Array((text + String(repeating: "x", count: 100_000) + "\"}").utf8)
        let mine = try await recorded("mine", [body], type: "application/json", keepsSecrets: true)
        _ = try await sessions(address).push("bug", of: mine, keepsSecrets: true)
        let store = try ObjectStore(address, chain: ObjectServer.chain())
        let key = address.key("sessions/bug.json")
        let manifest = try #require(try await store.bytes(of: key, atMost: 1 << 20))
        let lie = String(decoding: manifest, as: UTF8.self)
            .replacing(#""masked":false"#, with: #""masked":true"#)
        try await store.put(key, .data(Array(lie.utf8)))

        let theirs = history("theirs")
        _ = try await sessions(address).pull("bug", into: theirs) { _ in nil }
        let pulled = try #require(try await wholes(theirs).first)
        #expect(pulled.remoteBody != nil)
        let got = try await theirs.fetchedExchange(pulled.exchange.id)?.response?.body.load()
        let shown = String(decoding: try #require(got), as: UTF8.self)
        #expect(shown.contains("xxxx") && !shown.contains("topsecret"))
        #expect(shown.hasPrefix(#"{"access_token": "••"#))
        await mine.close()
        await theirs.close()
    }

    @Test("a bucket that cannot be reached is said, at once the second time, and asked again later")
    func unreachable() async throws {
        let address = try await ObjectServer.shared().bucket()
        let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let mine = try await recorded("mine", [body])
        _ = try await sessions(address).push("bug", of: mine)
        let theirs = history("theirs")
        _ = try await sessions(address).pull("bug", into: theirs) { _ in nil }
        let id = try #require(try await wholes(theirs).first).exchange.id
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let bodies = SharedBodies(chain: ObjectServer.chain())
        let asked = Mutex(0)
        theirs.fetchBodies { remote in
            asked.withLock { $0 += 1 }
            let elsewhere = try ObjectStoreAddress(address.text, endpoint: closed.base)
            return try await bodies.bytes(
                of: RemoteBody(
                    digest: remote.digest,
                    size: remote.size,
                    location: elsewhere.location
                )
            )
        }
        let lacking = try #require(try await theirs.fetchedExchange(id))
        #expect(lacking.unkeptSize == body.count)
        let absence = try #require(lacking.absence)
        #expect(absence.hasPrefix("not here: \(address.text): "))
        #expect(
            lacking.damage == [
                "the response's body is \(absence.replacing("not here", with: "not here and left out"))"
            ]
        )
        #expect(try await theirs.fetchedExchange(id)?.absence == absence)
        #expect(asked.withLock(\.self) == 2)
        let error = await #expect(throws: ObjectStoreError.self) {
            try await sessions(address).push("bug", of: theirs, replaces: true)
        }
        #expect(error?.description.hasPrefix("1 body of “bug” could not be fetched") == true)
        await mine.close()
        await theirs.close()
    }

    @Test("a large file is sent in parts, and goes on where an upload ended")
    func parts() async throws {
        let address = try await ObjectServer.shared().bucket()
        let store = try ObjectStore(address, chain: ObjectServer.chain())
        let size = 2 * MultipartUpload.partSize + 5
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 4096) }
        let path = "\(folder.path)/large"
        try TemporaryFolder.write(bytes, to: path)

        let begun = try await store.send(.post, "large", query: [("uploads", "")])
        let upload = try #require(
            ObjectStore.root(of: begun)["UploadId"].string
        )
        let first = try await store.send(
            .put,
            "large",
            query: [("partNumber", "1"), ("uploadId", upload)],
            task: .data(Array(bytes[..<MultipartUpload.partSize]))
        )
        #expect(first.status == 200)

        let sent = try await MultipartUpload(store: store, key: "large", path: path, size: size)
            .run()
        #expect(sent == size - MultipartUpload.partSize)
        #expect(try await store.bytes(of: "large", atMost: size) == bytes)
    }

    @Test("an object that is not what was pushed is refused, and no session is made")
    func damage() async throws {
        let address = try await ObjectServer.shared().bucket()
        let mine = try await recorded("mine", [Array(repeating: 0, count: 100_000)])
        _ = try await sessions(address).push("bug", of: mine)
        let store = try ObjectStore(address, chain: ObjectServer.chain())
        let body = try #require(
            try await store.list("team/objects/").first { $0.size == 100_000 }
        )
        try await store.put(body.key, .data(Array(repeating: 1, count: 100_000)))
        let theirs = history("theirs")
        let error = await #expect(throws: ObjectStoreError.self) {
            try await sessions(address).pull("bug", into: theirs, withBodies: true) { _ in nil }
        }
        #expect(error?.description.contains("is not what was pushed") == true)
        #expect(try await theirs.sessions().isEmpty)

        _ = try await sessions(address).pull("bug", into: theirs) { _ in nil }
        let id = try #require(try await wholes(theirs).first).exchange.id
        let lacking = try await theirs.fetchedExchange(id)
        #expect(lacking?.absence?.contains("is not what was pushed") == true)
        #expect(lacking?.unkeptSize == 100_000)
        await mine.close()
        await theirs.close()
    }

    @Test("another session of the same name stays, unless it is to be replaced")
    func taken() async throws {
        let address = try await ObjectServer.shared().bucket()
        let mine = try await recorded("mine", [Array("one".utf8)])
        let other = try await recorded("other", [Array("two".utf8)])
        _ = try await sessions(address).push("bug", of: mine)
        let error = await #expect(throws: ObjectStoreError.self) {
            try await sessions(address).push("bug", of: other)
        }
        #expect(error?.description.contains("--replace") == true)
        _ = try await sessions(address).push("bug", of: other, replaces: true)
        let theirs = history("theirs")
        _ = try await sessions(address).pull("bug", into: theirs) { _ in nil }
        try await expectSame(theirs, other)
        for history in [mine, other, theirs] { await history.close() }
    }

    @Test("what is not there is said, with what is")
    func missing() async throws {
        let address = try await ObjectServer.shared().bucket()
        let mine = try await recorded("mine", [Array("one".utf8)])
        _ = try await sessions(address).push("bug", of: mine)
        let theirs = history("theirs")
        let session = await #expect(throws: ObjectStoreError.self) {
            try await sessions(address).pull("feature", into: theirs) { _ in nil }
        }
        #expect(session?.description.hasSuffix("has no session “feature”; it has “bug”") == true)
        let nowhere = try ObjectStoreAddress("s3://nowhere", endpoint: address.endpoint)
        let bucket = await #expect(throws: ObjectStoreError.self) {
            try await sessions(nowhere).list()
        }
        #expect(bucket?.description == "s3://nowhere: there is no bucket “nowhere”")
        await mine.close()
        await theirs.close()
    }
}

@Suite("what stands in a bucket")
struct SharedManifestTests {
    @Test(
        "a session's object that another made cannot name a file elsewhere",
        arguments: [
            "../x", "a/b", "", ".", "..",
        ]
    )
    func names(name: String) {
        let digest = String(repeating: "a", count: 64)
        let manifest = SharedManifest(
            session: "bug",
            exchanges: 1,
            isMasked: true,
            files: [SharedFile(name: name, size: 1, digest: digest)]
        )
        #expect(throws: ObjectStoreError.self) { try SharedManifest(manifest.bytes()) }
    }

    @Test("a session's object is read as it was written")
    func roundTrip() throws {
        let manifest = SharedManifest(
            session: "Ünicode / \"quoted\"",
            exchanges: 2,
            isMasked: true,
            files: [
                SharedFile(
                    name: "001-get.txt",
                    size: 12,
                    digest: String(repeating: "0a", count: 32)
                )
            ]
        )
        #expect(try SharedManifest(manifest.bytes()) == manifest)
        #expect(throws: ObjectStoreError.self) { try SharedManifest(Array("[1]".utf8)) }
    }
}

@Suite("addresses of buckets")
struct ObjectStoreAddressTests {
    @Test("a bucket is in the host's name at AWS, and in the path elsewhere")
    func urls() throws {
        let plain = try ObjectStoreAddress("s3://acme-apus/team/a b/")
        #expect(plain.prefix == "team/a b")
        #expect(
            plain.url(plain.key("x"), region: "eu-central-1")
                == "https://acme-apus.s3.eu-central-1.amazonaws.com/team/a%20b/x"
        )
        let dotted = try ObjectStoreAddress("s3://acme.apus")
        #expect(
            dotted.url("k", region: "cn-north-1")
                == "https://s3.cn-north-1.amazonaws.com.cn/acme.apus/k"
        )
        let own = try ObjectStoreAddress("S3://apus", endpoint: "http://minio:9000/")
        #expect(own.url("k", region: "us-east-1") == "http://minio:9000/apus/k")
    }

    @Test(
        "what is no address is refused with how to write one",
        arguments: [
            "apus", "s3://", "s3://UPPER", "s3://ab", "https://apus", "s3://a b c", "s3://ap:us",
        ]
    )
    func refused(text: String) {
        #expect(throws: ObjectStoreError.self) { try ObjectStoreAddress(text) }
    }

    @Test("an endpoint is a URL")
    func endpoints() {
        #expect(throws: ObjectStoreError.self) {
            try ObjectStoreAddress("s3://apus", endpoint: "minio:9000")
        }
    }
}
