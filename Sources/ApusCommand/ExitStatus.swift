/// The program's exit statuses.
enum ExitStatus {
    /// What was asked for is not so: no match, a difference.
    static let negative: Int32 = 1
    /// Wrong usage, or input that cannot be read.
    static let usage: Int32 = 2
}
