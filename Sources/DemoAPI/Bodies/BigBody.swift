/// A JSON array of records with exactly `count` bytes, produced while it is read.
///
/// `[` + records of 128 bytes, each including the comma or space after it + spaces + `]\n`
struct BigBody: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let count: Int
    let recordCount: Int

    static let recordSize = 128
    static let smallestSize = recordSize + 3
    private static let recordsPerBuffer = 512

    init(count: Int) {
        self.count = count
        recordCount = (count - 3) / Self.recordSize
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(body: self)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: BigBody
        private var record = 0
        private var isComplete = false
        private var template = BigBody.template

        fileprivate init(body: BigBody) {
            self.body = body
        }

        mutating func next() async throws -> [UInt8]? {
            guard !isComplete else { return nil }
            var buffer: [UInt8] = []
            buffer.reserveCapacity(
                BigBody.recordsPerBuffer * BigBody.recordSize + BigBody.recordSize
            )
            if record == 0 { buffer.append(UInt8(ascii: "[")) }
            let end = Swift.min(record + BigBody.recordsPerBuffer, body.recordCount)
            while record < end { append(to: &buffer) }
            if record == body.recordCount { finish(&buffer) }
            return buffer
        }

        private mutating func append(to buffer: inout [UInt8]) {
            write(1_000_000_000 + record, digits: 10, at: BigBody.identifierOffset)
            write(100 + record &* 7919 % 900, digits: 3, at: BigBody.amountOffset)
            write(record &* 104_729 % 100, digits: 2, at: BigBody.amountOffset + 4)
            record += 1
            template[BigBody.recordSize - 1] =
                record == body.recordCount ? UInt8(ascii: " ") : UInt8(ascii: ",")
            buffer += template
        }

        private mutating func finish(_ buffer: inout [UInt8]) {
            let padding = body.count - 3 - body.recordCount * BigBody.recordSize
            buffer += [UInt8](repeating: UInt8(ascii: " "), count: padding) + Array("]\n".utf8)
            isComplete = true
        }

        private mutating func write(_ value: Int, digits: Int, at offset: Int) {
            var rest = value
            for position in stride(from: offset + digits - 1, through: offset, by: -1) {
                template[position] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
        }
    }

    private static let head = #"{"id":"#
    private static let middle = #"1000000000,"amount":"#
    private static let tail =
        #"100.00,"active":true,"name":"Ada Lovelace","note":"Nothing is so wide as the sky."}"#
    private static let identifierOffset = head.utf8.count
    private static let amountOffset = head.utf8.count + middle.utf8.count
    private static let template: [UInt8] = {
        let text = Array((head + middle + tail).utf8)
        return text + [UInt8](repeating: UInt8(ascii: " "), count: recordSize - text.count)
    }()
}
