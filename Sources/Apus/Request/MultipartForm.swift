import Documents
public import HTTPTypes

/// A body of many parts (`multipart/form-data`, RFC 7578).
///
/// Files and streams are read while they are sent, so memory use does not grow with their size. The length
/// of the body is announced.
public struct MultipartForm: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The parts, in order.
    public var parts: [Part]
    /// The separator between the parts: 1 to 70 characters of RFC 2046, section 5.1.1.
    public var boundary: String

    /// Makes a form; without a boundary, a random one is used.
    public init(_ parts: [Part] = [], boundary: String? = nil) {
        self.parts = parts
        self.boundary = boundary ?? Self.randomBoundary()
    }

    /// Makes a form with a random boundary.
    public init(arrayLiteral elements: Part...) { self.init(elements) }

    /// The `Content-Type` of the body.
    public var contentType: String {
        let isToken = boundary.utf8.allSatisfy { PercentEncoding.isUnreserved($0) && $0 != 0x7E }
        return "multipart/form-data; boundary=\(isToken ? boundary : "\"\(boundary)\"")"
    }

    /// The type with its boundary as another multipart type, such as `multipart/related`.
    func contentType(under given: String?) -> String {
        guard let given, given.asciiLowercased.hasPrefix("multipart/") else { return contentType }
        let type = given.prefix { $0 != ";" }
        return "\(type)\(contentType.drop { $0 != ";" })"
    }

    /// The length of the body in bytes.
    ///
    /// - Throws: `ApusError` with the reason `.file` for a file that cannot be read.
    public func byteCount() throws(ApusError) -> Int {
        var count = 0
        for piece in pieces() { count += try piece.count() }
        return count
    }

    private static func randomBoundary() -> String {
        let number = UInt64.random(in: 0 ... .max)
        let more = UInt64.random(in: 0 ... .max)
        return "apus-" + String(number, radix: 36) + String(more, radix: 36)
    }

    /// Throws if servers could not read the form.
    func check() throws(ApusError) {
        guard !parts.isEmpty else {
            throw ApusError(.invalidRequest(.combination(detail: "a multipart form without parts")))
        }
        let isLegal = boundary.utf8.allSatisfy { byte in
            PercentEncoding.isUnreserved(byte) && byte != 0x7E || "'()+,/:=? ".utf8.contains(byte)
        }
        guard isLegal, (1...70).contains(boundary.utf8.count), !boundary.hasSuffix(" ") else {
            throw ApusError(
                .invalidRequest(.combination(detail: "“\(boundary)” cannot be a boundary"))
            )
        }
        for case .stream(let stream) in parts.map(\.content) where stream.count < 0 {
            throw ApusError(
                .invalidRequest(
                    .combination(detail: "a multipart form with a stream of unknown length")
                )
            )
        }
    }
}

extension MultipartForm {
    /// A part of a form.
    public struct Part: Sendable, Hashable {
        /// What the part is made of.
        public enum Content: Sendable, Hashable {
            /// Bytes in memory.
            case bytes([UInt8])
            /// The bytes of a file.
            case file(path: String)
            /// Bytes that are produced while they are sent.
            case stream(BodyStream)
        }

        /// The field's name.
        public var name: String
        /// What the part is made of.
        public var content: Content
        /// The file name to send; nil uses that of `content`'s file, or none if it is not a file.
        public var fileName: String?
        /// The part's `Content-Type`; nil derives it from the file name, or sends none if there is no name.
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

        /// A part with text, like a plain field of a form.
        public static func text(_ name: String, _ text: String) -> Part {
            Part(name, .bytes(Array(text.utf8)))
        }

        /// A part with bytes.
        public static func data(
            _ name: String,
            _ bytes: [UInt8],
            fileName: String? = nil,
            type: String? = nil
        ) -> Part {
            Part(name, .bytes(bytes), fileName: fileName, type: type)
        }

        /// A part with a file; its file name and type come from the path unless given.
        public static func file(
            _ name: String,
            path: String,
            fileName: String? = nil,
            type: String? = nil
        ) -> Part {
            Part(name, .file(path: path), fileName: fileName, type: type)
        }

        /// A part with a stream.
        public static func stream(
            _ name: String,
            _ stream: BodyStream,
            fileName: String? = nil,
            type: String? = nil
        ) -> Part {
            Part(name, .stream(stream), fileName: fileName, type: type)
        }

        /// The file name to send.
        package var shownFileName: String? {
            if let fileName { return fileName }
            guard case .file(let path) = content else { return nil }
            return path.split(separator: "/").last.map(String.init) ?? path
        }

        /// The type to send.
        package var shownType: String? { type ?? shownFileName.map(MediaType.ofFile) }
    }
}
