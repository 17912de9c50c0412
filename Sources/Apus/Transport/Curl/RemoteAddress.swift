import Glibc

/// The address that answered, as people write it: made anew only when it changes.
final class RemoteAddress {
    /// More than any address has.
    private static let room = 64

    private let known: UnsafeMutablePointer<CChar>
    private var knownPort = 0
    private var text = ""

    init() {
        known = .allocate(capacity: Self.room)
        known.initialize(repeating: 0, count: Self.room)
    }

    deinit { known.deallocate() }

    /// `192.0.2.1:80`, or `[2001:db8::1]:80`.
    func text(_ address: UnsafePointer<CChar>, port: Int) -> String {
        if port == knownPort, strcmp(address, known) == 0 { return text }
        strncpy(known, address, Self.room - 1)
        knownPort = port
        let isVersion6 = strchr(address, Int32(UInt8(ascii: ":"))) != nil
        let host = String(cString: address)
        text = isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)"
        return text
    }
}
