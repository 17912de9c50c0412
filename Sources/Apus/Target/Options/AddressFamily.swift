/// Which kind of address is connected to.
public enum AddressFamily: String, Sendable, Hashable, CaseIterable {
    /// Whichever answers first.
    case any
    /// IPv4 only.
    case ipv4
    /// IPv6 only.
    case ipv6
}
