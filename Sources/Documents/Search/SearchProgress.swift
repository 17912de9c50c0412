/// How far a search is, and what it found.
package struct SearchProgress: Equatable, Sendable {
    /// The hits so far.
    package let hitCount: Int
    /// The bytes that were searched.
    package let searchedBytes: Int
    /// The bytes that there are so far.
    package let totalBytes: Int
    /// Whether everything was searched, and nothing more comes.
    package let isFinished: Bool
    /// Why a part of the text was passed over: a regular expression that took too long there.
    package let error: RegularExpressionError?
}
