// What Foundation shows of these errors, `localizedDescription`, is what they say themselves.

public import FoundationEssentials

extension DocumentError: LocalizedError {
    /// One sentence for people; also returned by `localizedDescription`.
    public var errorDescription: String? { description.asSentence }
}

extension DocumentFault: LocalizedError {
    /// One sentence for people; also returned by `localizedDescription`.
    public var errorDescription: String? { description.asSentence }
}

extension DocumentWritingError: LocalizedError {
    /// One sentence for people; also returned by `localizedDescription`.
    public var errorDescription: String? { description.asSentence }
}

extension FormattingError: LocalizedError {
    /// One sentence for people; also returned by `localizedDescription`.
    public var errorDescription: String? { description.asSentence }
}

extension JSONPatchError: LocalizedError {
    /// One sentence for people; also returned by `localizedDescription`.
    public var errorDescription: String? { description.asSentence }
}

extension JSONPathError: LocalizedError {
    /// The column and one sentence for people; also returned by `localizedDescription`.
    public var errorDescription: String? { description.asSentence }
}

extension MappingError: LocalizedError {
    /// One sentence for people; also returned by `localizedDescription`.
    public var errorDescription: String? { description.asSentence }
}
