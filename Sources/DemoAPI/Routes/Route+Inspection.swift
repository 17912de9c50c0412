import Documents
import FlyingFox
import FoundationEssentials

extension Route {
    static let inspection: [Route] = [
        Route("*", "/headers", "the header fields received") { call in
            .json(
                JSON(members: sortedFields(call).map { (key: $0.name, value: JSON($0.value)) })
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

    private static func echo(_ call: Call) async throws -> HTTPResponse {
        let body = try await call.body()
        let request = call.request
        let host = request.headers[.host] ?? "127.0.0.1"
        return .json([
            "method": JSON(request.method.rawValue),
            "url": JSON("http://\(host)\(request.target.rawValue)"),
            "path": JSON(request.target.path()),
            "query": JSON(request.query.map { pair($0.name, $0.value) }),
            "headers": JSON(sortedFields(call).map { pair($0.name, $0.value) }),
            "body": shown(body),
        ])
    }

    private static func upload(_ call: Call) async throws -> HTTPResponse {
        let type = call.request.headers[.contentType] ?? "application/octet-stream"
        if let boundary = Multipart.boundary(of: type) {
            return try await form(call, type: type, boundary)
        }
        var count = 0
        var checksum = CRC32()
        for try await piece in call.request.bodySequence {
            count += piece.count
            checksum.update(piece)
        }
        return .json([
            "bytes": JSON(count), "crc32": JSON(checksum.text),
            "content_type": JSON(type),
        ])
    }

    private static func form(_ call: Call, type: String, _ boundary: String) async throws
        -> HTTPResponse
    {
        let body = Array(try await call.body())
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

    /// By name: FlyingFox keeps fields in a dictionary, so their order and repetitions are not
    /// known.
    private static func sortedFields(_ call: Call) -> [(name: String, value: String)] {
        call.request.headers.map { ($0.key.rawValue, $0.value) }.sorted {
            $0.0.lowercased() < $1.0.lowercased()
        }
    }

    private static func pair(_ name: String, _ value: String) -> JSON {
        ["name": JSON(name), "value": JSON(value)]
    }

    private static func shown(_ body: Data) -> JSON {
        let count: JSON = ["bytes": JSON(body.count)]
        if let text = String(validating: body, as: UTF8.self) {
            return count.adding("text", JSON(text))
        }
        return count.adding("base64", JSON(body.base64EncodedString()))
    }
}
