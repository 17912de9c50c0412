public import FoundationEssentials

/// Turns a value into the bytes of a body.
public protocol BodyEncoder: Sendable {
    /// What the bytes are; it becomes the `Content-Type` unless the target names one.
    var mediaType: String { get }

    /// The bytes.
    ///
    /// - Throws: anything; it ends as `.invalidRequest(.encoding)` with the
    ///   error's words.
    func body(of value: some Encodable) throws -> [UInt8]
}

extension JSONEncoder: BodyEncoder {
    /// `application/json`
    public var mediaType: String { "application/json" }

    /// The value as this encoder writes it.
    ///
    /// Unless `outputFormatting` has `.sortedKeys`, the order of keys changes from
    /// run to run.
    public func body(of value: some Encodable) throws -> [UInt8] { Array(try encode(value)) }
}
