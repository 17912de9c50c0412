import Documents

/// Reports whether this machine seems to be online, now and whenever that changes.
///
/// It reads `/sys/class/net` and the routes in `/proc/net`, and receives changes from the kernel
/// (rtnetlink). The result is only a hint; see `ReachabilityStatus`.
///
/// ```swift
/// for await status in Reachability().changes { … }
/// ```
public struct Reachability: Sendable {
    private let table: NetworkTable
    private let notices: @Sendable () -> AsyncStream<Void>

    /// Observes this machine; nothing is opened until `changes` is read.
    public init() {
        self.init(root: "", notices: NetworkNotices.stream)
    }

    /// Observes a folder laid out like the system's root.
    ///
    /// - Parameters:
    ///   - root: The folder that contains `sys` and `proc`.
    ///   - notices: A stream with an element each time something may have changed.
    init(root: String, notices: @escaping @Sendable () -> AsyncStream<Void>) {
        table = NetworkTable(root: root)
        self.notices = notices
    }

    /// The current status; reads a few small files.
    public var status: ReachabilityStatus { table.status }

    /// The current status, and then each status that differs from the previous one.
    ///
    /// It ends when its reader is cancelled. If the kernel does not report changes, there is only the first
    /// element.
    public var changes: ReachabilityChanges {
        ReachabilityChanges(table: table, notices: notices)
    }
}

/// The status of the network whenever it changes.
public struct ReachabilityChanges: AsyncSequence, Sendable {
    /// The status after a change.
    public typealias Element = ReachabilityStatus
    /// Never fails.
    public typealias Failure = Never

    let table: NetworkTable
    let notices: @Sendable () -> AsyncStream<Void>

    /// Reads the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let table: NetworkTable
        private var notices: AsyncStream<Void>.Iterator
        private var last: ReachabilityStatus?

        init(_ changes: ReachabilityChanges) {
            table = changes.table
            notices = changes.notices().makeAsyncIterator()
        }

        /// The first status, or the next one that differs; nil when the task is cancelled or there are no
        /// more notices.
        public mutating func next() async -> ReachabilityStatus? {
            while true {
                let now = table.status
                if now != last {
                    last = now
                    return now
                }
                guard await notices.next(isolation: #isolation) != nil else { return nil }
            }
        }
    }

    /// Makes an independent iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

/// Whether this machine seems to be able to reach others.
///
/// This is a guess, and no request is rejected because of it: a VPN, a bridge or a container may reach
/// hosts that the routes do not show.
public enum ReachabilityStatus: Sendable, Hashable {
    /// The system provides no information.
    case unknown
    /// No interface that is up has a default route; the machine can still reach itself.
    case offline
    /// These interfaces are up and have a default route.
    case online([NetworkInterface])
}

extension ReachabilityStatus {
    /// Whether a request to a host may succeed: always true for this machine itself, and for others unless
    /// the machine seems to be offline.
    public func mayReach(_ host: String) -> Bool {
        self != .offline || Self.isLoopback(host)
    }

    /// A label for an error that is explained by the machine seeming to be offline: "offline?"; nil otherwise.
    public func label(for error: ApusError) -> String? {
        let host: String? =
            switch error.reason {
            case .nameLookup(let host, _), .connect(let host, _, _): host
            case .timeout(let phase, _) where phase.isConnecting:
                error.request.flatMap { Authority(ofURL: $0.url)?.host }
            default: nil
            }
        guard let host, !mayReach(host) else { return nil }
        return "offline?"
    }

    /// Whether a host is `localhost`, a name under it (RFC 6761, section 6.3), in 127.0.0.0/8, or ::1.
    static func isLoopback(_ host: String) -> Bool {
        var name = host.asciiLowercased
        if name.hasSuffix(".") { name.removeLast() }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if ["::1", "[::1]"].contains(name) { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { UInt8($0) != nil }
    }
}
