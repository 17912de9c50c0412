import Apus
import Workspaces

/// A case of the enum: its declaration, and what it gives for each property.
struct SwiftCase {
    /// An expression of Swift, and the names that it uses.
    struct Expression {
        var text: String
        var names: Set<String> = []

        init(_ text: String, _ names: Set<String> = []) { (self.text, self.names) = (text, names) }
    }

    let request: ExportedRequest
    private let name: String
    private let workspace: ExportedWorkspace
    /// The associated values: their names in Swift, by the variables' names, and their values in the environment.
    private var labels: [(variable: ExportVariable, label: String, value: String?)] = []
    private(set) var losses: [ImportLoss] = []
    private(set) var baseURL = Expression("")
    private(set) var path = Expression("")
    private(set) var method = Expression(".get")
    private(set) var headerFields = Expression("[:]")
    private(set) var task = Expression(".plain")
    private(set) var options = Expression("TransportOptions()")

    init(
        _ request: ExportedRequest,
        named name: String,
        _ workspace: ExportedWorkspace,
        _ values: ExportValues
    ) {
        (self.request, self.name, self.workspace) = (request, name, workspace)
        var seen: Set<ExportVariable> = []
        // The enum has no field for a token that must be got first.
        for variable in Self.texts(of: request).flatMap(\.variables)
        where seen.insert(variable).inserted && variable.name != request.tokenVariable?.name {
            addLabel(variable, values.text(ExportText([.variable(variable)], .plain)))
        }
        losses += request.fixedValues
        losses += request.lostSettings(carrying: Self.carried, "an enum of targets")
        (baseURL, path) = url
        method = Self.method(request.method)
        headerFields = fields
        task = body
        options = settings
        for expectation in request.expectations {
            let text = values.shown(request.text(expectation.description))
            losses.append(
                ImportLoss("an expectation", "a target of a program has none", text: text)
            )
        }
    }

    /// The texts that a case has.
    private static func texts(of request: ExportedRequest) -> [ExportText] {
        var texts = request.messageTexts
        switch request.authorization {
        case .digest(let user, let password), .ntlm(let user, let password):
            texts += [request.text(user), request.text(password)]
        default: break
        }
        if let proxy = request.options.proxy { texts.append(request.text(proxy, .url)) }
        return texts
    }

    /// The settings that the cases have.
    private static let carried: Set<String> = [
        "timeout", "connectTimeout", "redirects", "trustRedirects", "verifyTLS", "caFile",
        "unixSocket", "httpVersion", "proxy", "decode", "maxBody", "trace", "cookies", "expect",
        "clientCertificate", "download",
    ]

    private mutating func addLabel(_ used: ExportVariable, _ value: String?) {
        let base = used.isBaseURL ? "baseURL" : SwiftNames.memberName(used.name)
        var label = base
        var number = 2
        while labels.contains(where: { $0.label == label }) {
            label = "\(base)\(number)"
            number += 1
        }
        labels.append((used, label, value))
    }

    // MARK: The declaration

    /// The comment above the case.
    var about: String {
        let texts = [request.name, request.summary, request.note].compactMap(\.self)
        return texts.joined(separator: "\n\n")
    }

    /// The case after its keyword, such as `show(user: String = "7", token: String)`.
    var declaration: String {
        let values = labels.map { label in
            let standard = label.value.map { " = \(SwiftNames.literal($0))" } ?? ""
            return "\(SwiftNames.escaped(label.label)): String\(standard)"
        }
        let name = SwiftNames.escaped(name)
        return values.isEmpty ? name : "\(name)(\(values.joined(separator: ", ")))"
    }

    /// An expression that makes the case; what has no value is read from the environment.
    var call: String {
        let arguments = labels.compactMap { label -> String? in
            guard label.value == nil else { return nil }
            let name = SwiftNames.literal(label.variable.environmentName)
            return "\(SwiftNames.escaped(label.label)): "
                + "ProcessInfo.processInfo.environment[\(name)] ?? \"\""
        }
        let name = ".\(SwiftNames.escaped(name))"
        return labels.isEmpty ? name : "\(name)(\(arguments.joined(separator: ", ")))"
    }

    /// The pattern that binds what an expression uses.
    func pattern(using expression: Expression) -> String {
        let name = ".\(SwiftNames.escaped(name))"
        guard !expression.names.isEmpty else { return name }
        let parts = labels.map { label in
            expression.names.contains(label.label) ? "let \(SwiftNames.escaped(label.label))" : "_"
        }
        return "\(name)(\(parts.joined(separator: ", ")))"
    }

    /// All expressions, to see which functions they use.
    var allTexts: String {
        [baseURL, path, headerFields, task, options].map(\.text).joined(separator: "\n")
    }

    // MARK: Texts

    /// A text as a string literal with interpolations.
    private mutating func string(_ text: ExportText) -> Expression {
        var names: Set<String> = []
        if text.pieces.count == 1, text.place == .plain,
            case .variable(let variable) = text.pieces[0],
            let label = labels.first(where: { $0.variable.name == variable.name })
        {
            return Expression(SwiftNames.escaped(label.label), [label.label])
        }
        var contents = ""
        for piece in text.pieces {
            switch piece {
            case .text(let part): contents += SwiftNames.contents(part)
            case .variable, .call:
                let value = value(of: piece, &names)
                contents += "\\(\(Self.placed(value, piece, text.place)))"
            }
        }
        return Expression("\"\(contents)\"", names)
    }

    private static func placed(
        _ value: String,
        _ piece: ExportText.Piece,
        _ place: ExportText.Place
    ) -> String {
        // What a URL begins with is a URL itself.
        if case .variable(let variable) = piece, variable.isBaseURL { return value }
        return switch place {
        case .plain: value
        case .url: "Self.escaped(\(value))"
        case .json: "Self.inJSON(\(value))"
        }
    }

    private mutating func value(of piece: ExportText.Piece, _ names: inout Set<String>) -> String {
        switch piece {
        case .text(let text): return SwiftNames.literal(text)
        case .variable(let variable):
            guard let label = labels.first(where: { $0.variable.name == variable.name }) else {
                return SwiftNames.literal("")
            }
            names.insert(label.label)
            return SwiftNames.escaped(label.label)
        case .call(let call): return self.call(call, &names)
        }
    }

    private mutating func call(_ call: ExportCall, _ names: inout Set<String>) -> String {
        let arguments = call.arguments.map { argument -> String in
            let expression = string(argument)
            names.formUnion(expression.names)
            return expression.text
        }
        switch (call.function, arguments.count) {
        case ("uuid", 0): return "UUID().uuidString.lowercased()"
        case ("base64", 1): return "Self.base64(\(arguments[0]))"
        case ("url", 1): return "Self.escaped(\(arguments[0]))"
        case ("basic", 2): return "Self.base64(\(arguments[0]) + \":\" + \(arguments[1]))"
        case ("lower", 1): return "\(arguments[0]).lowercased()"
        case ("upper", 1): return "\(arguments[0]).uppercased()"
        default: break
        }
        // `isKnown` leaves no others.
        return SwiftNames.literal(call.value ?? "")
    }

    /// Whether the file makes what a function gives.
    static func isKnown(_ call: ExportCall) -> Bool {
        switch (call.function, call.arguments.count) {
        case ("uuid", 0), ("base64", 1), ("url", 1), ("basic", 2), ("lower", 1), ("upper", 1): true
        default: false
        }
    }

    // MARK: The request

    /// The URL up to its host, or the variable that it begins with; and the rest.
    private var url: (Expression, Expression) {
        mutating get {
            var base = ExportText([], .url)
            var rest = ExportText([], .url)
            var isRest = false
            for piece in request.url.pieces {
                if isRest {
                    rest.append(piece)
                    continue
                }
                guard case .text(let text) = piece else {
                    base.append(piece)
                    continue
                }
                let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
                let end = text[start...].firstIndex { "/?".contains($0) } ?? text.endIndex
                base.append(.text(String(text[..<end])))
                isRest = end < text.endIndex
                rest.append(.text(String(text[end...])))
            }
            var start = base
            start.place = .plain
            let origin = string(start)
            return (Expression("Self.url(\(origin.text))", origin.names), string(rest))
        }
    }

    private static func method(_ method: String) -> Expression {
        let known = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"]
        if known.contains(method) { return Expression(".\(method.lowercased())") }
        return Expression("HTTPRequest.Method(rawValue: \(SwiftNames.literal(method))) ?? .get")
    }

    private var fields: Expression {
        mutating get {
            var rows: [String] = []
            var names: Set<String> = []
            for field in request.fields {
                if case .multipart = request.body, field.isNamed("Content-Type") { continue }
                let value = string(field.value)
                names.formUnion(value.names)
                rows.append("(\(SwiftNames.literal(field.name)), \(value.text))")
            }
            if rows.isEmpty { return Expression("[:]") }
            return Expression("Self.fields([\(rows.joined(separator: ", "))])", names)
        }
    }

    private var body: Expression {
        mutating get {
            switch request.body {
            case .none: return Expression(".plain")
            case .unknown:
                losses.append(ImportLoss("a body", "it is not known before it is sent"))
                return Expression(".plain")
            case .text(let text):
                let value = string(text)
                return Expression(".data(Array(\(value.text).utf8))", value.names)
            case .bytes(let bytes): return Expression(".data(\(Self.list(bytes)))")
            case .file(let path):
                return Expression(".uploadFile(path: \(file(path)))")
            case .multipart(let parts, _):
                var names: Set<String> = []
                let texts = parts.map { part -> String in
                    let one = self.part(part)
                    names.formUnion(one.names)
                    return one.text
                }
                return Expression(
                    ".multipart(MultipartForm([\(texts.joined(separator: ", "))]))",
                    names
                )
            }
        }
    }

    private static func list(_ bytes: [UInt8]) -> String {
        "[\(bytes.map { String($0) }.joined(separator: ", "))]"
    }

    private mutating func part(_ part: ExportedRequest.Part) -> Expression {
        let name = SwiftNames.literal(part.name)
        let file = part.fileName.map { ", fileName: \(SwiftNames.literal($0))" } ?? ""
        let type = part.type.map { ", type: \(SwiftNames.literal($0))" } ?? ""
        switch part.content {
        case .text(let text):
            let value = string(text)
            return Expression(
                ".data(\(name), Array(\(value.text).utf8)\(file)\(type))",
                value.names
            )
        case .bytes(let bytes):
            return Expression(".data(\(name), \(Self.list(bytes))\(file)\(type))")
        case .file(let path):
            return Expression(".file(\(name), path: \(self.file(path))\(file)\(type))")
        }
    }

    /// The path of a file from the root, for the file of Swift is not where the program runs.
    private func file(_ path: String) -> String {
        SwiftNames.literal(Workspace.absolutePath(path))
    }

    // MARK: Settings

    private var settings: Expression {
        mutating get {
            let (options, standard) = (request.options, TransportOptions())
            var changes: [String] = []
            var names: Set<String> = []
            if options.timeout != standard.timeout {
                changes.append("$0.timeout = \(Self.duration(options.timeout))")
            }
            if options.connectTimeout != standard.connectTimeout {
                changes.append("$0.connectTimeout = \(Self.duration(options.connectTimeout))")
            }
            if options.maximumRedirects != standard.maximumRedirects {
                changes.append("$0.maximumRedirects = \(options.maximumRedirects)")
            }
            if !options.verifiesTLS { changes.append("$0.verifiesTLS = false") }
            if options.requestedVersion != standard.requestedVersion {
                changes.append(
                    "$0.requestedVersion = .init(rawValue: \(SwiftNames.literal(options.requestedVersion.rawValue))) ?? .automatic"
                )
            }
            if options.trustsRedirects { changes.append("$0.trustsRedirects = true") }
            if options.tracesWire { changes.append("$0.tracesWire = true") }
            if !options.sendsCookies { changes.append("$0.sendsCookies = false") }
            if let size = options.maximumBodySize {
                changes.append("$0.maximumBodySize = \(size)")
            }
            if !options.decodesContent { changes.append("$0.decodesContent = false") }
            if let proxy = options.proxy {
                let value = string(request.text(proxy))
                names.formUnion(value.names)
                changes.append("$0.proxy = \(value.text)")
            }
            if let file = options.certificateAuthorityFile {
                changes.append("$0.certificateAuthorityFile = \(self.file(file))")
            }
            if let socket = options.unixSocket {
                changes.append("$0.unixSocket = \(file(socket))")
            }
            if !request.omittedFields.isEmpty {
                let list = request.omittedFields.map { "HTTPField.Name(\(SwiftNames.literal($0)))" }
                changes.append(
                    "$0.omittedFields = Set([\(list.joined(separator: ", "))].compactMap { $0 })"
                )
            }
            if let credentials = credentials(&names) { changes.append(credentials) }
            if options.clientCertificate != nil {
                losses.append(ImportLoss("a client certificate", "set it in `options`"))
            }
            if request.download != nil {
                losses.append(
                    ImportLoss("the file that the response is saved to", "use `.download`")
                )
            }
            guard !changes.isEmpty else { return Expression("TransportOptions()") }
            return Expression(
                "TransportOptions().with { \(changes.joined(separator: "; ")) }",
                names
            )
        }
    }

    private mutating func credentials(_ names: inout Set<String>) -> String? {
        switch request.authorization {
        case .none, .bearer, .basic, .apiKey: return nil
        case .digest(let user, let password), .ntlm(let user, let password):
            let (name, secret) = (string(request.text(user)), string(request.text(password)))
            names.formUnion(name.names.union(secret.names))
            return
                "$0.credentials = ServerCredentials(.\(request.authorization.name), user: \(name.text), password: Secret(\(secret.text)))"
        case .negotiate: return "$0.credentials = .negotiate"
        case .netrc(let file):
            let path = file.map { "; $0.netrcFile = \(self.file($0))" } ?? ""
            return "$0.usesNetrc = true\(path)"
        case .oauth2, .aws, .custom:
            losses.append(
                ImportLoss(
                    "credentials of the kind \(request.authorization.name)",
                    "give the provider a plugin for them"
                )
            )
            return nil
        }
    }

    private static func duration(_ duration: Duration?) -> String {
        guard let duration else { return "nil" }
        let (seconds, rest) = duration.components
        return rest == 0
            ? ".seconds(\(seconds))"
            : ".milliseconds(\(seconds * 1000 + rest / 1_000_000_000_000_000))"
    }
}
