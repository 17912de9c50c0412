import Apus
import FoundationEssentials
import Glibc
import HTTPTypes
import TestSupport
import Workspaces

@testable import SessionBuckets

/// moto, an S3 server from PyPI, on a free port; it ends with the test process.
final class ObjectServer: Sendable {
    /// Whether Python has moto; `make shared` sees to it.
    static let isInstalled = (try? Shell.run("python3 -c 'import moto.server'")) != nil
    /// One for all tests; each makes a bucket of its own.
    static func shared() throws -> ObjectServer { try started.get() }
    private static let started = Result { try ObjectServer() }

    let endpoint: String

    private init() throws {
        let port = try RawServer.freePort()
        endpoint = "http://127.0.0.1:\(port)"
        try Shell.start(
            """
            python3 -m moto.server -H 127.0.0.1 -p \(port) </dev/null >/dev/null 2>&1 & server=$!
            until python3 -c 'import socket; socket.create_connection(("127.0.0.1", \(port)))' 2>/dev/null; do
              kill -0 $server || exit
            done
            echo ready; cat >/dev/null; kill $server
            """
        )
    }

    /// Keys that moto takes, and no profile of this user's.
    static func chain(_ more: [String: String] = [:]) -> AWSCredentialChain {
        let variables = [
            "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "not so secret",
            "AWS_REGION": "eu-central-1",
        ].merging(more) { $1 }
        return AWSCredentialChain(home: "/nowhere") { variables[$0] }
    }

    /// The address of a new bucket.
    func bucket() async throws -> ObjectStoreAddress {
        let name = "bucket-\(UUID().uuidString.lowercased())"
        let address = try ObjectStoreAddress("s3://\(name)/team", endpoint: endpoint)
        let store = try ObjectStore(address, chain: Self.chain())
        let place =
            "<CreateBucketConfiguration><LocationConstraint>eu-central-1</LocationConstraint>"
            + "</CreateBucketConfiguration>"
        let made = try await store.send(.put, "", task: .data(Array(place.utf8)))
        try store.check(made, "")
        return address
    }
}
