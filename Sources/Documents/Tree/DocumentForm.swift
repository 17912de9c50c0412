/// How many values a text is made of.
public enum DocumentForm: Sendable {
    /// One value, as RFC 8259 wants.
    case value
    /// Any number of values: newline-delimited, behind record separators (RFC 7464), or one right
    /// after the other.
    ///
    /// They are the elements of one array without brackets, which spans the text.
    case sequence
}
