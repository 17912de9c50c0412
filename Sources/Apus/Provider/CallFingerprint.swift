/// What makes two calls to the server the same: everything that is sent, how it
/// travels, where the answer goes and which statuses are one.
struct CallFingerprint: Hashable, Sendable {
    let request: PreparedRequest
    let validation: Validation
}
