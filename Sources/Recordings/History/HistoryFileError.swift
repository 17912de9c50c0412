/// Why a history's file, or something in it, cannot be used.
enum HistoryFileError: Error, Hashable, CustomStringConvertible {
    /// The file is damaged: its header or its tables are what no history has.
    case damagedFile(String)
    /// A stored value is one that this program never writes.
    case damagedValue(String)
    /// It is empty or has a rollback journal: another process may be creating it.
    case unsettled
    /// It belongs to another program or another version.
    case foreign(String)

    var description: String {
        switch self {
        case .damagedFile(let detail), .damagedValue(let detail), .foreign(let detail): detail
        case .unsettled: "another program is creating it"
        }
    }

    var isDamagedFile: Bool { if case .damagedFile = self { true } else { false } }
    var isDamagedValue: Bool { if case .damagedValue = self { true } else { false } }
    var isForeign: Bool { if case .foreign = self { true } else { false } }
}
