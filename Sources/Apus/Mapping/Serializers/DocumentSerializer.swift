public import Documents

/// Reads a tree out of a body of any format: JSON, XML, HTML, YAML, CSV, forms, multipart, events.
public struct DocumentSerializer: ResponseSerializer {
    /// The format; nil for what the Content-Type names, or what the body looks like.
    public var format: DocumentFormat?

    /// Makes a serializer.
    public init(as format: DocumentFormat? = nil) { self.format = format }

    /// The tree.
    ///
    /// - Throws: `ApusError` with the reason `.mapping`, kind `.document` (`.xml` or `.json` if the
    ///   format is that) or `.empty`, with the place of the first fault.
    public func serialize(_ response: Response) throws(ApusError) -> FormattedDocument {
        let kind: ApusError.MappingFault.Kind =
            switch format {
            case .xml: .xml
            case .json: .json
            default: .document
            }
        return try response.opened(as: format, for: kind)
    }
}

extension ResponseSerializer where Self == DocumentSerializer {
    /// A tree of XML.
    public static var xml: DocumentSerializer { DocumentSerializer(as: .xml) }

    /// A tree of any format.
    public static func document(as format: DocumentFormat? = nil) -> DocumentSerializer {
        DocumentSerializer(as: format)
    }
}
