extension ApusError {
    /// Why an answer could not be read as what was asked for, and where in it.
    public struct MappingFault: Sendable, Hashable {
        /// What it was to be read as.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// By a serializer of one's own.
            case custom
            /// Text.
            case string
            /// JSON.
            case json
            /// A value of a type.
            case object
            /// An image.
            case image
            /// XML.
            case xml
            /// A document of another format.
            case document
            /// Anything: there is no body.
            case empty
            /// Anything: what was to lead to the value is no path.
            case path
            /// An envelope around the data.
            case envelope
        }

        /// What it was to be read as.
        public let kind: Kind
        /// The normalised path of the value, such as `$.users[3].age`; nil if there is no tree.
        public var path: String?
        /// The byte of the text at which it went wrong.
        public var offset: Int?
        /// The line of that byte, from 1.
        public var line: Int?
        /// Its character in the line, from 1.
        public var column: Int?
        /// What was wrong, in a sentence; it may quote a few characters of the body.
        public let detail: String

        /// Makes a fault; what is not given is not known.
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
    /// Where it went wrong, as far as that is known, and what was wrong.
    public var description: String {
        let line = line.map { line in "line \(line)\(column.map { ", column \($0)" } ?? "")" }
        let place = [path, line].compactMap(\.self).joined(separator: ", ")
        return place.isEmpty ? detail : "\(place): \(detail)"
    }
}
