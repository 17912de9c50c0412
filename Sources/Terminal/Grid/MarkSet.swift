/// The combining marks of a cell: at most 4, because ncurses holds 5 scalars.
///
/// Layout of `cn_marks`.
struct MarkSet: Hashable, Sendable {
    private(set) var count: UInt32 = 0
    private var first: UInt32 = 0
    private var second: UInt32 = 0
    private var third: UInt32 = 0
    private var fourth: UInt32 = 0

    var scalars: [UInt32] { Array([first, second, third, fourth].prefix(Int(count))) }

    mutating func append(_ mark: UInt32) {
        switch count {
        case 0: first = mark
        case 1: second = mark
        case 2: third = mark
        case 3: fourth = mark
        default: return
        }
        count += 1
    }
}
