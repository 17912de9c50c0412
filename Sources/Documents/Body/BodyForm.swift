/// How a body is shown.
package enum BodyForm: Sendable, CaseIterable {
    /// As a folding tree.
    case tree
    /// As lines.
    case text
    /// As bytes.
    case hex
}
