import Documents

/// What `Documents` says of a value or a text, in the engine's own error.
extension ApusError.MappingFault {
    init(_ kind: Kind, _ fault: FormatFault, _ format: DocumentFormat) {
        self.init(
            kind,
            offset: fault.offset,
            line: fault.position.line,
            column: fault.position.column,
            detail: MappingMessages.broken(fault, format)
        )
    }

    init(_ kind: Kind, _ fault: DocumentFault, in document: Document) {
        let position = document.position(of: fault.offset)
        self.init(
            kind,
            path: "$",
            offset: fault.offset,
            line: position.line,
            column: position.column,
            detail: MappingMessages.broken(fault)
        )
    }

    /// An error of `DocumentDecoder`, or of the type that it decoded.
    init(decoding error: any Error) {
        guard let error = error as? DecodingError else {
            self.init(.object, detail: "\(error)")
            return
        }
        let context = error.context
        let location = context?.underlyingError as? DecodingLocation
        self.init(
            .object,
            path: location?.path,
            offset: location?.offset,
            line: location?.position.line,
            column: location?.position.column,
            detail: context?.debugDescription ?? "\(error)"
        )
    }

    init(_ error: MappingError, in json: JSON) {
        let position = error.offset.flatMap { json.source?.document.position(of: $0) }
        self.init(
            .object,
            path: error.path,
            offset: error.offset,
            line: position?.line,
            column: position?.column,
            detail: error.description
        )
    }

    /// A value that is of the wrong kind.
    init(_ kind: Kind, at json: JSON, detail: String) {
        let offset = json.source.map { $0.document.valueRange(of: $0.node).lowerBound }
        let position = offset.flatMap { json.source?.document.position(of: $0) }
        self.init(
            kind,
            path: json.source.map { $0.document.path(of: $0.node) },
            offset: offset,
            line: position?.line,
            column: position?.column,
            detail: detail
        )
    }
}

extension DecodingError {
    fileprivate var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
