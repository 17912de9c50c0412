import Apus
import Documents
import Secrets
import Workspaces

extension OpenAPIWriter {
    // MARK: Fields

    /// The header fields and cookies as parameters; the types of bodies stand at their bodies.
    mutating func fieldParameters(of request: ExportedRequest) -> [Value] {
        var names: [String] = []
        var all: [String: [String]] = [:]
        var cookies: [Value] = []
        for field in request.ownFields {
            let text = values.text(field.value)
            switch field.name.lowercased() {
            case "content-type", "accept": continue
            case "authorization":
                if case .none = request.authorization {
                    lose(
                        "a field",
                        "a description does not take Authorization as a parameter",
                        field.name,
                        request
                    )
                }
            case "cookie":
                if case .apiKey(.cookie, _, _) = request.authorization { continue }
                for pair in values.shown(field.value).split(separator: ";") {
                    let sides = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingBlanks }
                    guard let name = sides.first else { continue }
                    let isSecret = CredentialMask.isSecret(parameter: name)
                    let value = sides.count > 1 && !isSecret && text != nil ? [sides[1]] : []
                    cookies.append(OpenAPIURL.parameter("cookie", name, value))
                }
            default:
                if all[field.name] == nil { names.append(field.name) }
                all[field.name, default: []] += text.map { [$0] } ?? []
            }
        }
        return names.map { OpenAPIURL.parameter("header", $0, all[$0] ?? []) } + cookies
    }

    // MARK: The body

    mutating func requestBody(of request: ExportedRequest) -> Value? {
        var type =
            request.field("Content-Type").map { values.shown($0) } ?? "application/octet-stream"
        let content: Value
        switch request.body {
        case .none: return nil
        case .unknown:
            lose("a body", "it is not known before it is sent", "", request)
            return nil
        case .bytes, .file:
            if case .file(let path) = request.body {
                lose("a file", "a description names none", workspace.path(path), request)
            }
            content = Self.media([
                Value.Member("type", .string("string")), Value.Member("format", .string("binary")),
            ])
        case .multipart(let parts, _):
            type = "multipart/form-data"
            content = multipart(parts, request)
        case .text(let text): content = body(text, request, type)
        }
        return .object([
            Value.Member("required", .boolean(true)),
            Value.Member("content", .object([Value.Member(type, content)])),
        ])
    }

    private static func media(_ schema: [Value.Member]) -> Value {
        .object([Value.Member("schema", .object(schema))])
    }

    private static func media(_ example: Value) -> Value {
        .object([
            Value.Member("schema", OpenAPISchemaGuess.schema(of: [example])),
            Value.Member("example", example),
        ])
    }

    private func body(_ text: ExportText, _ request: ExportedRequest, _ type: String) -> Value {
        if case .form(let fields) = request.bodyKind {
            var members: [Value.Member] = []
            for field in fields {
                let value = OpenAPISchemaGuess.scalar(values.shown(field.value))
                members.append(value, for: field.name)
            }
            return Self.media(.object(members))
        }
        let shown = values.shown(text)
        let json = type.lowercased().contains("json") ? OpenAPISchemaGuess.json(shown) : nil
        return Self.media(json ?? .string(shown))
    }

    private mutating func multipart(
        _ parts: [ExportedRequest.Part],
        _ request: ExportedRequest
    ) -> Value {
        var properties: [Value.Member] = []
        var example: [Value.Member] = []
        var encoding: [Value.Member] = []
        for part in parts {
            switch part.content {
            case .text(let text):
                let value = OpenAPISchemaGuess.scalar(values.shown(text))
                example.append(value, for: part.name)
                properties[part.name] = OpenAPISchemaGuess.schema(
                    of: [example[part.name] ?? value]
                )
            case .file, .bytes:
                if case .file(let path) = part.content {
                    lose("a file", "a description names none", workspace.path(path), request)
                }
                properties[part.name] = .object([
                    Value.Member("type", .string("string")),
                    Value.Member("format", .string("binary")),
                ])
            }
            if let type = part.type {
                encoding[part.name] = .object([Value.Member("contentType", .string(type))])
            }
        }
        var members = [
            Value.Member(
                "schema",
                .object([
                    Value.Member("type", .string("object")),
                    Value.Member("properties", .object(properties)),
                    Value.Member("required", .array(properties.map { .string($0.name) })),
                ])
            )
        ]
        if !encoding.isEmpty { members.append(Value.Member("encoding", .object(encoding))) }
        if !example.isEmpty, example.count == properties.count {
            members.append(Value.Member("example", .object(example)))
        }
        return .object(members)
    }

    // MARK: Responses

    /// What was recorded, by status; else what is expected.
    func responses(of request: ExportedRequest) -> [Value.Member] {
        var statuses: [Int] = []
        var recorded: [Int: [ExportedResponse]] = [:]
        for response in request.responses {
            if recorded[response.status] == nil { statuses.append(response.status) }
            recorded[response.status, default: []].append(response)
        }
        if !statuses.isEmpty {
            return statuses.sorted().map { status in
                Value.Member("\(status)", response(status, recorded[status] ?? []))
            }
        }
        let accepted = request.field("Accept").flatMap { values.text($0) }
        for expectation in request.expectations {
            guard case .statuses(let ranges) = expectation.requirement, let range = ranges.first
            else {
                continue
            }
            let isOne = range.count == 1
            let key = isOne ? "\(range.lowerBound)" : "\(range.lowerBound / 100)XX"
            return [Value.Member(key, Self.expected("As expected", accepted))]
        }
        return [Value.Member("default", Self.expected("Not recorded yet", accepted))]
    }

    private static func expected(_ words: String, _ type: String?) -> Value {
        var members = [Value.Member("description", .string(words))]
        if let type, !type.contains(",") {
            members.append(
                Value.Member("content", .object([Value.Member(type, .object([]))]))
            )
        }
        return .object(members)
    }

    private func response(_ status: Int, _ responses: [ExportedResponse]) -> Value {
        var types: [String] = []
        var bodies: [String: [[UInt8]]] = [:]
        for response in responses where !response.body.isEmpty {
            let type = response.contentType ?? "application/octet-stream"
            if bodies[type] == nil { types.append(type) }
            bodies[type, default: []].append(response.body)
        }
        var members = [Value.Member("description", .string(Self.words(for: status)))]
        if !types.isEmpty {
            let content = types.map { Value.Member($0, Self.media($0, bodies[$0] ?? [])) }
            members.append(Value.Member("content", .object(content)))
        }
        return .object(members)
    }

    /// The largest example of a response.
    private static let maximumExample = 64 << 10

    private static func media(_ type: String, _ bodies: [[UInt8]]) -> Value {
        let texts = bodies.compactMap { String(validating: $0, as: UTF8.self) }
        let samples =
            type.lowercased().contains("json")
            ? texts.compactMap { OpenAPISchemaGuess.json($0) } : []
        guard let newest = samples.first else {
            let isText = texts.count == bodies.count
            var schema = [Value.Member("type", .string("string"))]
            if !isText { schema.append(Value.Member("format", .string("binary"))) }
            guard isText, let text = texts.first, text.utf8.count <= maximumExample else {
                return media(schema)
            }
            return media(.string(text))
        }
        var members = [Value.Member("schema", OpenAPISchemaGuess.schema(of: samples))]
        if (texts.first?.utf8.count ?? 0) <= maximumExample {
            members.append(Value.Member("example", newest))
        }
        return .object(members)
    }

    private static func words(for status: Int) -> String {
        let known = [
            200: "OK", 201: "Created", 202: "Accepted", 204: "No content", 301: "Moved",
            304: "Not modified",
            400: "Bad request", 401: "Unauthorized", 403: "Forbidden", 404: "Not found",
            409: "Conflict", 422: "Unprocessable", 429: "Too many requests", 500: "Server error",
        ]
        return known[status] ?? "Status \(status)"
    }
}
