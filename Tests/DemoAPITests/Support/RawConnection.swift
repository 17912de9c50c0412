import Glibc

/// A blocking connection to a server on the loopback address that speaks HTTP/1.1 by hand.
final class RawConnection {
    private let socket: Int32
    private var received: [UInt8] = []

    struct Failure: Error {
        let call: String
        let code: Int32
    }

    /// The connection was closed in the middle of a head.
    struct Closed: Error {}

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Failure(call: "socket", code: errno) }
        // A server that never answers fails the test instead of hanging it. Tests that wait for a
        // program take Swift's few threads from the server: on a busy machine for more than a minute.
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let socket = self.socket
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            throw Failure(call: "connect", code: code)
        }
    }

    deinit {
        close(socket)
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(call: "send", code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    func send(
        _ method: String,
        _ target: String,
        _ fields: [String] = [],
        body: [UInt8]? = nil
    ) throws {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: demo.test"] + fields
        if let body { lines.append("Content-Length: \(body.count)") }
        try send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? []))
    }

    /// The next line without its end.
    @discardableResult
    func line() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let bytes = received[..<end]
                received.removeFirst(end + 1)
                return String(decoding: bytes.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            }
            guard try receive() else { throw Closed() }
        }
    }

    /// So many bytes, or fewer when the connection ends before.
    func bytes(_ count: Int) throws -> [UInt8] {
        while received.count < count, try receive() {}
        let found = Array(received.prefix(count))
        received.removeFirst(found.count)
        return found
    }

    /// True when the server has closed the connection and nothing is left to read.
    func isAtEnd() throws -> Bool {
        try received.isEmpty && !receive()
    }

    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        if count < 0, errno == ECONNRESET { return false }
        guard count >= 0 else { throw Failure(call: "recv", code: errno) }
        received += buffer.prefix(count)
        return count > 0
    }
}

extension RawConnection {
    func response(to method: String = "GET") throws -> RawResponse {
        var response = try head()
        if method == "HEAD" || [204, 304].contains(response.status) {
            response.isComplete = true
        } else if let length = response["Content-Length"].flatMap({ Int($0) }) {
            response.body = try bytes(length)
            response.isComplete = response.body.count == length
        } else if response["Transfer-Encoding"] == "chunked" {
            try readChunks(into: &response)
        }
        return response
    }

    @discardableResult
    func head() throws -> RawResponse {
        var response = RawResponse()
        response.status = Int(try line().split(separator: " ").dropFirst().first ?? "") ?? 0
        while case let line = try line(), !line.isEmpty {
            let words = line.split(separator: ":", maxSplits: 1)
            let value = words.last?.drop(while: \.isWhitespace) ?? ""
            response.fields.append((String(words[0]), String(value)))
        }
        return response
    }

    private func readChunks(into response: inout RawResponse) throws {
        while let size = Int(try line(), radix: 16) {
            let chunk = try bytes(size)
            response.body += chunk
            guard chunk.count == size else { return }
            _ = try line()
            if size == 0 {
                response.isComplete = true
                return
            }
        }
    }
}
