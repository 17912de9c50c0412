/// One difference between two documents.
public struct Difference: Equatable, Sendable {
    /// What happened.
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// The right side has a value that the left one lacks.
        case added
        /// The left side has a value that the right one lacks.
        case removed
        /// A value became another one.
        case changed
        /// A value went to another place of its array.
        case moved
    }

    static let nothing = UInt32.max

    /// What happened.
    public let kind: Kind
    // Numbers of 32 bits: two documents without anything in common have millions of these.
    private let leftNumber: UInt32
    private let rightNumber: UInt32

    init(_ kind: Kind, left: UInt32, right: UInt32) {
        self.kind = kind
        leftNumber = left
        rightNumber = right
    }

    /// The value in the left document; nil for what was added.
    public var left: NodeIndex? { Self.node(leftNumber) }

    /// The value in the right document; nil for what was removed.
    public var right: NodeIndex? { Self.node(rightNumber) }

    private static func node(_ number: UInt32) -> NodeIndex? {
        number == nothing ? nil : NodeIndex(Int(number))
    }
}
