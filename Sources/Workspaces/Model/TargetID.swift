/// Names a target by its groups and its name: `Users/Show user`.
package struct TargetID: Sendable, Hashable, CustomStringConvertible {
    /// The names, joined by `/`.
    package let rawValue: String

    /// Makes an id.
    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The target's own name, without its groups.
    package var name: String {
        rawValue.lastIndex(of: "/").map { String(rawValue[rawValue.index(after: $0)...]) }
            ?? rawValue
    }

    package var description: String { rawValue }
}
