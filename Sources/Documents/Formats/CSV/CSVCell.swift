/// One cell of separated values, as a range of the text.
struct CSVCell {
    /// Its bytes: without the quotes, doubled quotes as written.
    let range: Range<Int>
    /// What follows the closing quote, which should be nothing.
    let surplus: Range<Int>
    let isQuoted: Bool
    /// Whether all of it may stand in a JSON string as it is.
    let isPlain: Bool
    /// Whether the closing quote is missing.
    let isOpen: Bool
    let endsRow: Bool
}
