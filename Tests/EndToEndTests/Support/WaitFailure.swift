/// What was waited for did not come: says so with the whole screen.
struct WaitFailure: Error, CustomStringConvertible {
    var wanted: String
    var limit: Duration
    var program: String
    var endStatus: EndStatus?
    var rows: Int
    var columns: Int
    var screen: [String]

    var description: String {
        let state = endStatus.map { "it has ended: \($0)" } ?? "it still runs"
        let edge = "+" + String(repeating: "-", count: columns) + "+"
        // The test runner prints nothing that stands behind a zero byte.
        let lines = screen.map { "|\($0.replacing("\0", with: "␀"))" }
        return """
            waited \(limit) for \(wanted); \(state)
            \(program), \(columns)x\(rows):
            \(([edge] + lines + [edge]).joined(separator: "\n"))
            """
    }
}

/// The pseudo-terminal or the process could not be had.
struct NoTerminal: Error {
    var errno: Int32
}
