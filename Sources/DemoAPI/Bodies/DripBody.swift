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
