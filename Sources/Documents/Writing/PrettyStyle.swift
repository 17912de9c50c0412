/// How a pretty text is laid out.
public struct PrettyStyle: Sendable, Hashable {
    /// What stands before a value for each container that it lies in.
    public enum Indentation: Sendable, Hashable {
        /// So many spaces, from 1 to 8.
        case spaces(Int)
        /// One tab.
        case tab
    }

    /// What stands before a value for each container that it lies in.
    public let indentation: Indentation
    /// An array of scalars that is not longer than this, in bytes, stays on one line; 0 for none.
    public let lineWidth: Int

    /// Describes a layout; a number of spaces is brought into 1 to 8.
    public init(indentation: Indentation = .spaces(2), lineWidth: Int = 0) {
        self.lineWidth = max(0, lineWidth)
        guard case .spaces(let count) = indentation else {
            self.indentation = indentation
            return
        }
        self.indentation = .spaces(min(max(count, 1), 8))
    }

    var unit: [UInt8] {
        switch indentation {
        case .spaces(let count): Array(repeating: 0x20, count: count)
        case .tab: [0x09]
        }
    }
}
