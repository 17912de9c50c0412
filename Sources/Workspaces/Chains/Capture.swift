/// A value of an answer, and the variable that it becomes.
package struct Capture: Sendable, Hashable {
    /// The variable.
    package let name: String
    /// Where the value is.
    package let path: CapturePath
}

/// A value that an answer should have had.
package struct CaptureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The variable.
    package let name: String
    /// Where the value was looked for.
    package let path: CapturePath

    package var description: String { "the answer has nothing at \(path) for `\(name)`" }
}

/// An answer, as far as captures read it.
package protocol CaptureSource {
    /// The status.
    var status: Int { get }
    /// A header field's value; names do not mind case.
    func headerField(_ name: String) -> String?
    /// The value in a JSON body that these steps lead to; nil if there is none.
    func bodyValue(at steps: [CapturePath.Step]) -> Value?
}
