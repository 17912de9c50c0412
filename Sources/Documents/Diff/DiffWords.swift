/// The signs that a comparison is written with.
enum DiffWords {
    /// Between what was and what is.
    static let arrow = "→"
    /// Where something was cut.
    static let cut = "…"

    static func sign(of kind: Difference.Kind) -> String {
        switch kind {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        case .moved: "↕"
        }
    }
}
