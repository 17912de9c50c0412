/// A body of many parts (`multipart/form-data`, RFC 7578).
///
/// Files and streams are read while they are sent: memory stays the same however
/// large they are, and the length is announced.
public struct MultipartForm: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The parts, in order.
    public var parts: [Part]
    /// What stands between the parts: 1 to 70 characters of RFC 2046, section 5.1.1.
    public var boundary: String

    /// Makes a form; without a boundary it gets a random one.
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

    /// The same under a type that was asked for, such as `multipart/related`.
    func contentType(under given: String?) -> String {
        guard let given, given.lowercased().hasPrefix("multipart/") else { return contentType }
        let type = given.prefix { $0 != ";" }
        return "\(type)\(contentType.drop { $0 != ";" })"
    }

    /// How many bytes the body has.
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

    /// Refuses what servers could not read.
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
                .invalidRequest(.combination(detail: "a stream of \(stream.count) bytes"))
            )
        }
    }
}
