import Apus
import FoundationEssentials
import HTTPTypes

extension Response {
    /// A response with a body and a Content-Type.
    static func make(
        _ text: String,
        status: Int = 200,
        type: String? = "application/json",
        fields: HTTPFields = [:]
    ) -> Response {
        make(Array(text.utf8), status: status, type: type, fields: fields)
    }

    /// A response with a body and a Content-Type.
    static func make(
        _ bytes: [UInt8],
        status: Int = 200,
        type: String? = nil,
        fields: HTTPFields = [:],
        source: ResponseSource = .server
    ) -> Response {
        var fields = fields
        if let type { fields[.contentType] = type }
        return Response(
            request: .make("api.test", "/"),
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: .bytes(bytes),
            source: source,
            received: Date(timeIntervalSince1970: 1_700_000_000)
        )
    }
}

/// The error that a closure throws; nil if it throws none.
func mappingError<T>(_ body: () throws(ApusError) -> T) -> ApusError? {
    do throws(ApusError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

extension ApusError {
    /// What could not be mapped.
    var fault: MappingFault? { if case .mapping(let fault) = reason { fault } else { nil } }
}
