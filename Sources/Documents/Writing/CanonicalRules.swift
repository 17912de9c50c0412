/// What a canonical text does with what RFC 8785 cannot express.
public enum CanonicalRules: Sendable, Hashable {
    /// RFC 8785 exactly: numbers are doubles, and what it cannot express is refused.
    ///
    /// Refused are numbers beyond a double's range, halves of surrogate pairs and equal keys.
    case strict
    /// The same form, but nothing is lost or refused.
    ///
    /// A number is written by its exact decimal value, so that 1.0 and 1 are equal and two integers
    /// that share a double are not. Equal keys keep their order, and half a pair its escape. Where
    /// RFC 8785 has a form and a double holds the number's digits, it is that form.
    case lossless
}
