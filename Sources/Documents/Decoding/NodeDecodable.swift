/// A type that `DocumentDecoder` makes from a node instead of through `init(from:)`.
///
/// Other decoders still use `init(from:)`.
public protocol NodeDecodable: Decodable {
    /// Makes a value of a document's node, which may be kept.
    init(document: Document, node: NodeIndex) throws
}
