import Glibc

/// A connection to the loopback listener, from accept to one answer.
///
/// It belongs to the listener's thread.
final class LoopbackPeer {
    enum Progress {
        /// The request is not there yet.
        case more
        /// There will be none that counts.
        case gone
        /// A GET for this target.
        case request(String)
    }

    private static let maximumHeadSize = 16 << 10

    let descriptor: Int32
    private var head: [UInt8] = []

    init?(accepting listener: Int32) {
        descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads what is there.
    func read() -> Progress {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return .more }
        guard count > 0, head.count < Self.maximumHeadSize else { return .gone }
        head += chunk[..<count]
        // The whole header: an answer that comes earlier could be lost to a reset.
        guard let end = head.firstIndex(of: UInt8(ascii: "\r")), isHeadComplete else {
            return .more
        }
        let words = String(decoding: head[..<end], as: UTF8.self).split(separator: " ")
        return words.count == 3 && words[0] == "GET" ? .request(String(words[1])) : .gone
    }

    private var isHeadComplete: Bool { head.suffix(4) == [13, 10, 13, 10] }

    /// Sends a page and ends the connection.
    func answer(_ status: String, _ text: String) {
        let page = "<!doctype html><meta charset=\"utf-8\"><title>Apus</title><p>\(text)</p>\n"
        let answer =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\n"
            + "Content-Length: \(page.utf8.count)\r\nCache-Control: no-store\r\n"
            + "Connection: close\r\n\r\n\(page)"
        // Lost if the browser has gone: the redirect counts all the same.
        _ = Array(answer.utf8).withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        shutdown(descriptor, Int32(SHUT_WR))
    }
}
