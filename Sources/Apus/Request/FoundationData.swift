// Wherever bytes are given, `Data` may be given too; it is copied.

public import FoundationEssentials
import HTTPTypes

extension RequestTask {
    /// These bytes as the body; as `.data(_:type:)` with an array.
    @_disfavoredOverload
    public static func data(_ data: Data, type: String? = nil) -> RequestTask {
        .data(Array(data), type: type)
    }
}

extension PreparedRequest.Body {
    /// Bytes in memory.
    @_disfavoredOverload
    public static func bytes(_ data: Data) -> PreparedRequest.Body { .bytes(Array(data)) }
}

extension ResponseBody {
    /// Bytes in memory.
    @_disfavoredOverload
    public static func bytes(_ data: Data) -> ResponseBody { .bytes(Array(data)) }
}

extension Data {
    /// All bytes of a response's body, read from its file if they are in one.
    ///
    /// - Throws: ``ApusError`` with the reason `.file` if the file cannot be read.
    public init(_ body: ResponseBody) throws(ApusError) { self.init(try body.load()) }
}

extension StubResponse {
    /// Makes a response with these bytes; nil for `type` sends no `Content-Type`.
    public static func data(
        _ bytes: [UInt8],
        type: String? = nil,
        status: Int = 200
    ) -> StubResponse {
        StubResponse(
            status: status,
            headerFields: type.map { [.contentType: $0] } ?? [:],
            body: .bytes(bytes)
        )
    }

    /// Makes a response with these bytes; nil for `type` sends no `Content-Type`.
    @_disfavoredOverload
    public static func data(
        _ data: Data,
        type: String? = nil,
        status: Int = 200
    ) -> StubResponse {
        .data(Array(data), type: type, status: status)
    }
}

extension MultipartForm.Part {
    /// A part with bytes.
    @_disfavoredOverload
    public static func data(
        _ name: String,
        _ data: Data,
        fileName: String? = nil,
        type: String? = nil
    ) -> MultipartForm.Part {
        .data(name, Array(data), fileName: fileName, type: type)
    }
}

extension MultipartForm.Part.Content {
    /// Bytes in memory.
    @_disfavoredOverload
    public static func bytes(_ data: Data) -> MultipartForm.Part.Content { .bytes(Array(data)) }
}
