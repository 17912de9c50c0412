import Documents

extension ApusError {
    /// Why a response could not be read as the expected kind of value, and where the fault is.
    public struct MappingFault: Sendable, Hashable {
        /// What the body was to be read as.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// The value of a custom serializer.
            case custom
            /// Text.
            case string
            /// JSON.
            case json
            /// A value of a type, from JSON.
            case object
            /// An image.
            case image
            /// XML.
            case xml
            /// A document in another format.
            case document
            /// Any kind; the body is empty.
            case empty
            /// Any kind; the path of the value is malformed.
            case path
            /// An envelope around the data.
            case envelope
        }

        /// What the body was to be read as.
        public let kind: Kind
        /// The normalized path of the value, such as `$.users[3].age`; nil if there is no tree.
        public var path: String?
        /// The offset in bytes of the fault; nil if it is not known.
        public var offset: Int?
        /// The line of that byte, counted from 1.
        public var line: Int?
        /// The column of that byte in characters, counted from 1.
        public var column: Int?
        /// What was wrong, as a sentence that may quote a few characters of the body.
        public let detail: String

        /// Creates a fault; leave out what is not known.
        public init(
            _ kind: Kind,
            path: String? = nil,
            offset: Int? = nil,
            line: Int? = nil,
            column: Int? = nil,
            detail: String
        ) {
            self.kind = kind
            self.path = path
            self.offset = offset
            self.line = line
            self.column = column
            self.detail = detail
        }
    }
}

extension ApusError.MappingFault: CustomStringConvertible {
    /// Where the fault is, as far as that is known, and what was wrong.
    public var description: String {
        let line = line.map { line in "line \(line)\(column.map { ", column \($0)" } ?? "")" }
        let place = [path, line].compactMap(\.self).joined(separator: ", ")
        return place.isEmpty ? detail : "\(place): \(detail)"
    }
}

/// Converts the errors of `Documents` to the engine's own.
extension ApusError.MappingFault {
    init(_ kind: Kind, _ fault: FormattingError, _ format: DocumentFormat) {
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

    /// A value of the wrong kind.
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

/// The texts of the errors that mapping throws.
enum MappingMessages {
    static let empty = "the body is empty"
    static let never = "this response must not be read"
    static let noEnvelope = "no envelope is set on the call, the target or the provider"

    static func notText(_ fault: FormattingError) -> String {
        "the body is not valid text: \(fault.description)"
    }

    static func broken(_ fault: DocumentFault) -> String { "the body is not valid JSON: \(fault)" }

    static func broken(_ fault: FormattingError, _ format: DocumentFormat) -> String {
        "the body is not valid \(format.name): \(fault.description)"
    }

    static func badPath(_ path: String, _ error: JSONPathError) -> String {
        "“\(path)” is not a valid path: \(error)"
    }

    static func absent(_ absence: JSONAbsence) -> String {
        switch absence.reason {
        case .notAnObject: "there is nothing at \(absence.path): its parent is not an object"
        case .notAnArray: "there is nothing at \(absence.path): its parent is not an array"
        case .noSuchMember: "there is no member at \(absence.path)"
        case .indexOutOfRange: "there is no element at \(absence.path)"
        case .nothingMatches: "nothing matches at \(absence.path)"
        case .queryGivenUp: "the query at \(absence.path) took too long or was cancelled"
        }
    }

    static func noText(_ kind: ValueKind?) -> String {
        switch kind {
        case .object: "an object is not text"
        case .array: "an array is not text"
        default: "null is not text"
        }
    }

    static let unknownImage = "the body is not an image in a known format"
    static let cutImage = "the image's header is truncated or malformed"
    static let cutPixels = "it ends too early"

    static func tooManyPixels(_ size: ImageSize, _ limit: Int) -> String {
        let (width, height) = (Readable.count(size.width), Readable.count(size.height))
        return "\(width) × \(height) pixels are more than the \(Readable.count(limit)) allowed"
    }

    static func noPixels(_ format: ImageFormat, _ reason: String) -> String {
        "the \(format.name) image cannot be read: \(reason)"
    }

    static let unknownFormat = "the body's format is not known"
}
