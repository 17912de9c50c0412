public import FoundationEssentials

extension DocumentDecoder {
    /// How a `Date` is written.
    public enum DateDecodingStrategy: Sendable {
        /// As `Date` decodes itself: seconds since 2001.
        case deferredToDate
        /// A number of seconds since 1970.
        case secondsSince1970
        /// A number of milliseconds since 1970.
        case millisecondsSince1970
        /// A string such as `2026-11-21T12:00:00Z` (RFC 3339).
        case iso8601
        /// A string that a function reads.
        case formatted(@Sendable (String) throws -> Date)
        /// Anything that a function decodes.
        case custom(@Sendable (any Decoder) throws -> Date)

        /// A string that a strategy of a format style reads.
        public static func parsed<Strategy>(by strategy: Strategy) -> Self
        where
            Strategy: ParseStrategy & Sendable, Strategy.ParseInput == String,
            Strategy.ParseOutput == Date
        {
            .formatted { try strategy.parse($0) }
        }
    }
}
