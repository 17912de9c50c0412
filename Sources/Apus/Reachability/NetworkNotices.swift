import Glibc

/// Receives the kernel's notices that links, addresses or routes have changed.
enum NetworkNotices {
    /// `struct sockaddr_nl` of <linux/netlink.h>, which Glibc's module leaves out.
    private struct Address {
        var family: UInt16 = 16
        var padding: UInt16 = 0
        var port: UInt32 = 0
        var groups: UInt32
    }

    /// RTMGRP_LINK, IPV4_IFADDR, IPV4_ROUTE, IPV6_IFADDR and IPV6_ROUTE.
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

    /// An element for each burst of notices; at most one waits to be read.
    ///
    /// It ends at once if the kernel does not provide notices, as in some sandboxes.
    @Sendable static func stream() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            guard let socket = open(), let (reading, writing) = pair() else {
                return continuation.finish()
            }
            continuation.onTermination = { _ in close(writing) }
            var thread = pthread_t()
            let failure = DetachedThread.begin(&thread, named: "apus-network") {
                watch(socket, until: reading) { continuation.yield() }
                close(socket)
                close(reading)
            }
            guard failure == 0 else {
                close(socket)
                close(reading)
                return continuation.finish()
            }
        }
    }

    private static func open() -> Int32? {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(AF_NETLINK, type, 0)
        guard socket >= 0 else { return nil }
        var address = Address(groups: groups)
        let size = socklen_t(MemoryLayout<Address>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
        }
        guard result == 0 else {
            close(socket)
            return nil
        }
        return socket
    }

    private static func pair() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        return socketpair(AF_UNIX, type, 0, &ends) == 0 ? (ends[0], ends[1]) : nil
    }

    /// Reads notices until the other end of the socket pair is closed.
    private static func watch(_ socket: Int32, until end: Int32, _ tell: () -> Void) {
        var waits = [
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
            pollfd(fd: end, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 8192)
        while true {
            let count = poll(&waits, 2, -1)
            if count < 0, errno == EINTR { continue }
            guard count > 0, waits[1].revents == 0 else { return }
            let received = recv(socket, &buffer, buffer.count, 0)
            // ENOBUFS means that notices were lost, which is a change too.
            guard received > 0 || errno == ENOBUFS || errno == EINTR else { return }
            tell()
        }
    }
}
