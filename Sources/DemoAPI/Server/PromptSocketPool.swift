import FlyingSocks
import Glibc

/// FlyingFox's own pool, with Nagle's algorithm off.
///
/// FlyingFox writes the head and the body of an answer apart. With Nagle's algorithm on a
/// kept-alive connection the body then waits 40 ms for the client's delayed acknowledgement.
/// The listening socket is only reachable here; on Linux the sockets that it accepts inherit
/// the option.
struct PromptSocketPool<Base: AsyncSocketPool>: AsyncSocketPool {
    private let base: Base

    init(_ base: Base) {
        self.base = base
    }

    func prepare() async throws {
        try await base.prepare()
    }

    func run() async throws {
        try await base.run()
    }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        if events == .connection {
            try socket.setValue(
                true,
                for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY)
            )
        }
        try await base.suspendSocket(socket, untilReadyFor: events)
    }
}
