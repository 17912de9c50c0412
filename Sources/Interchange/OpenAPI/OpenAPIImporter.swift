import Documents
import Workspaces

/// OpenAPI 3 and Swagger 2.0, as JSON or YAML.
package enum OpenAPIImporter: Importer {
    package static let name = "openapi"

    package static func recognizes(_ head: ImportHead) -> Bool {
        if let json = head.json {
            guard json.kind == .object else { return false }
            if json["openapi"].exists || json["swagger"].exists {
                return json["swaggerVersion"].isMissingOrNull
            }
            return false
        }
        if head.yamlKeys["openapi"] != nil || head.yamlKeys["swagger"] != nil { return true }
        // JSON with comments and its like is read as YAML.
        guard head.text.drop(while: \.isWhitespace).first == "{" else { return false }
        return head.text.contains("\"openapi\"") || head.text.contains("\"swagger\"")
    }

    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedWorkspace {
        try OpenAPIReader(source).read()
    }
}

extension JSON {
    fileprivate var isMissingOrNull: Bool { !exists || isNull }
}

/// A target while it is read.
struct OpenAPIDraft {
    var target: ImportedTarget
    var headers: [Value.Member] = []
    var query: [Value.Member] = []
    /// What the note says about the body.
    var bodyWords: [String] = []
    var bodySchema: OpenAPISchema?
}

/// An operation that has become a target.
struct OpenAPIOperation {
    let object: OpenAPIObject
    let node: OpenAPINode
    let method: String
    let path: String
    /// The names of the groups around it.
    var groups: [String] = []
    var target: ImportedTarget
    /// The variables of its path parameters, by the names of these.
    var variables: [String: String] = [:]
}

/// Reads a description into a workspace.
final class OpenAPIReader {
    let document: OpenAPIDocument
    let root: OpenAPIObject
    let rootNode: OpenAPINode
    let isSwagger: Bool
    var workspace: ImportedWorkspace
    var firstServer: OpenAPIServer?
    /// Security schemes by name.
    var schemes: [String: OpenAPIObject] = [:]
    /// Variables of credentials and files, by what they are for.
    var credentialNames: [String: String] = [:]
    /// Variables of path parameters with their values, by the parameters' names.
    var pathValues: [String: [(value: Value, variable: String)]] = [:]
    var operations: [OpenAPIOperation] = []
    var pathVariables: Set<String> = []
    private var known: Set<ImportLoss> = []

    init(_ source: ImportSource) throws(ImportError) {
        document = try OpenAPIDocument(source)
        rootNode = document.root
        guard let root = document.object(rootNode), root["openapi"] != nil || root["swagger"] != nil
        else { throw ImportError("\(source.path): this is no OpenAPI description") }
        self.root = root
        isSwagger = root["openapi"] == nil
        let version = (root.text("openapi") ?? root.text("swagger") ?? "").split(separator: ".")
        let short = version.prefix(2).joined(separator: ".").inOneLine
        workspace = ImportedWorkspace(
            format: isSwagger ? "Swagger \(short == "2" ? "2.0" : short)" : "OpenAPI \(short)"
        )
        if isSwagger, version.first == "1" {
            throw ImportError("\(source.path): Swagger 1 is not read, only 2.0 and OpenAPI 3")
        }
    }

    func read() -> ImportedWorkspace {
        let info = document.object(root["info"])
        workspace.name = info?.words("title")
        workspace.note = OpenAPINotes.about(info, root, document)
        let servers = servers()
        firstServer = servers.first
        for server in servers {
            for member in server.variables {
                pathValues[member.name, default: []].append((member.value, member.name))
            }
        }
        addEnvironments(servers)
        let common = addDefaults()
        readPaths(common)
        addCommonFields()
        addItems()
        addLosses()
        return workspace
    }

    /// Adds a loss of the whole, once.
    func lose(_ losses: [ImportLoss]) {
        for loss in losses where known.insert(loss).inserted { workspace.losses.append(loss) }
    }

    /// The credentials of all operations that do not say their own.
    private func addDefaults() -> OpenAPICredentials? {
        guard let credentials = credentials(root) else { return nil }
        if let auth = credentials.auth { workspace.defaults["auth"] = auth }
        if !credentials.headers.isEmpty {
            workspace.defaults["headers"] = .object(credentials.headers)
        }
        if !credentials.query.isEmpty { workspace.defaults["query"] = .object(credentials.query) }
        lose(credentials.losses)
        if !credentials.words.isEmpty {
            let words = credentials.words.joined(separator: "\n\n")
            workspace.note = workspace.note.map { "\($0)\n\n\(words)" } ?? words
        }
        return credentials
    }

    // MARK: operations

    private static let methods = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
    ]

    private func readPaths(_ common: OpenAPICredentials?) {
        for (path, node) in document.object(root["paths"])?.members ?? []
        where !path.hasPrefix("x-") {
            guard let item = document.object(node) else {
                let reference = node.json["$ref"].string
                if let reference {
                    lose([
                        ImportLoss(
                            "a path",
                            "its reference leads nowhere",
                            text: "\(path): \(reference)",
                            line: document.line(of: node)
                        )
                    ])
                } else if !node.json.isNull {
                    lose([loss("a path", path, node)])
                }
                continue
            }
            for (method, node) in Self.operations(of: item, document) {
                guard let operation = document.object(node) else {
                    if !node.json.isNull { lose([loss("an operation", "\(method) \(path)", node)]) }
                    continue
                }
                read(method, path, operation, node, item, common)
            }
        }
    }

    private static func operations(
        of item: OpenAPIObject,
        _ document: OpenAPIDocument
    ) -> [(method: String, node: OpenAPINode)] {
        var found: [(method: String, node: OpenAPINode)] = []
        for (name, node) in item.members {
            if methods.contains(name.lowercased()) {
                found.append((name.uppercased(), node))
            } else if name == "additionalOperations" || name == "x-oai-additionalOperations" {
                found += (document.object(node)?.members ?? []).map { ($0.name, $0.node) }
            } else if !name.hasPrefix("x-"), name != "servers", name != "parameters",
                let object = document.object(node), object["responses"] != nil
            {
                found.append((name.uppercased(), node))
            }
        }
        return found
    }

    private func read(
        _ method: String,
        _ path: String,
        _ operation: OpenAPIObject,
        _ node: OpenAPINode,
        _ item: OpenAPIObject,
        _ common: OpenAPICredentials?
    ) {
        let name = Self.name(of: operation, method, path)
        var draft = OpenAPIDraft(target: ImportedTarget(name: name, request: ""))
        let objects = parameters(item, operation)
        let parameters = objects.compactMap {
            OpenAPIParameter($0, in: document, isSwagger: isSwagger)
        }
        draft.target.losses += lossesOfParameters(item, operation, objects)
        var variables: [String: String] = [:]
        var request = requestPath(path, parameters, &variables, &draft)
        let hasAuth = (operation["security"] ?? root["security"])?.list.isEmpty == false
        let left = add(parameters, hasAuth: hasAuth, to: &draft, &request)
        addBody(operation, objects, to: &draft)
        let server = server(of: operation, item, &draft)
        addCredentials(of: operation, common, isElsewhere: server != nil, to: &draft)
        addAccept(operation, &draft)
        finish(&draft, method, (server ?? "") + request)
        addExpectations(operation, to: &draft.target)
        draft.target.note = note(operation, of: item, name, parameters, left, draft)
        addOperationLosses(operation, to: &draft.target)
        operations.append(
            OpenAPIOperation(
                object: operation,
                node: node,
                method: method,
                path: path,
                groups: operation.list("tags").compactMap(\.text),
                target: draft.target,
                variables: variables
            )
        )
    }

    /// What is said of something that is not of the kind that the specification wants there.
    func loss(_ kind: String, _ name: String, _ node: OpenAPINode) -> ImportLoss {
        let text = node.json.string ?? node.json.text(.pretty) ?? ""
        return ImportLoss(
            kind,
            "it is not what OpenAPI has there",
            text: name.isEmpty ? text : "\(name): \(text)",
            line: document.line(of: node)
        )
    }

    private func finish(_ draft: inout OpenAPIDraft, _ method: String, _ request: String) {
        if Self.methods.contains(method.lowercased()) {
            draft.target.request = "\(method) \(request)"
        } else {
            draft.target.request = request
            draft.target["method"] = .string(method)
        }
        if !draft.query.isEmpty { draft.target["query"] = .object(draft.query) }
        if !draft.headers.isEmpty { draft.target["headers"] = .object(draft.headers) }
    }

    /// Where many operations ask for the same media type, it stands in `defaults`.
    private func addCommonFields() {
        var counts: [String: Int] = [:]
        for operation in operations {
            if let accept = Self.accept(of: operation.target) { counts[accept, default: 0] += 1 }
        }
        let common = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        guard let common, common.value > 1, common.value * 2 > operations.count else { return }
        var headers: [Value.Member] = []
        if case .object(let members)? = workspace.defaults["headers"] { headers = members }
        headers.append(Value.Member("Accept", .string(common.key)))
        workspace.defaults["headers"] = .object(headers)
        for index in operations.indices
        where Self.accept(of: operations[index].target) == common.key {
            // Defaults do not go to other servers.
            let request = operations[index].target.request
            guard let space = request.firstIndex(of: " "),
                request[space...].dropFirst().hasPrefix("/"),
                case .object(var members)? = operations[index].target["headers"]
            else { continue }
            members["Accept"] = nil
            operations[index].target["headers"] = members.isEmpty ? nil : .object(members)
        }
    }

    private static func accept(of target: ImportedTarget) -> String? {
        guard case .object(let members)? = target["headers"],
            case .string(let text)? = members["Accept"]
        else {
            return nil
        }
        return text
    }

    // MARK: names and groups

    private static func name(of operation: OpenAPIObject, _ method: String, _ path: String)
        -> String
    {
        if let summary = operation.words("summary")?.inOneLine.trimmingBlanks, !summary.isEmpty {
            guard summary.count > 90 else { return summary }
            let cut = summary.prefix(80)
            let end = cut.lastIndex(of: " ") ?? cut.endIndex
            return "\(cut[..<end])…"
        }
        if let id = operation.words("operationId") { return id }
        let words = path.split(separator: "/").joined(separator: " ")
        return words.isEmpty ? method : "\(method) \(words)"
    }
}
