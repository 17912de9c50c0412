/// A step from a value to one directly in it.
public enum PathStep: Sendable, Hashable {
    /// To the member of an object.
    case name(String)
    /// To the element of an array, from 0.
    case index(Int)

    /// As in a normalised path of RFC 9535.
    var text: String {
        switch self {
        case .name(let name): Document.normalised(name)
        case .index(let index): "[\(index)]"
        }
    }
}

extension PathStep: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// A member's name.
    public init(stringLiteral name: String) { self = .name(name) }

    /// An element's place.
    public init(integerLiteral index: Int) { self = .index(index) }
}
