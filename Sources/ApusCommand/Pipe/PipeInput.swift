import Dispatch
import Glibc
import Synchronization

/// Reads lines from a descriptor on its own thread, while earlier ones are still being sent.
///
/// Hands out only as many lines as may be in progress at once, and fewer if they are long. Reading continues when
/// `release` is called.
final class PipeInput: Sendable {
    /// A line, without its line end.
    struct Line: Sendable {
        /// Its number, from 1.
        let number: Int
        /// Its bytes; nil if the line is too long.
        let bytes: [UInt8]?
        /// How many of the `limit` lines it counts as, in proportion to its share of `memory`.
        fileprivate let places: Int
    }

    /// About how many bytes the lines in progress may take together.
    private static let memory = 128 << 20

    /// How many bytes a line may have.
    let lineLimit: Int
    /// The lines; the stream ends with the input.
    let lines: AsyncStream<Line>
    /// Why the input could not be read to its end; nil if it could.
    var failure: CommandError? { fault.withLock { $0 } }
    /// Whether all lines were handed out.
    var isAtEnd: Bool { hasEnded.load(ordering: .acquiring) }

    private let continuation: AsyncStream<Line>.Continuation
    private let descriptor: Int32
    private let limit: Int
    private let places = DispatchSemaphore(value: 0)
    private let fault = Mutex<CommandError?>(nil)
    private let hasEnded = Atomic(false)

    /// Makes an input, which reads nothing until `begin` is called.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor to read.
    ///   - limit: How many lines may be in progress at once.
    ///   - lineLimit: How many bytes a line may have.
    init(descriptor: Int32, atOnce limit: Int, lineLimit: Int) {
        self.descriptor = descriptor
        self.limit = limit
        self.lineLimit = lineLimit
        (lines, continuation) = AsyncStream.makeStream()
        for _ in 0..<limit { places.signal() }
    }

    /// Starts reading.
    func begin() {
        DispatchQueue(label: "apus.pipe.input").async { [self] in
            read()
            hasEnded.store(true, ordering: .releasing)
            continuation.finish()
        }
    }

    /// Makes room for other lines when a line is done.
    func release(_ line: Line) {
        for _ in 0..<line.places { places.signal() }
    }

    private func read() {
        var splitter = LineSplitter(limit: lineLimit)
        var number = 0
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { room.deallocate() }
        while true {
            let count = Glibc.read(descriptor, room.baseAddress, room.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = errno
                if count < 0 {
                    fault.withLock { $0 = CommandError("standard input: \(systemMessage(code))") }
                }
                return splitter.finish { hand(out: $0, &number) }
            }
            splitter.append(UnsafeRawBufferPointer(rebasing: room[..<count])) {
                hand(out: $0, &number)
            }
        }
    }

    private func hand(out bytes: [UInt8]?, _ number: inout Int) {
        number += 1
        // Blank lines are skipped.
        let isEmpty = bytes?.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } ?? false
        guard !isEmpty else { return }
        let share = Double(bytes?.count ?? 0) / Double(Self.memory)
        let line = Line(
            number: number,
            bytes: bytes,
            places: 1 + Int(min(1, share) * Double(limit - 1))
        )
        for _ in 0..<line.places { places.wait() }
        continuation.yield(line)
    }
}
