import Apus
import HTTPServing
import Synchronization

/// What is kept of a body that passes by: all of it up to a limit, of a longer one the size.
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

    /// How many bytes have passed.
    var count: Int { state.withLock(\.count) }

    /// Whether all of them are kept.
    var isKept: Bool { state.withLock { $0.collector != nil } }

    /// What is wrong with the body, if it is.
    var fault: HTTPFault? { state.withLock(\.failure) as? HTTPFault }

    /// Whether the connection that it came by ended in it.
    var isCut: Bool { state.withLock { $0.failure.map { !($0 is HTTPFault) } ?? false } }

    /// A body of which each piece is taken as it is read.
    func reading(_ body: IncomingBody) -> IncomingBody {
        IncomingBody(length: body.length, trailers: body.trailers) { [self] in
            do {
                let piece = try await body.read()
                if let piece { append(piece) }
                return piece
            } catch {
                // A reader that was cancelled says nothing about the client.
                if !Task.isCancelled { state.withLock { $0.failure = error } }
                throw error
            }
        }
    }

    /// Takes a piece; what the disk does not take is not kept.
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

    /// What is kept, to be asked for once; of a body that is not, its size.
    func body() -> ResponseBody {
        let (body, count) = state.withLock { ($0.collector?.body, $0.count) }
        // Without a place for a file it is recorded without its body.
        return body ?? (try? SpooledBody.hollow(count: count)).map { .file($0) } ?? .bytes([])
    }
}
