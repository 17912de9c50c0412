import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import HTTPServing

/// On a clock of its own: what a limit lets through must not hang on how busy the machine is.
@Suite("the time that a client has")
struct ConnectionTimerTests {
    private let channel = EmbeddedChannel()
    private let timer: ConnectionTimer

    init() throws {
        timer = ConnectionTimer(
            channel,
            .limits { limits in
                limits.head = .seconds(60)
                limits.body = .seconds(30)
                limits.halfClosed = .seconds(5)
            }
        )
        try channel.pipeline.syncOperations.addHandler(timer)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    }

    /// Whether the connection is open after some more seconds.
    private func isOpen(after seconds: Int64) -> Bool {
        channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
        return channel.isActive
    }

    private func endInput() {
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    @Test("a head has its time from the begin, and from the response before it")
    func head() {
        timer.awaitHead()
        #expect(isOpen(after: 59))
        timer.beginResponse()
        #expect(isOpen(after: 10_000))
        timer.awaitHead()
        #expect(isOpen(after: 59))
        #expect(!isOpen(after: 2))
    }

    @Test("a body may take any time, but not pause for long; then a refusal is sent once")
    func body() throws {
        let refusals = Mutex(0)
        timer.awaitHead()
        timer.beginResponse { refusals.withLock { $0 += 1 } }
        for _ in 1...100 {
            timer.awaitBody()
            #expect(isOpen(after: 29))
            timer.endBodyWait(received: 1)
        }
        // While the handler does something else than read.
        #expect(isOpen(after: 10_000))
        timer.awaitBody()
        #expect(refusals.withLock(\.self) == 0)
        #expect(!isOpen(after: 31))
        #expect(refusals.withLock(\.self) == 1)
    }

    @Test("how long a client keeps the server waiting does not shrink by single bytes, but by many")
    func wait() throws {
        timer.awaitHead()
        #expect(isOpen(after: 20))
        #expect(timer.wait == .seconds(20))
        timer.beginResponse()
        #expect(timer.wait == nil)
        for seconds in 1...10 {
            timer.awaitBody()
            #expect(isOpen(after: 1))
            #expect(timer.wait.map { $0 > .milliseconds(seconds * 990) } == true)
            timer.endBodyWait(received: 1)
            #expect(timer.wait == nil)
        }
        timer.awaitBody()
        timer.endBodyWait(received: 1 << 20)
        timer.awaitBody()
        #expect(timer.wait == .zero)
        timer.endBodyWait(received: 1)
        timer.awaitHead()
        #expect(timer.wait == .zero)
    }

    @Test("a stream goes on for a client that sends no more, as long as there are pieces")
    func halfClosed() throws {
        timer.awaitHead()
        timer.beginResponse()
        endInput()
        for _ in 1...100 {
            #expect(isOpen(after: 4))
            try channel.writeOutbound(ByteBuffer(string: "a"))
        }
        #expect(!isOpen(after: 6))
    }

    @Test("a request that comes behind the end of the input has the time of one that sends no more")
    func responseBehindTheEnd() {
        timer.awaitHead()
        endInput()
        #expect(isOpen(after: 30))
        timer.beginResponse()
        #expect(isOpen(after: 4))
        #expect(!isOpen(after: 2))
    }

    @Test("a client that has not yet taken what is written for it reads slowly, and is not gone")
    func slowReader() throws {
        timer.awaitHead()
        timer.beginResponse()
        endInput()
        channel.write(ByteBuffer(string: "abc"), promise: nil)
        #expect(isOpen(after: 10_000))
        channel.flush()
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "abc"))
        #expect(!isOpen(after: 10))
    }

    @Test("one that is to end does not stay for what is written")
    func end() {
        timer.awaitHead()
        timer.beginResponse()
        channel.write(ByteBuffer(string: "abc"), promise: nil)
        timer.end(in: .seconds(7))
        #expect(isOpen(after: 6))
        #expect(!isOpen(after: 2))
    }
}
