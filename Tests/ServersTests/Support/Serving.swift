import HTTPServing

/// Serves while a test runs; `body` is given the port.
func serving<T: Sendable>(
    limits: HTTPServer.Limits = .init(),
    _ handle: @escaping HTTPServer.Handler,
    _ body: @escaping @Sendable (Int) async throws -> T
) async throws -> T {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    return try await withThrowingTaskGroup { group in
        group.addTask {
            // Else a server that cannot listen would be waited for.
            defer { port.finish() }
            try await HTTPServer(port: 0, limits: limits, handle: handle).run {
                port.yield($0.port)
            }
        }
        var listening = ports.makeAsyncIterator()
        guard let port = await listening.next() else {
            try await group.waitForAll()
            throw CancellationError()
        }
        defer { group.cancelAll() }
        return try await body(port)
    }
}

extension HTTPServer.Limits {
    /// A client that sends no more is soon taken for one that is gone.
    static let impatient = limits { $0.halfClosed = .milliseconds(20) }

    /// The usual limits but for some.
    static func limits(_ change: (inout Self) -> Void) -> Self {
        var limits = Self()
        change(&limits)
        return limits
    }
}

/// Waits until the task is cancelled.
func untilCancelled() async {
    let (nothing, source) = AsyncStream.makeStream(of: Never.self)
    for await _ in nothing {}
    withExtendedLifetime(source) {}
}
