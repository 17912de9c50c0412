import Synchronization

/// Bytes of a body that somebody makes while they are sent.
///
/// Little more than 256 KiB are held: the maker waits when the network is slower.
/// The number of bytes must be known: if there are fewer, the transfer ends with
/// `.bodySource`; more are not read.
public struct BodyStream: Sendable, Hashable {
    typealias Put = @Sendable ([UInt8]) async throws -> Void

    /// How many bytes there are.
    public let count: Int
    /// Whether it can be sent a second time, for a redirect, a challenge or a retry.
    public let isReplayable: Bool
    private let source: Source

    /// Bytes that can be read once; a second sending is `.bodyNotReplayable`.
    public init<Chunks: AsyncSequence & Sendable>(count: Int, once chunks: Chunks)
    where Chunks.Element == [UInt8] {
        self.init(count: count, isReplayable: false) { put in
            for try await chunk in chunks { try await put(chunk) }
        }
    }

    /// Bytes that are made anew, from the first, each time they are sent.
    public init<Chunks: AsyncSequence & Sendable>(
        count: Int,
        again makeChunks: @escaping @Sendable () -> Chunks
    ) where Chunks.Element == [UInt8] {
        self.init(count: count, isReplayable: true) { put in
            for try await chunk in makeChunks() { try await put(chunk) }
        }
    }

    private init(
        count: Int,
        isReplayable: Bool,
        run: @escaping @Sendable (Put) async throws -> Void
    ) {
        self.count = count
        self.isReplayable = isReplayable
        source = Source(run)
    }

    /// Whether it can be read no more.
    var isSpent: Bool { !isReplayable && source.isBegun }

    /// Makes the bytes, to the end.
    func run(_ put: @escaping Put) async throws {
        source.begin()
        try await source.run(put)
    }

    /// Whether two values are the same stream.
    public static func == (a: BodyStream, b: BodyStream) -> Bool { a.source === b.source }
    /// Hashes the stream's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(source)) }

    private final class Source: Sendable {
        let run: @Sendable (Put) async throws -> Void
        private let hasBegun = Mutex(false)

        init(_ run: @escaping @Sendable (Put) async throws -> Void) { self.run = run }

        var isBegun: Bool { hasBegun.withLock { $0 } }
        func begin() { hasBegun.withLock { $0 = true } }
    }
}
