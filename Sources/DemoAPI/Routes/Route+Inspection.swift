import Documents
import FoundationEssentials
import HTTPServing
import HTTPTypes

extension Route {
    static let inspection: [Route] = [
        Route("*", "/headers", "the header fields received") { call in
            .json(
                JSON(members: combinedFields(call).map { (key: $0.name, value: JSON($0.value)) })
            )
        },
        Route("*", "/echo", "what was received", readsBody: true, handler: echo),
        Route("*", "/echo/*", "what was received", readsBody: true, handler: echo),
        Route(
            "POST",
            "/upload",
            "size and checksum, of each part of a form",
            readsBody: true,
            handler: upload
        ),
        Route("PUT", "/upload", "size and checksum", readsBody: true, handler: upload),
    ]

    private static func echo(_ call: Call) async throws -> DemoResponse {
        let body = try await call.wholeBody()
        let request = call.request
        return .json([
            "method": JSON(request.method.rawValue),
            "url": JSON("http://\(request.authority ?? "127.0.0.1")\(request.path ?? "/")"),
            "path": JSON(String(Call.target(of: request).path)),
            "query": JSON(call.query.map { pair($0.name, $0.value) }),
            "headers": JSON(fields(call).map { pair($0.name, $0.value) }),
            "body": shown(body),
        ])
    }

    private static func upload(_ call: Call) async throws -> DemoResponse {
        let type = call.request.headerFields[.contentType] ?? "application/octet-stream"
        if case .multipart(let boundary)? = DocumentFormat(contentType: type) {
            return try await form(call, type: type, boundary)
        }
        var count = 0
        var checksum = CRC32()
        for try await piece in call.body {
            count += piece.count
            checksum.update(piece)
        }
        return .json([
            "bytes": JSON(count), "crc32": JSON(checksum.text),
            "content_type": JSON(type),
        ])
    }

    private static func form(_ call: Call, type: String, _ boundary: String) async throws
        -> DemoResponse
    {
        let body = try await call.wholeBody()
        guard let parts = Multipart.parts(of: body, boundary: boundary) else {
            throw Problem(
                status: 400,
                detail: "The body is not framed by its boundary `\(boundary)`."
            )
        }
        return .json([
            "bytes": JSON(body.count),
            "crc32": JSON(CRC32(of: body).text),
            "content_type": JSON(type),
            "parts": JSON(parts.map(described)),
        ])
    }

    private static func described(_ part: Multipart.Part) -> JSON {
        [
            "name": JSON(part.name),
            "filename": part.filename.map { JSON($0) } ?? nil,
            "content_type": part.contentType.map { JSON($0) } ?? nil,
            "bytes": JSON(part.content.count),
            "crc32": JSON(CRC32(of: part.content).text),
        ]
    }

    /// The fields in their original order, except that `Host` comes first.
    private static func fields(_ call: Call) -> [(name: String, value: String)] {
        [("Host", call.request.authority ?? "")]
            + call.request.headerFields.map { ($0.name.rawName, $0.value) }
    }

    /// The fields with each name once, combining the values of equal names (RFC 9110, section 5.3).
    private static func combinedFields(_ call: Call) -> [(name: String, value: String)] {
        let fields = call.request.headerFields
        var told: Set<HTTPField.Name> = []
        let combined = fields.filter { told.insert($0.name).inserted }
            .map { ($0.name.rawName, fields[$0.name] ?? "") }
        return [("Host", call.request.authority ?? "")] + combined
    }

    private static func pair(_ name: String, _ value: String) -> JSON {
        ["name": JSON(name), "value": JSON(value)]
    }

    private static func shown(_ body: [UInt8]) -> JSON {
        let count: JSON = ["bytes": JSON(body.count)]
        if let text = String(validating: body, as: UTF8.self) {
            return count.adding("text", JSON(text))
        }
        return count.adding("base64", JSON(Data(body).base64EncodedString()))
    }
}
