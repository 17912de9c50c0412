import Apus
import HTTPServing
import Synchronization

/// A copy of a body that passes through: its bytes up to a limit, or only the size of a longer one.
final class BodyCopy: Sendable {
    private static let memoryLimit = 256 << 10

    private struct State {
        var collector: BodyCollector? = BodyCollector(memoryLimit: BodyCopy.memoryLimit)
        var count = 0
        var failure: (any Error)?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// How many bytes have passed through.
    var count: Int { state.withLock(\.count) }

    /// Whether all of them are kept.
    var isKept: Bool { state.withLock { $0.collector != nil } }

    /// Why the body is not valid HTTP; nil if it is valid.
    var fault: HTTPError? { state.withLock(\.failure) as? HTTPError }

    /// Whether the client's connection ended within the body.
    var isCut: Bool { state.withLock { $0.failure.map { !($0 is HTTPError) } ?? false } }

    /// Wraps a body so that each piece is copied as it is read.
    func reading(_ body: IncomingBody) -> IncomingBody {
        IncomingBody(length: body.length, trailers: body.trailers) { [self] in
            do {
                let piece = try await body.read()
                if let piece { append(piece) }
                return piece
            } catch {
                // If the reader was cancelled, the error says nothing about the client.
                if !Task.isCancelled { state.withLock { $0.failure = error } }
                throw error
            }
        }
    }

    /// Copies a piece; if the disk cannot take it, the body is not kept.
    func append(_ piece: [UInt8]) {
        state.withLock { state in
            state.count += piece.count
            guard state.count <= limit else {
                state.collector = nil
                return
            }
            do {
                try piece.withUnsafeBytes { try state.collector?.append($0) }
            } catch {
                state.collector = nil
            }
        }
    }

    /// The copy, or a hollow file of the same size if the body was not kept; call it only once.
    func body() -> ResponseBody {
        let (body, count) = state.withLock { ($0.collector?.body, $0.count) }
        // If not even that file can be made, the exchange is recorded without the body.
        return body ?? (try? SpoolFile.hollow(count: count)).map { .file($0) } ?? .bytes([])
    }
}
