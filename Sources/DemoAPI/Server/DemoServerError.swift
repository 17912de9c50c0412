/// Why the demo server did not start.
package enum DemoServerError: Error, Sendable, Equatable, CustomStringConvertible {
    case portInUse(UInt16)
    case portNotPermitted(UInt16)
    case alreadyStarted
    case failed(reason: String)

    package var description: String {
        switch self {
        case .portInUse(let port):
            "Port \(port) is in use by another program. Choose another with --port, or 0 for any free one."
        case .portNotPermitted(let port):
            "Port \(port) may not be opened by this user. Choose one above 1023."
        case .alreadyStarted: "The demo server is running already."
        case .failed(let reason): "The demo server could not start: \(reason)"
        }
    }
}
