/// The program's exit statuses.
enum ExitStatus {
    /// Wrong usage, or input that cannot be read.
    static let usage: Int32 = 2
}
