import Dispatch
import Glibc
import Synchronization

/// The lines of a descriptor, read on a thread of its own while earlier ones are worked on.
///
/// No more lines are handed out than may be in work at once: reading goes on when `release` says
/// that one is done.
final class PipeInput: Sendable {
    /// A line, without its end.
    struct Line: Sendable {
        /// Its number, from 1.
        let number: Int
        let bytes: [UInt8]
    }

    /// The lines; it ends with the input.
    let lines: AsyncStream<Line>
    /// Why the input could not be read to its end.
    var failure: CommandFailure? { fault.withLock { $0 } }

    private let continuation: AsyncStream<Line>.Continuation
    private let descriptor: Int32
    private let places = DispatchSemaphore(value: 0)
    private let fault = Mutex<CommandFailure?>(nil)

    /// Begins to read when `begin` is called.
    init(descriptor: Int32, atOnce limit: Int) {
        self.descriptor = descriptor
        (lines, continuation) = AsyncStream.makeStream()
        for _ in 0..<limit { places.signal() }
    }

    /// Starts the thread.
    func begin() {
        DispatchQueue(label: "apus.pipe.input").async { [self] in
            read()
            continuation.finish()
        }
    }

    /// Says that a line is done.
    func release() { places.signal() }

    /// Hands out no more lines; the thread ends with the process.
    func stop() { continuation.finish() }

    private func read() {
        var splitter = LineSplitter()
        var number = 0
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { room.deallocate() }
        while true {
            let count = Glibc.read(descriptor, room.baseAddress, room.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = errno
                if count < 0 {
                    fault.withLock { $0 = CommandFailure("standard input: \(systemMessage(code))") }
                }
                return splitter.finish { hand(out: $0, &number) }
            }
            splitter.take(UnsafeRawBufferPointer(rebasing: room[..<count])) {
                hand(out: $0, &number)
            }
        }
    }

    private func hand(out bytes: [UInt8], _ number: inout Int) {
        number += 1
        // An empty line asks for nothing.
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
        places.wait()
        continuation.yield(Line(number: number, bytes: bytes))
    }
}
