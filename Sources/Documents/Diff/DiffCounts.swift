/// How many differences there are, by kind.
public struct DiffCounts: Equatable, Sendable {
    /// Values that only the right side has.
    public internal(set) var added = 0
    /// Values that only the left side has.
    public internal(set) var removed = 0
    /// Values that became others.
    public internal(set) var changed = 0
    /// Values that went to another place of their array.
    public internal(set) var moved = 0

    /// All of them.
    public var total: Int { added + removed + changed + moved }

    mutating func count(_ kind: Difference.Kind) {
        switch kind {
        case .added: added += 1
        case .removed: removed += 1
        case .changed: changed += 1
        case .moved: moved += 1
        }
    }
}
