import Documents

/// Why a line of the input is no request.
struct PipeFault: Error {
    /// What is wrong.
    let message: String
    /// Where in the line, counted from 1 in characters; nil when it is about the whole.
    let column: Int?

    init(_ message: String, column: Int? = nil) {
        self.message = message
        self.column = column
    }
}
