import Glibc
import TestSupport

/// A server on a Unix socket that gives every request the same response.
final class UnixServer: Sendable {
    let path: String
    private let listener: Int32

    init(path: String, body: String) throws {
        self.path = path
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(listener, 8) == 0 else { throw RawServer.Failure(errno: errno) }
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        RawServer.onThread { [listener] in
            while true {
                let peer = RawServer.accept(from: listener)
                guard peer >= 0 else {
                    close(listener)
                    return
                }
                var chunk = [UInt8](repeating: 0, count: 1 << 12)
                _ = recv(peer, &chunk, chunk.count, 0)
                _ = Array(answer.utf8).withUnsafeBytes {
                    send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                close(peer)
            }
        }
    }

    deinit {
        // The thread closes it, when no `accept` can follow any more.
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
    }
}
