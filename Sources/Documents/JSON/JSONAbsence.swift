/// Why there is no value where one was asked for, and where.
public struct JSONAbsence: Error, Sendable, Hashable {
    /// What was missing.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// A name was asked of something that is no object.
        case notAnObject
        /// A place was asked of something that is no array.
        case notAnArray
        /// The object has no member of this name.
        case noSuchMember
        /// The array has no element at this place.
        case indexOutOfRange
        /// No value in it matches the query; the query is the last step of the path.
        case nothingMatches
    }

    /// What was missing.
    public let reason: Reason
    /// The normalised path to the first value that is missing.
    ///
    /// It begins at the document's root; for a value that was built or changed, at the value that was
    /// asked.
    public let path: String
    /// The steps that were asked for behind it.
    public let furtherSteps: [PathStep]
}
