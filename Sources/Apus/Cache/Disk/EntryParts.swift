/// The bytes of an entry as they go to disk: in a serializer's form, or as they are.
struct EntryParts: Sendable {
    /// The serializer's name; nil for none.
    var form: String?
    /// The entry's record; nil to take it as it is.
    var head: [UInt8]?
    /// The bytes for the row; nil to take them as they are, or for none.
    var body: [UInt8]?
    /// The file of a body that is too large for a row.
    var staged: BodyFolder.Staged?
}
