import Apus
import FoundationEssentials
import HTTPTypes
import Recordings
import Synchronization
import TestSupport
import Testing

@testable import SessionBuckets

/// A server in front of an S3 server, which says something else than that one does, or nothing.
private struct ObjectProxy {
    let server: RawServer
    /// The bucket through this server.
    let address: ObjectStoreAddress

    /// - Parameters:
    ///   - address: the bucket at the server behind.
    ///   - change: what is done instead of sending a response; nil to send it. `forward` sends the request to the
    ///     server behind, which is done for other requests anyway.
    /// - Throws: if there is no port for it.
    init(
        before address: ObjectStoreAddress,
        _ change:
            @escaping @Sendable (_ request: RawServer.Received, _ forward: () -> [UInt8]) ->
            [RawServer.Step]?
    ) throws {
        let port = try #require(address.endpoint?.split(separator: ":").last.flatMap { UInt16($0) })
        server = try RawServer { request in
            let forward = { (try? Self.response(to: request, port)) ?? [] }
            return change(request, forward) ?? [.bytes(forward()), .close]
        }
        self.address = try ObjectStoreAddress(
            address.text,
            endpoint: "http://\(server.authority)"
        )
    }

    private static func response(to request: RawServer.Received, _ port: UInt16) throws -> [UInt8] {
        let connection = try RawConnection(port: port)
        let fields = request.fields.filter { field in
            !["connection:", "expect:"].contains { field.lowercased().hasPrefix($0) }
        }
        let head = [request.line] + fields + ["Connection: close", "", ""]
        try connection.send(Array(head.joined(separator: "\r\n").utf8) + request.body)
        return try connection.bytes(1 << 30)
    }
}

extension RawServer.Received {
    /// Whether it completes an upload.
    fileprivate var isCompletion: Bool { method == "POST" && path.contains("uploadId=") }
}

extension RawServer.Step {
    /// What most servers say of an upload that is complete; moto completes it again, as AWS's does for a while.
    fileprivate static var noSuchUpload: RawServer.Step {
        let text = "<Error><Code>NoSuchUpload</Code><Message>gone</Message></Error>"
        let head = "HTTP/1.1 404 Not Found\r\nContent-Type: application/xml\r\n"
        return .send("\(head)Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }
}

@Suite("requests whose responses are lost", .enabled(if: ObjectServer.isInstalled))
struct LostResponseTests {
    private let folder = TemporaryFolder()

    /// Drops the response to the first of some requests, once the server behind has done it.
    private func dropping(
        before address: ObjectStoreAddress,
        then steps: [RawServer.Step]? = nil,
        _ isWanted: @escaping @Sendable (RawServer.Received) -> Bool
    ) throws -> ObjectProxy {
        let hasDropped = Mutex(false)
        return try ObjectProxy(before: address) { request, forward in
            guard isWanted(request) else { return nil }
            let isFirst = hasDropped.withLock { hasDropped in
                defer { hasDropped = true }
                return !hasDropped
            }
            guard isFirst else { return steps }
            _ = forward()
            return [.reset]
        }
    }

    private func upload(_ size: Int, to address: ObjectStoreAddress) throws -> MultipartUpload {
        let path = "\(folder.path)/large"
        try TemporaryFolder.write([UInt8](repeating: 7, count: size), to: path)
        let store = try ObjectStore(address, chain: ObjectServer.chain())
        return MultipartUpload(store: store, key: "large", path: path, size: size)
    }

    @Test("an upload that was completed, but its response lost, is a success")
    func completion() async throws {
        let bucket = try await ObjectServer.shared().bucket()
        let proxy = try dropping(before: bucket, then: [.noSuchUpload]) { $0.isCompletion }
        let size = MultipartUpload.partSize + 5
        let upload = try upload(size, to: proxy.address)
        #expect(try await upload.run() == size)
        #expect(try await upload.store.size(of: "large") == size)
        #expect(proxy.server.received.count { $0.isCompletion } == 2)
    }

    @Test(
        "an upload that is gone, and whose object is not there, is an error",
        arguments: [nil, 2]
    )
    func gone(size other: Int?) async throws {
        let address = try await ObjectServer.shared().bucket()
        if let other {
            let store = try ObjectStore(address, chain: ObjectServer.chain())
            try await store.put("large", .data([UInt8](repeating: 1, count: other)))
        }
        let proxy = try ObjectProxy(before: address) { request, _ in
            request.isCompletion ? [.noSuchUpload] : nil
        }
        let upload = try upload(3, to: proxy.address)
        let error = await #expect(throws: ObjectStoreError.self) { try await upload.run() }
        #expect(error?.code == "NoSuchUpload")
    }

    @Test(
        "a completion with status 200 is an error unless its body says that it is one",
        arguments: [
            (
                "\n  <?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code><Message>x</Message></Error>",
                "InternalError"
            ),
            ("<Error><Code>SlowDown</Code><Message>slow</Message></Error>", "SlowDown"),
            ("", nil),
        ]
    )
    func failedCompletion(text: String, code: String?) async throws {
        let proxy = try ObjectProxy(before: try await ObjectServer.shared().bucket()) {
            request,
            _ in
            guard request.isCompletion else { return nil }
            return [RawServer.ok(text, fields: "Content-Type: application/xml\r\n")]
        }
        let upload = try upload(3, to: proxy.address)
        let error = await #expect(throws: ObjectStoreError.self) { try await upload.run() }
        #expect(error != nil && error?.code == code)
    }

    @Test("a new session whose object was written, but its response lost, is pushed")
    func manifest() async throws {
        let proxy = try dropping(before: try await ObjectServer.shared().bucket()) {
            $0.method == "PUT" && $0.path.contains("/sessions/")
        }
        let history = History(path: "\(folder.path)/history.sqlite")
        _ = try await history.beginSession(named: "bug")
        let sessions = try SharedSessions(
            proxy.address,
            chain: ObjectServer.chain(),
            cache: "\(folder.path)/cache"
        )
        #expect(try await sessions.push("bug", of: history).exchanges == 0)
        #expect(try await sessions.list().map(\.name) == ["bug"])
        let puts = proxy.server.received.filter {
            $0.method == "PUT" && $0.path.contains("/sessions/")
        }
        // The server refused the second, because the first had made it.
        #expect(puts.count == 2)
        await history.close()
    }
}
