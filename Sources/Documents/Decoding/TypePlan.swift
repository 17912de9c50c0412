/// How values of a type are decoded.
enum TypePlan {
    /// Through `init(from:)`.
    case ordinary
    /// From the node, by this module.
    case direct(any DirectlyDecodable.Type)
    /// From the node, by the type.
    case node(any NodeDecodable.Type)
    /// Through `init(from:)`; it has a default of its own.
    case defaulted(any DeclaredDefault.Type)

    init<T>(_ type: T.Type) {
        if let direct = type as? any DirectlyDecodable.Type {
            self = .direct(direct)
        } else if let keeper = type as? any NodeDecodable.Type {
            self = .node(keeper)
        } else if let declared = type as? any DeclaredDefault.Type {
            self = .defaulted(declared)
        } else {
            self = .ordinary
        }
    }
}
