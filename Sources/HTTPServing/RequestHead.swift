import Documents
package import HTTPTypes

/// The head of a request, parsed strictly.
///
/// An ambiguous head is refused, because it could smuggle a request past a proxy (RFC 9112, section 11.2).
struct RequestHead {
    /// Where the body ends.
    enum Framing: Equatable {
        case length(Int)
        case chunked
    }

    /// How many bytes all lines of a head may have together.
    static let limit = 64 << 10
    /// How many fields a head may have.
    static let fieldLimit = 500

    let request: HTTPRequest
    let isHTTP11: Bool
    let framing: Framing
    let expectsContinue: Bool
    /// Whether the client keeps the connection open for another request.
    let keepsConnection: Bool

    /// Parses lines, which come without their line ends and without the empty line.
    init(_ lines: [ArraySlice<UInt8>]) throws(HTTPError) {
        let (method, target, isHTTP11) = try Self.requestLine(lines.first ?? [])
        var fields = try Self.fields(lines.dropFirst())
        let hosts = fields[values: Self.host]
        guard hosts.count == 1 || hosts.isEmpty && !isHTTP11 else {
            throw HTTPError(400, "A request has one Host field; this one has \(hosts.count).")
        }
        fields[Self.host] = nil
        // HTTP/1.0 has no status 100 (RFC 9110, section 10.1.1).
        if !isHTTP11 { fields[.expect] = nil }
        let framing = try Self.framing(fields, isHTTP11: isHTTP11)
        let connection = fields.members(of: .connection)
        self.isHTTP11 = isHTTP11
        self.framing = framing
        expectsContinue = fields[.expect]?.asciiLowercased == "100-continue"
        keepsConnection =
            !connection.contains("close") && (isHTTP11 || connection.contains("keep-alive"))
        request = HTTPRequest(
            method: method,
            scheme: "http",
            authority: hosts.first ?? "",
            path: target,
            headerFields: fields
        )
    }

    private static let host = HTTPField.Name("Host") ?? .accept

    private static func requestLine(
        _ line: ArraySlice<UInt8>
    ) throws(HTTPError) -> (HTTPRequest.Method, String, isHTTP11: Bool) {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw HTTPError(400, "The first line is not METHOD TARGET HTTP/1.1.")
        }
        guard let method = HTTPRequest.Method(String(decoding: parts[0], as: UTF8.self)) else {
            throw HTTPError(400, "The method is not valid.")
        }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            let isOther = version.hasPrefix("HTTP/") && version.utf8.count == 8
            throw HTTPError(isOther ? 505 : 400, "This server speaks HTTP/1.1, not \(version).")
        }
        return (method, try target(parts[1], of: method), version == "HTTP/1.1")
    }

    /// The target in origin form, made from the absolute form if needed, which clients send to proxies (RFC
    /// 9112, section 3.2.2).
    private static func target(
        _ bytes: ArraySlice<UInt8>,
        of method: HTTPRequest.Method
    ) throws(HTTPError) -> String {
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw HTTPError(400, "The target has an invalid character.") }
        if method == .connect {
            throw HTTPError(501, "CONNECT is not supported: this server is not a tunneling proxy.")
        }
        if text.hasPrefix("/") { return text }
        if text == "*" { throw HTTPError(501, "OPTIONS * is not answered.") }
        guard let scheme = text.utf8.firstRange(of: "://".utf8) else {
            throw HTTPError(400, "The target is not a path.")
        }
        let rest = text[scheme.upperBound...]
        guard let path = rest.utf8.firstIndex(where: { $0 == 0x2F || $0 == 0x3F }) else {
            return "/"
        }
        return rest[path] == "/" ? String(rest[path...]) : "/\(rest[path...])"
    }

    /// Parses the lines of a head or of trailers as fields.
    static func fields(_ lines: some Sequence<ArraySlice<UInt8>>) throws(HTTPError) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            guard line.first != 0x20, line.first != 0x09 else {
                throw HTTPError(
                    400,
                    "A field is continued on another line (RFC 9112, section 5.2)."
                )
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
            else { throw HTTPError(400, "A line of the head is not a field.") }
            var value = line[(colon + 1)...]
            while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw HTTPError(400, "A field has an invalid character.")
            }
            fields.append(HTTPField(name: name, lenientValue: value))
        }
        return fields
    }

    /// Where the body ends (RFC 9112, section 6.3); contradictory fields are refused.
    private static func framing(
        _ fields: HTTPFields,
        isHTTP11: Bool
    ) throws(HTTPError) -> Framing {
        let lengths = fields[values: .contentLength]
        let codings = fields[values: .transferEncoding]
        guard codings.isEmpty else {
            guard lengths.isEmpty else {
                throw HTTPError(400, "The head has a Content-Length and a Transfer-Encoding.")
            }
            guard isHTTP11, codings.count == 1 else {
                throw HTTPError(400, "The Transfer-Encoding can be read in more than one way.")
            }
            guard codings[0].asciiLowercased == "chunked" else {
                let isCoded = codings[0].asciiLowercased.hasSuffix(", chunked")
                throw HTTPError(
                    isCoded ? 501 : 400,
                    "The Transfer-Encoding is not “chunked” alone: “\(codings[0])”."
                )
            }
            return .chunked
        }
        guard let length = lengths.first else { return .length(0) }
        guard lengths.count == 1, let count = HTTPFields.length(length) else {
            throw HTTPError(400, "The Content-Length is not one number of bytes.")
        }
        return .length(count)
    }
}

extension HTTPFields {
    /// The members of a list field, in lowercase.
    package func members(of name: HTTPField.Name) -> [String] {
        self[values: name].flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.asciiLowercased }
    }

    /// The length that all `Content-Length` fields agree on; nil if there is none or they differ.
    var announcedLength: Int? {
        // The common case: one number.
        if let text = self[.contentLength], let length = Self.length(text) { return length }
        let lengths = members(of: .contentLength)
        guard let first = lengths.first, lengths.allSatisfy({ $0 == first }) else { return nil }
        return Self.length(first)
    }

    fileprivate static func length(_ text: String) -> Int? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
    }
}
