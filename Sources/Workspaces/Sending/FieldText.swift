package import HTTPTypes

/// Makes header fields of the names and texts that a user gives.
///
/// The characters of a text, U+0000 to U+00FF, are the bytes of the value (ISO 8859-1), so that every value can
/// be given and ASCII is unchanged.
package enum FieldText {
    /// A field whose value has the text's code points as bytes.
    package static func field(_ name: String, _ text: String) throws(FieldTextError) -> HTTPField {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else {
                throw .character(scalar, name: name)
            }
            bytes.append(byte)
        }
        return try field(name, bytes: bytes)
    }

    /// A field with these bytes as its value.
    package static func field(_ name: String, bytes: [UInt8]) throws(FieldTextError) -> HTTPField {
        guard let fieldName = HTTPField.Name(name) else { throw .name(name) }
        guard !bytes.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
            throw .lineEnd(name: name)
        }
        return HTTPField(name: fieldName, lenientValue: bytes)
    }
}

extension FieldTextError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .name(let name): "“\(name)” is not a valid header field name"
        case .lineEnd(let name): "the value of \(name) contains a line end or a NUL"
        case .character(let scalar, let name):
            "the value of \(name) has the character “\(scalar)”, which is not a byte (U+0000 to U+00FF)"
        }
    }
}

/// What is wrong with a header field.
package enum FieldTextError: Error, Equatable {
    /// The name is not a token (RFC 9110, 5.1).
    case name(String)
    /// The value has a CR, an LF or a NUL (RFC 9110, 5.5).
    case lineEnd(name: String)
    /// The value has a character above U+00FF.
    case character(Unicode.Scalar, name: String)
}
