import FlyingSocks

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
                "line": .integer(sent), "of": .integer(stream.count),
                "at": .string(Moment.timestamp(stream.clock.now)),
            ]
            return line.compact + [UInt8(ascii: "\n")]
        }

        // Required by AsyncIteratorProtocol; FlyingFox sends buffers only.
        mutating func next() async throws -> UInt8? { nil }
    }
}
