/// The place of a style in the table of the theme.
package struct StyleID: Hashable, Sendable {
    let rawValue: UInt16

    /// The terminal's own look.
    package static let `default` = StyleID(rawValue: 0)
}
