import Documents
import FlyingSocks

/// Bytes that fall one by one, spread evenly over a time.
struct DripBody: AsyncBufferedSequence {
    typealias Element = UInt8

    let count: Int
    let duration: Double
    let delay: Double

    func makeAsyncIterator() -> Iterator {
        Iterator(body: self)
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        fileprivate let body: DripBody
        private var sent = 0

        /// More drops a second than this fall together.
        private static let dropsPerSecond = 100.0

        fileprivate init(body: DripBody) {
            self.body = body
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            guard sent < body.count else { return nil }
            let drops = Swift.max(
                1,
                Swift.min(body.count, Int(body.duration * Self.dropsPerSecond))
            )
            let pause = sent == 0 ? body.delay : body.duration / Double(Swift.max(1, drops - 1))
            if pause > 0 { try await Task.sleep(for: .seconds(pause)) }
            let size = Swift.min((body.count + drops - 1) / drops, body.count - sent)
            sent += size
            return [UInt8](repeating: UInt8(ascii: "*"), count: size)
        }

        // Required by AsyncIteratorProtocol; FlyingFox sends buffers only.
        mutating func next() async throws -> UInt8? { nil }
    }
}

/// Pieces, and then the connection breaks: FlyingFox closes it when a body throws.
struct CutBody: AsyncBufferedSequence {
    typealias Element = UInt8

    let pieces: [[UInt8]]

    func makeAsyncIterator() -> Iterator {
        Iterator(pieces: pieces[...])
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        fileprivate var pieces: ArraySlice<[UInt8]>

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            guard let piece = pieces.popFirst() else { throw Cut() }
            return piece
        }

        // Required by AsyncIteratorProtocol; FlyingFox sends buffers only.
        mutating func next() async throws -> UInt8? { nil }
    }

    private struct Cut: Error {}
}

/// JSON lines, one at a time with a pause between them.
struct LineStream: AsyncBufferedSequence {
    let count: Int
    let interval: Double
    let clock: DemoClock

    func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        fileprivate let stream: LineStream
        private var sent = 0

        fileprivate init(stream: LineStream) {
            self.stream = stream
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            guard sent < stream.count else { return nil }
            if sent > 0, stream.interval > 0 {
                try await Task.sleep(for: .seconds(stream.interval))
            }
            sent += 1
            let line: JSON = [
                "line": JSON(sent), "of": JSON(stream.count),
                "at": JSON(Moment.timestamp(stream.clock.now)),
            ]
            return line.compact + [UInt8(ascii: "\n")]
        }

        // Required by AsyncIteratorProtocol; FlyingFox sends buffers only.
        mutating func next() async throws -> UInt8? { nil }
    }
}
