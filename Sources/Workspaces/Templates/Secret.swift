/// A secret's value, or why there is none.
///
/// Nothing that prints it shows it.
struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    /// Where it comes from, in words.
    let origin: String
    /// The value; nil if it could not be read.
    let value: String?
    /// Why it could not be read.
    let fault: String?

    var description: String { "••••••" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
