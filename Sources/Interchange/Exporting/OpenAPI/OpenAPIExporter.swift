import Documents
import Workspaces

/// Writes an OpenAPI description (3.1, YAML) of the targets, with what was recorded of their responses.
package enum OpenAPIExporter: Exporter {
    package static let name = "openapi"
    package static let abstract =
        "an OpenAPI 3.1 description, with recorded responses"
    package static let fileExtension = "openapi.yaml"
    package static let keepsVariables = true

    package static func export(_ workspace: ExportedWorkspace) -> ExportOutput {
        var writer = OpenAPIWriter(workspace)
        let document = writer.document()
        let lines = YAMLWriter(blockLevels: 64).members(document, indent: 0)
        return ExportOutput(text: lines.joined(separator: "\n") + "\n", losses: writer.losses)
    }
}

/// Writes the parts of an OpenAPI description.
struct OpenAPIWriter {
    let workspace: ExportedWorkspace
    let values: ExportValues
    var losses: [(target: String, loss: ImportLoss)]
    /// The operations of each path, by a path with all parameters unnamed.
    private var paths: [(key: String, path: OpenAPIPath, operations: [Value.Member])] = []
    private var indexes: [String: Int] = [:]
    private var operationIDs: Set<String> = []
    private var tags: [Value.Member] = []
    private var schemes: [Value.Member] = []
    private var servers: [[Value]] = []

    init(_ workspace: ExportedWorkspace) {
        self.workspace = workspace
        values = ExportValues(workspace.environments.first { $0.name == workspace.environment })
        losses = workspace.losses + workspace.lostFlows("a description")
    }

    /// The members of the description.
    mutating func document() -> [Value.Member] {
        for (groups, request) in workspace.requests { add(request, groups) }
        let all = servers.first ?? []
        let isShared = servers.allSatisfy { $0 == all }
        var info = [Value.Member("title", .string(workspace.name))]
        info.append(Value.Member("version", .string("1")))
        if let note = workspace.note { info.append(Value.Member("description", .string(note))) }
        var members = [
            Value.Member("openapi", .string("3.1.0")), Value.Member("info", .object(info)),
        ]
        if isShared, !all.isEmpty { members.append(Value.Member("servers", .array(all))) }
        if !tags.isEmpty {
            members.append(
                Value.Member(
                    "tags",
                    .array(
                        tags.map {
                            .object(
                                [Value.Member("name", .string($0.name))] + Self.members($0.value)
                            )
                        }
                    )
                )
            )
        }
        let items = paths.map { entry in
            let operations = entry.operations.map { operation -> Value.Member in
                guard isShared, case .object(let members) = operation.value else {
                    return operation
                }
                return Value.Member(
                    operation.name,
                    .object(members.filter { $0.name != "servers" })
                )
            }
            return Value.Member(entry.path.text, .object(operations))
        }
        members.append(Value.Member("paths", .object(items)))
        if !schemes.isEmpty {
            members.append(
                Value.Member(
                    "components",
                    .object([Value.Member("securitySchemes", .object(schemes))])
                )
            )
        }
        return members
    }

    private static func members(_ value: Value) -> [Value.Member] {
        if case .object(let members) = value { members } else { [] }
    }

    mutating func lose(_ kind: String, _ reason: String, _ text: String, _ request: ExportedRequest)
    {
        losses.append((request.id, ImportLoss(kind, reason, text: text)))
    }

    // MARK: Operations

    private static let methods: Set<String> = [
        "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE",
    ]

    private mutating func add(_ request: ExportedRequest, _ groups: [ExportedWorkspace.Group]) {
        guard Self.methods.contains(request.method) else {
            return lose(
                "a request",
                "a description has no method \(request.method)",
                request.name,
                request
            )
        }
        let url = OpenAPIURL(request.url, workspace.environments, values)
        var path = url.path
        let key = path.unnamed
        let index = indexes[key] ?? paths.count
        if index == paths.count {
            indexes[key] = index
            paths.append((key, path, []))
        } else {
            // Two paths may not differ by the names of their parameters alone.
            path = path.naming(as: paths[index].path)
        }
        let method = request.method.lowercased()
        guard paths[index].operations[method] == nil else {
            return lose(
                "a request",
                "a description has one \(request.method) of a path",
                "\(request.method) \(path.text)",
                request
            )
        }
        servers.append(url.servers)
        paths[index].operations.append(
            Value.Member(method, .object(operation(request, groups, path, url)))
        )
    }

    private mutating func operation(
        _ request: ExportedRequest,
        _ groups: [ExportedWorkspace.Group],
        _ path: OpenAPIPath,
        _ url: OpenAPIURL
    ) -> [Value.Member] {
        var members: [Value.Member] = []
        if let last = groups.last {
            let tag = groups.map(\.name).joined(separator: "/")
            if tags[tag] == nil {
                let about = last.note.map { [Value.Member("description", .string($0))] } ?? []
                tags.append(Value.Member(tag, .object(about)))
            }
            members.append(Value.Member("tags", .array([.string(tag)])))
        }
        members.append(Value.Member("summary", .string(request.name)))
        let about = [request.summary, request.note].compactMap(\.self).joined(separator: "\n\n")
        if !about.isEmpty { members.append(Value.Member("description", .string(about))) }
        members.append(Value.Member("operationId", .string(operationID(of: request))))
        members.append(Value.Member("servers", .array(url.servers)))
        let (security, ownKey) = self.security(of: request)
        let parameters =
            path.parameters + url.query(without: ownKey) + fieldParameters(of: request)
        if !parameters.isEmpty { members.append(Value.Member("parameters", .array(parameters))) }
        if let body = requestBody(of: request) { members.append(Value.Member("requestBody", body)) }
        members.append(Value.Member("responses", .object(responses(of: request))))
        if let security { members.append(Value.Member("security", security)) }
        listSettings(of: request)
        return members
    }

    private mutating func operationID(of request: ExportedRequest) -> String {
        let base = SwiftNames.camelCase(request.id)
        var id = base
        var number = 2
        while !operationIDs.insert(id).inserted {
            id = "\(base)\(number)"
            number += 1
        }
        return id
    }

    /// What a description says in no place.
    private mutating func listSettings(of request: ExportedRequest) {
        for loss in request.lostSettings(carrying: ["expect"], "a description") {
            losses.append((request.id, loss))
        }
        for expectation in request.expectations where expectation.subject != .status {
            let text = values.shown(request.text(expectation.description))
            lose("an expectation", "a description says only statuses", text, request)
        }
    }

    // MARK: Security

    /// Adds a scheme, if there is none like it, and returns its name.
    private mutating func scheme(_ name: String, _ members: [Value.Member]) -> String {
        let value = Value.object(members)
        if let known = schemes.first(where: { $0.value == value }) { return known.name }
        var unique = name
        var number = 2
        while schemes[unique] != nil {
            unique = "\(name)\(number)"
            number += 1
        }
        schemes.append(Value.Member(unique, value))
        return unique
    }

    private mutating func http(_ scheme: String) -> String {
        self.scheme(
            "\(scheme)Auth",
            [Value.Member("type", .string("http")), Value.Member("scheme", .string(scheme))]
        )
    }

    /// `security`, and the name of the parameter that it adds to the URL.
    private mutating func security(of request: ExportedRequest) -> (Value?, parameter: String?) {
        var scopes: [String] = []
        var parameter: String?
        let name: String
        switch request.authorization {
        case .none: return (nil, nil)
        case .bearer: name = http("bearer")
        case .basic: name = http("basic")
        case .digest: name = http("digest")
        case .ntlm: name = http("ntlm")
        case .negotiate: name = http("negotiate")
        case .apiKey(let place, let key, _):
            if place == .query { parameter = key }
            name = scheme(
                "apiKey",
                [
                    Value.Member("type", .string("apiKey")),
                    Value.Member("in", .string(place.rawValue)),
                    Value.Member("name", .string(key)),
                ]
            )
        case .oauth2(let oauth2):
            scopes = oauth2.scopes
            name = scheme("oauth2", flows(of: oauth2, request))
        case .aws:
            name = scheme(
                "aws",
                [
                    Value.Member("type", .string("apiKey")), Value.Member("in", .string("header")),
                    Value.Member("name", .string("Authorization")),
                    Value.Member("x-amazon-apigateway-authtype", .string("awsSigv4")),
                ]
            )
        case .netrc, .custom:
            lose(
                "credentials of the kind \(request.authorization.name)",
                "a description does not know them",
                "",
                request
            )
            return (nil, nil)
        }
        let requirement = Value.Member(name, .array(scopes.map { .string($0) }))
        return (.array([.object([requirement])]), parameter)
    }

    private mutating func flows(
        of oauth2: ExportedAuthorization.OAuth2,
        _ request: ExportedRequest
    ) -> [Value.Member] {
        var flow = [
            Value.Member("tokenUrl", .string(values.shown(request.text(oauth2.tokenURL))))
        ]
        var name = oauth2.grant.rawValue
        switch oauth2.grant {
        case .authorizationCode:
            let url = values.shown(request.text(oauth2.authorizationURL ?? ""))
            flow.insert(Value.Member("authorizationUrl", .string(url)), at: 0)
        case .deviceCode:
            // OpenAPI 3.1 has no such flow; the client's own is the one that needs no browser.
            name = "clientCredentials"
            lose("a grant of OAuth 2", "a description has no flow of a device", "", request)
        case .clientCredentials, .password: break
        }
        let scopes = oauth2.scopes.map { Value.Member($0, .string("")) }
        flow.append(Value.Member("scopes", .object(scopes)))
        return [
            Value.Member("type", .string("oauth2")),
            Value.Member("flows", .object([Value.Member(name, .object(flow))])),
        ]
    }
}
