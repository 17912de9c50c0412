extension DocumentDecoder {
    /// How the names of members are written.
    public enum KeyDecodingStrategy: Sendable {
        /// As the coding keys.
        case useDefaultKeys
        /// `one_two_three` for the coding key `oneTwoThree`.
        ///
        /// Underscores in front and behind stay.
        case convertFromSnakeCase
        /// As a function says; it gets the path to the member, whose own name is the last.
        case custom(@Sendable ([any CodingKey]) -> any CodingKey)
    }
}
