/// What is to be compared next, or to be put into the aligned order as it is.
struct DiffStep {
    enum Kind: UInt8 {
        /// Both sides are there.
        case pair
        /// Only one side, for good.
        case single
        /// One side of a value that went to another place; `left` and `right` are both known.
        case movedFrom
        case movedTo
        /// One side of something that is not compared.
        case ignored
        /// All that lies in the pair has been compared.
        case close
    }

    static let nothing = Difference.nothing

    let kind: Kind
    let left: UInt32
    let right: UInt32

    init(_ kind: Kind, left: Int? = nil, right: Int? = nil) {
        self.kind = kind
        self.left = left.map(UInt32.init) ?? Self.nothing
        self.right = right.map(UInt32.init) ?? Self.nothing
    }
}
