/// Tells whether this machine seems to be online, now and whenever that changes.
///
/// It reads `/sys/class/net` and the routes in `/proc/net`, and is told of changes
/// by the kernel (rtnetlink). It only advises: see `ReachabilityStatus`.
///
/// ```swift
/// for await status in Reachability().changes { … }
/// ```
public struct Reachability: Sendable {
    private let table: NetworkTable
    private let notices: @Sendable () -> AsyncStream<Void>

    /// Looks at this machine; nothing is opened before `changes` is read.
    public init() {
        self.init(root: "", notices: NetworkNotices.stream)
    }

    /// Looks at a tree of files that is like the system's.
    ///
    /// - Parameters:
    ///   - root: The folder that `sys` and `proc` are in.
    ///   - notices: Something may have changed each time that it has an element.
    init(root: String, notices: @escaping @Sendable () -> AsyncStream<Void>) {
        table = NetworkTable(root: root)
        self.notices = notices
    }

    /// The status now; a few small files are read.
    public var status: ReachabilityStatus { table.status }

    /// The status now, and then each one that differs from the one before.
    ///
    /// It ends when its reader is cancelled. If the kernel does not tell of changes,
    /// there is only the first.
    public var changes: ReachabilityChanges {
        ReachabilityChanges(table: table, notices: notices)
    }
}

/// The status of the network, whenever it changes.
public struct ReachabilityChanges: AsyncSequence, Sendable {
    /// What a reader gets.
    public typealias Element = ReachabilityStatus
    /// It does not fail.
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

        /// The first status, or the next one that differs; nil when the task is cancelled.
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

    /// Begins; each reader is told on its own.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

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

extension ReachabilityStatus {
    /// Whether a request to this host may well get through: always to this machine
    /// itself, to others unless the machine seems to be offline.
    public func mayReach(_ host: String) -> Bool {
        self != .offline || Self.isLoopback(host)
    }

    /// What to set beside an error when the machine seems to be offline and that
    /// would explain it: "offline?"; nil otherwise.
    public func label(for error: ApusError) -> String? {
        let host: String? =
            switch error.reason {
            case .nameLookup(let host, _), .connect(let host, _, _): host
            case .timeout(.connecting, _): error.request?.host
            default: nil
            }
        guard let host, !mayReach(host) else { return nil }
        return "offline?"
    }

    /// `localhost`, the names under it (RFC 6761 section 6.3), 127.0.0.0/8 and ::1.
    private static func isLoopback(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if ["::1", "[::1]"].contains(name) { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { UInt8($0) != nil }
    }
}

extension ApusError.RequestLine {
    /// The host of the URL.
    fileprivate var host: String? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let place = authority.split(separator: "@").last ?? authority
        guard place.hasPrefix("[") else {
            return place.split(separator: ":").first.map(String.init)
        }
        return place.firstIndex(of: "]").map { String(place[...$0]) }
    }
}
