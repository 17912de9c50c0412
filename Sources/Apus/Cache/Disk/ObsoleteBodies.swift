/// Files of bodies that a transaction leaves without an entry.
///
/// They go when it is committed: were it rolled back, or the process killed, their entries
/// would still refer to them.
final class ObsoleteBodies {
    private(set) var digests: Set<String> = []

    func add(_ digest: String) { digests.insert(digest) }
}
