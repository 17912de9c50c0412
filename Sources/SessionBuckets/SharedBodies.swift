import Apus
package import Recordings
import Synchronization
package import Workspaces

/// Gets the bodies that were left in buckets when their sessions were pulled.
package final class SharedBodies: Sendable {
    /// A bucket that could not be reached is left alone for this long, so that a session of a thousand bodies does not
    /// wait for each of them.
    private static let pause = Duration.seconds(5)

    private struct Failure {
        let error: any Error
        let end: ContinuousClock.Instant
    }

    private let chain: AWSCredentialChain
    private let failures = Mutex<[String: Failure]>([:])

    /// Makes a door to all buckets; nothing is looked for yet.
    package init(chain: AWSCredentialChain = .process) { self.chain = chain }

    /// The content of a body, which the caller checks.
    ///
    /// - Throws: ``ObjectStoreError`` that says where the body is and why it cannot be read, `CancellationError`.
    package func bytes(of body: RemoteBody) async throws -> [UInt8] {
        let known = failures.withLock { $0[body.location] }
        if let known, .now < known.end { throw known.error }
        do {
            let address = try ObjectStoreAddress(location: body.location)
            let store = try ObjectStore(address, chain: chain)
            let found = try await store.bytes(
                of: address.objectKey(body.digest),
                atMost: body.size
            )
            failures.withLock { $0[body.location] = nil }
            guard let found else {
                throw ObjectStoreError("\(address.text): the object of the body is gone")
            }
            return found
        } catch let error as ApusError where !Task.isCancelled {
            let error = ObjectStoreError("\(body.place): \(error.message.title)")
            let failure = Failure(error: error, end: .now + Self.pause)
            failures.withLock { $0[body.location] = failure }
            throw error
        }
    }
}
