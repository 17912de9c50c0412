/// What `DocumentDecoder.decodeLeniently` forgives beyond coercions.
public struct Lenience: Sendable, Equatable {
    /// What becomes of a member that is missing or null.
    public enum MissingValues: Sendable {
        /// An error, as when decoding strictly.
        case `throw`
        /// Its type's `decodingDefault`; an object of a type without one is made of the defaults
        /// of its members.
        case typeDefault
    }

    /// What becomes of an array's element or a dictionary's value that cannot be decoded.
    public enum UndecodableElements: Sendable {
        /// An error, as when decoding strictly.
        case `throw`
        /// It is left out.
        case skip
    }

    /// What becomes of members that are missing or null.
    public var missingValues: MissingValues
    /// What becomes of elements that cannot be decoded.
    public var undecodableElements: UndecodableElements

    /// Forgives nothing unless told so.
    public init(
        missingValues: MissingValues = .throw,
        undecodableElements: UndecodableElements = .throw
    ) {
        self.missingValues = missingValues
        self.undecodableElements = undecodableElements
    }
}
