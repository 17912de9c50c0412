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
