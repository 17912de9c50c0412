import Foundation

/// Runs something beside a server on this machine that gives one response.
func withServer(answering text: String, _ body: (_ url: String) async throws -> Void) async throws {
    try await withServer(
        requests: 1,
        { _ in "Content-Length: \(text.utf8.count)\r\n\r\n\(text)" },
        { try await body("\($0)/users/ada") }
    )
}

/// Runs something beside a server on this machine.
///
/// - Parameters:
///   - requests: how many requests it takes, each on a connection of its own.
///   - respond: the fields and the body of the response to a request.
///   - body: what to run, with the URL of the server.
/// - Throws: what `body` throws, or that there is no port.
func withServer(
    requests: Int,
    _ respond: @escaping @Sendable (_ request: String) -> String,
    _ body: (_ url: String) async throws -> Void
) async throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(listener, address, length) == 0 && listen(listener, 8) == 0
                && getsockname(listener, address, &length) == 0
        }
    }
    guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
    Thread.detachNewThread {
        for _ in 0..<requests {
            let client = accept(listener, nil, nil)
            var request = [UInt8](repeating: 0, count: 8192)
            let count = max(0, read(client, &request, request.count))
            let text = respond(String(decoding: request[..<count], as: UTF8.self))
            let answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n\(text)"
            _ = Array(answer.utf8).withUnsafeBytes { write(client, $0.baseAddress, $0.count) }
            close(client)
        }
        close(listener)
    }
    try await body("http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
}
