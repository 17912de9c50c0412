import Documents

/// The words of the errors that mapping throws.
enum MappingMessages {
    static let empty = "the body is empty"
    static let never = "no value is ever read from this answer"
    static let noEnvelope = "neither the call nor the target nor the provider names an envelope"
    static let builtValue = "the value has no text of its own"

    static func notText(_ fault: FormatFault) -> String {
        "the body is no text: \(fault.description)"
    }

    static func broken(_ fault: DocumentFault) -> String { "the body is no JSON: \(fault)" }

    static func broken(_ fault: FormatFault, _ format: DocumentFormat) -> String {
        "the body is no \(format.name): \(fault.description)"
    }

    static func badPath(_ path: String, _ error: JSONPathError) -> String {
        "“\(path)” is no path: \(error)"
    }

    static func absent(_ absence: JSONAbsence) -> String {
        switch absence.reason {
        case .notAnObject: "there is nothing at \(absence.path): what should hold it is no object"
        case .notAnArray: "there is nothing at \(absence.path): what should hold it is no array"
        case .noSuchMember: "there is no member at \(absence.path)"
        case .indexOutOfRange: "there is no element at \(absence.path)"
        case .nothingMatches: "nothing matches at \(absence.path)"
        }
    }

    static func noText(_ kind: ValueKind?) -> String {
        switch kind {
        case .object: "an object is no text"
        case .array: "an array is no text"
        default: "null is no text"
        }
    }

    static let unknownImage = "the body is no image of a known format"
    static let cutImage = "the image's header is cut or broken"

    static func tooManyPixels(_ size: ImageSize, _ limit: Int) -> String {
        "\(size.width) × \(size.height) pixels are more than the \(limit) that are allowed"
    }

    static func noPixels(_ format: ImageFormat, _ reason: String) -> String {
        "the \(format.name) image cannot be read: \(reason)"
    }

    static let unknownFormat = "the body is of no known format"
}
