import Documents
import HTTPServing

/// A body that is sent in small pieces, spread evenly over a time.
struct DripBody: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let count: Int
    let duration: Double

    func makeAsyncIterator() -> Iterator {
        Iterator(body: self)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: DripBody
        private var sent = 0

        /// The highest number of pieces per second, above which pieces get larger instead.
        private static let dropsPerSecond = 100.0

        fileprivate init(body: DripBody) {
            self.body = body
        }

        mutating func next() async throws -> [UInt8]? {
            guard sent < body.count else { return nil }
            let drops = Swift.max(
                1,
                Swift.min(body.count, Int(body.duration * Self.dropsPerSecond))
            )
            let pause = body.duration / Double(Swift.max(1, drops - 1))
            if sent > 0, pause > 0 { try await Task.sleep(for: .seconds(pause)) }
            let size = Swift.min((body.count + drops - 1) / drops, body.count - sent)
            sent += size
            return [UInt8](repeating: UInt8(ascii: "*"), count: size)
        }
    }
}

/// A body that breaks the connection after its pieces, because the server closes it when a body throws.
struct CutBody: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let pieces: [[UInt8]]

    func makeAsyncIterator() -> Iterator {
        Iterator(pieces: pieces[...])
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: ArraySlice<[UInt8]>

        mutating func next() async throws -> [UInt8]? {
            guard let piece = pieces.popFirst() else { throw ConnectionError.cut }
            return piece
        }
    }
}

/// A body of JSON lines, with a pause between them.
struct LineStream: AsyncSequence, Sendable {
    let count: Int
    let interval: Double
    let clock: DemoClock

    func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: LineStream
        private var sent = 0

        fileprivate init(stream: LineStream) {
            self.stream = stream
        }

        mutating func next() async throws -> [UInt8]? {
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
    }
}
