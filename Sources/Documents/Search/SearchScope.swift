/// What of a JSON text is searched.
package enum SearchScope: Sendable, CaseIterable {
    /// The whole text with its escapes decoded, so that `"id": 7` is found as it stands there.
    case everything
    /// Members' keys, with their quotes.
    case keys
    /// Strings with their quotes, numbers, and the three literals; no keys.
    case values
}
