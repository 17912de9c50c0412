/// Whether this machine seems to have a way to other machines.
///
/// A guess that holds nothing back: a VPN, a bridge or a container may reach what
/// the routes do not tell of, so that no request is refused because of it.
public enum ReachabilityStatus: Sendable, Hashable {
    /// The system does not tell.
    case unknown
    /// No interface that is up has a default route; this machine still reaches itself.
    case offline
    /// These interfaces are up and have a default route.
    case online([NetworkInterface])
}
