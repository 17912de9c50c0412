/// Names a default for `DecodingDefault`: a type, because a member's declaration can carry no
/// value to where it is decoded.
public protocol DecodingDefaultSource<Value>: Sendable {
    /// The member's type.
    associatedtype Value: Decodable
    /// What stands in when the member is missing or null.
    static var decodingDefault: Value { get }
}
