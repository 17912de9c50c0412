/// Runs work with a time limit.
enum Timeout {
    private enum First<Value: Sendable>: Sendable {
        case value(Value)
        case alarm(isReal: Bool)
    }

    /// Runs work and cancels it after the limit; the value it then returns is still used.
    ///
    /// - Returns: The value, and whether the limit was reached first.
    static func run<Value: Sendable>(
        _ limit: Duration?,
        _ clock: any Clock<Duration>,
        _ work: @escaping @Sendable () async -> Value
    ) async -> (value: Value, didTimeOut: Bool) {
        guard let limit else { return (await work(), false) }
        return await withTaskGroup(of: First<Value>.self) { group in
            group.addTask { .value(await work()) }
            group.addTask {
                do {
                    try await clock.sleep(for: limit)
                    return .alarm(isReal: true)
                } catch {
                    return .alarm(isReal: false)
                }
            }
            var didTimeOut = false
            while let first = await group.next() {
                switch first {
                case .value(let value):
                    group.cancelAll()
                    return (value, didTimeOut)
                case .alarm(let isReal):
                    didTimeOut = isReal
                    if isReal { group.cancelAll() }
                }
            }
            preconditionFailure("the group has one task that returns a value")
        }
    }
}
