public import HTTPTypes

extension MultipartForm {
    /// A part of a form.
    public struct Part: Sendable, Hashable {
        /// What it is made of.
        public enum Content: Sendable, Hashable {
            /// These bytes.
            case bytes([UInt8])
            /// The bytes of a file.
            case file(path: String)
            /// Bytes that are made while they are sent.
            case stream(BodyStream)
        }

        /// The field's name.
        public var name: String
        /// What it is made of.
        public var content: Content
        /// The file's name that the server is told; nil for that of `content`'s
        /// file, and for none if it is no file.
        public var fileName: String?
        /// The part's `Content-Type`; nil for what the file's name tells, and for
        /// none if there is no such name.
        public var type: String?
        /// Further header fields of the part.
        public var headerFields: HTTPFields

        /// Makes a part.
        public init(
            _ name: String,
            _ content: Content,
            fileName: String? = nil,
            type: String? = nil,
            headerFields: HTTPFields = [:]
        ) {
            self.name = name
            self.content = content
            self.fileName = fileName
            self.type = type
            self.headerFields = headerFields
        }

        /// A text, as a form's plain field.
        public static func text(_ name: String, _ text: String) -> Part {
            Part(name, .bytes(Array(text.utf8)))
        }

        /// Bytes.
        public static func data(
            _ name: String,
            _ bytes: [UInt8],
            fileName: String? = nil,
            type: String? = nil
        ) -> Part {
            Part(name, .bytes(bytes), fileName: fileName, type: type)
        }

        /// A file, by its path; its name and type are told by the path unless given.
        public static func file(
            _ name: String,
            path: String,
            fileName: String? = nil,
            type: String? = nil
        ) -> Part {
            Part(name, .file(path: path), fileName: fileName, type: type)
        }

        /// A stream.
        public static func stream(
            _ name: String,
            _ stream: BodyStream,
            fileName: String? = nil,
            type: String? = nil
        ) -> Part {
            Part(name, .stream(stream), fileName: fileName, type: type)
        }

        /// The name that the server is told.
        var shownFileName: String? {
            if let fileName { return fileName }
            guard case .file(let path) = content else { return nil }
            return path.split(separator: "/").last.map(String.init) ?? path
        }

        /// The type that the server is told.
        var shownType: String? { type ?? shownFileName.map(MediaType.ofFile) }
    }
}
