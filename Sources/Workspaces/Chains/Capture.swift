package import Apus

/// A value of an answer, and the variable that it becomes.
package struct Capture: Sendable, Hashable {
    /// The variable.
    package let name: String
    /// Where the value is.
    package let path: CapturePath
}
