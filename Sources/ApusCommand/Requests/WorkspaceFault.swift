/// Why something cannot be had from a workspace, in words for people.
struct WorkspaceFault: Error {
    /// All that is wrong, with the places in the files.
    let description: String
    /// The same in one line.
    let line: String
}
