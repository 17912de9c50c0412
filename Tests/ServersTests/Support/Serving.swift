import Servers

/// Serves while a test runs; `body` is given the port.
func serving<T: Sendable>(
    _ handle: @escaping HTTPServer.Handler,
    _ body: @escaping @Sendable (Int) async throws -> T
) async throws -> T {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    return try await withThrowingTaskGroup { group in
        group.addTask {
            try await HTTPServer(port: 0, handle: handle).run { url in
                port.yield(Int(url.split(separator: ":").last ?? "") ?? 0)
            }
        }
        var listening = ports.makeAsyncIterator()
        let port = await listening.next() ?? 0
        defer { group.cancelAll() }
        return try await body(port)
    }
}
