/// An interface of this machine to a network.
public struct NetworkInterface: Sendable, Hashable {
    /// What it is joined to.
    public enum Medium: String, Sendable, Hashable {
        /// A wire, or what behaves like one.
        case wired
        /// A wireless network.
        case wireless
        /// A tunnel, such as a VPN's.
        case tunnel
    }

    /// Its name: `eth0`.
    public let name: String
    /// What it is joined to.
    public let medium: Medium
}
