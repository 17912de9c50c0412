/// Where one segment of a query stands among the values below its input value.
struct SegmentState {
    /// What the children ahead are tested for.
    enum Mode {
        case everything
        case named
        case filtered
        /// Those of a slice with a step above zero.
        case stepping
        /// Those of a slice with a step under zero, which were looked up before.
        case listed
    }

    /// The value whose children are selected now.
    var container: Int
    /// Where the values end whose children are selected; behind the first one in a child segment.
    let scopeEnd: Int
    /// The selector that comes next.
    var selector = 0
    /// The child that comes next.
    var at = 0
    /// Where the children end.
    var end = 0
    var mode = Mode.everything
    /// The first child with values in it, when the descendants of a name are looked for.
    var inner: Int?
    /// In a slice: how many children to go past after each one, and how many are left.
    var skipped = 0
    var left = 0
    /// In a backward slice: its elements in the order of the array; the last one left comes next.
    var listed: [Int] = []

    /// Before anything is selected of the children of the first container.
    init(container: Int, scopeEnd: Int) {
        self.container = container
        self.scopeEnd = scopeEnd
    }
}
