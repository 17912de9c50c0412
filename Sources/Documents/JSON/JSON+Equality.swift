extension JSON: Hashable {
    /// Whether two values are equal: numbers by their exact decimal value, strings by code points,
    /// objects whatever the order of their members.
    ///
    /// A missing value equals only missing values, and one that is not complete only itself. Takes
    /// the time to write both in their canonical form, unless they are the same part of a document.
    public static func == (lhs: JSON, rhs: JSON) -> Bool {
        if lhs.isMissing || rhs.isMissing { return lhs.isMissing && rhs.isMissing }
        if lhs.isSame(as: rhs) { return true }
        guard lhs.shape == rhs.shape, lhs.count == rhs.count else { return false }
        guard let left = lhs.canonicalBytes else { return false }
        return left == rhs.canonicalBytes
    }

    /// Feeds the canonical form, which equal values share.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(isMissing)
        hasher.combine(isMissing ? nil : canonicalBytes)
    }

    private func isSame(as other: JSON) -> Bool {
        if let source, let theirs = other.source {
            return source.document === theirs.document && source.node == theirs.node
        }
        if let branch, let theirs = other.branch { return branch === theirs }
        return false
    }

    /// The kind, the two of numbers as one.
    private var shape: ValueKind? { kind == .decimal ? .integer : kind }

    private var canonicalBytes: [UInt8]? { try? bytes(.canonical(.lossless)) }
}
