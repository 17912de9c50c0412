import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Secrets

extension WorkspaceTargetBuilder {
    /// The target's own part of the URL: a path, or a whole URL; nil if something is wrong, which is logged.
    mutating func reference() -> RequestURLBuilder? {
        guard let parts = evaluation.parts(target.path) else { return nil }
        do throws(RequestURLBuilder.Fault) {
            return try RequestURLBuilder(parts)
        } catch {
            report(error)
            return nil
        }
    }

    private func report(_ fault: RequestURLBuilder.Fault) {
        switch fault {
        case .origin(let part): evaluation.refuse(part, "be part of a scheme, a host or a port")
        case .segment(let part, let name):
            guard let reference = part.reference else { return }
            log.add(
                reference.span,
                "`\(reference.name)` makes a segment of the path "
                    + (name.isEmpty ? "empty" : "`\(name)`") + ", so the path leads elsewhere",
                hint: "`{{ \(reference.name) | raw }}` allows it"
            )
        }
    }

    mutating func baseURL(for reference: RequestURLBuilder) -> (url: URL, shown: String)? {
        let path = reference.text
        if RequestURLBuilder.isWhole(path.text) {
            let found: URL?
            do throws(HostNameError) {
                found = try place.bases.url(Self.origin(of: path.text))
            } catch {
                if let need = evaluation.need(missingIn: path) {
                    return origin(awaiting: need, path, target.path.span)
                }
                refuseHost(of: path.shown, error, target.path.span)
                return nil
            }
            guard let url = found else {
                if let need = evaluation.need(missingIn: path) {
                    return origin(awaiting: need, path, target.path.span)
                }
                log.add(target.path.span, "`\(path.shown)` is not a URL")
                return nil
            }
            return (url, "")
        }
        guard let template = settings.baseURL else {
            if let need = evaluation.need(missingIn: path) {
                return origin(awaiting: need, path, target.path.span)
            }
            log.add(
                environment.span,
                "there is no `baseURL`",
                hint: "set one in the environment or in `defaults`, or use whole URLs"
            )
            return nil
        }
        guard let text = evaluation.ownText(template, "a `baseURL`") else { return nil }
        addCredentials(of: template)
        let base: URL?
        do throws(HostNameError) {
            base = try place.bases.url(text.text)
        } catch {
            if let need = evaluation.need(missingIn: text) {
                return origin(awaiting: need, text, template.span)
            }
            refuseHost(of: text.shown, error, template.span)
            return nil
        }
        guard let url = base, url.scheme == "http" || url.scheme == "https",
            url.host()?.isEmpty == false
        else {
            if let need = evaluation.need(missingIn: text) {
                return origin(awaiting: need, text, template.span)
            }
            log.add(
                template.span,
                "`\(text.shown)` cannot be a `baseURL`",
                expected: "an `http://` or `https://` URL with a host"
            )
            return nil
        }
        let separator = text.text.hasSuffix("/") || path.text.hasPrefix("/") ? "" : "/"
        let both = text.text.hasSuffix("/") && path.text.hasPrefix("/")
        return (url, both ? String(text.shown.dropLast()) : text.shown + separator)
    }

    /// What stands for the origin that a value to come will name; nil, which is logged, if it is to be sent, for
    /// then it must be known where to.
    private func origin(
        awaiting need: SupplyNeed,
        _ text: ResolvedText,
        _ span: Span
    ) -> (url: URL, shown: String)? {
        if evaluation.purpose == .checking, let url = URL(string: "http://value.invalid") {
            return (url, text.shown)
        }
        let name = need.key.name
        let problem = Problem(
            span,
            "`\(name)` has no value yet, and without it there is no URL",
            hint: "`--set \(name)=…` gives it one"
        )
        let isSecret = need.key.origin.isSecret(name)
        log.add(Evaluation.missing(name, isSecret: isSecret, problem))
        return nil
    }

    private mutating func refuseHost(
        of url: String,
        _ fault: HostNameError,
        _ span: Span
    ) {
        log.add(span, "the host of `\(url)` cannot be used: \(fault.detail)")
    }

    /// Whether a request may follow a link from a response.
    ///
    /// To the origin of its `baseURL` it may carry everything, to any other only what goes with a redirect.
    mutating func mayFollow(
        _ reference: RequestURLBuilder,
        _ query: ResolvedPairs,
        _ resolved: WorkspaceTarget
    ) -> Bool {
        guard let link = reference.link, !link.text.text.hasPrefix("/") else { return true }
        let base = settings.baseURL.flatMap { evaluation.text($0)?.text }
        if let base, URLOrigin.isSame(base, reference.text.text) { return true }
        // Credentials in the link itself are meant for the origin that it leads to.
        let secrets = evaluation.secrets.subtracting(URLCredentials.texts(in: link.text.text))
        // A request that cannot be prepared is not sent either.
        let request = try? Endpoint(resolved).request
        guard
            !secrets.isEmpty || request?.isForOwnOrigin == true || hasSecret(query)
                || resolved.signing != nil
        else {
            return true
        }
        let name = link.reference?.name ?? ""
        log.add(
            link.reference?.span ?? target.path.span,
            "`\(name)` leads to another origin than `baseURL`, and the request has credentials, a body or fields of its own",
            hint: "`{{ \(name) | raw }}` allows it"
        )
        return false
    }

    /// Whether the target's own path or the query has a credential in it.
    private func hasSecret(_ query: ResolvedPairs) -> Bool {
        let own = target.path.segments.map { if case .literal(let text) = $0 { text } else { "" } }
            .joined()
        return CredentialMask().masking(url: own) != own
            || query.parameters.contains { isSecret($0.name) }
    }

    /// Marks as credentials the variables that stand where a URL has a credential.
    mutating func addCredentials(of template: Template) {
        for name in template.credentialNames { evaluation.addCredential(named: name) }
    }

    private static func origin(of url: String) -> String {
        guard let mark = url.utf8.firstRange(of: "://".utf8) else { return url }
        let authority = url.unicodeScalars[mark.upperBound...]
            .prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return String(url[..<authority.endIndex])
    }

    mutating func query() -> ResolvedPairs? {
        var pairs = ResolvedPairs()
        var isComplete = true
        for item in settings.query {
            guard let template = item.value else { continue }
            if !append(item.name, template, to: &pairs, "a query parameter", item.span) {
                isComplete = false
            }
        }
        if case .apiKey(let key) = settings.authorization, key.place == .query {
            guard let value = evaluation.text(key.value) else { return nil }
            evaluation.addSecret(value.text)
            addCredentials(of: key.value)
            pairs.append(key.name, value.text, shown: CredentialMask.mask)
        }
        return isComplete ? pairs : nil
    }

    /// Adds a parameter, or one for each element of a list; false if something is wrong, which is logged.
    mutating func append(
        _ name: String,
        _ template: TemplateValue,
        to pairs: inout ResolvedPairs,
        _ what: String,
        _ span: Span
    ) -> Bool {
        guard let value = evaluation.value(template) else { return false }
        if isSecret(name) {
            addCredentials(value.value, of: template)
        }
        let elements: [(Value, Value)] =
            if case .array(let values) = value.value, case .array(let shown) = value.shown {
                Array(zip(values, shown))
            } else {
                [(value.value, value.shown)]
            }
        for (element, shown) in elements {
            guard let text = element.scalarText ?? (element == .null ? "" : nil) else {
                log.add(
                    span,
                    "\(what) cannot be \(element.kindName)",
                    expected: "a string or a list of strings"
                )
                return false
            }
            pairs.append(name, text, shown: shown.scalarText ?? "")
        }
        return true
    }
}

extension WorkspaceTargetBuilder {
    struct Body {
        var task = RequestTask.plain
        var contentType: String?
        var shown: String?
    }

    mutating func body() -> Body? {
        switch target.sentBody {
        case .none: return Body()
        case .text(let template):
            return evaluation.text(template).map {
                Body(
                    task: .data(Array($0.text.utf8)),
                    contentType: "text/plain; charset=utf-8",
                    shown: $0.shown
                )
            }
        case .json(let template):
            // Not written by the engine's encoder, so that numbers keep the file's notation.
            let value = evaluation.value(template)
            addCredentials(of: template)
            return value.map {
                Body(
                    task: .data(Array($0.value.json.utf8)),
                    contentType: "application/json",
                    shown: $0.shown.prettyJSON
                )
            }
        case .form(let members): return form(members)
        case .multipart(let parts): return multipart(parts)
        case .graphQL(let setting): return graphQL(setting)
        case .upload(let setting):
            return upload(setting).map {
                Body(task: .uploadFile(path: $0.path), shown: "file \($0.shown)")
            }
        }
    }

    /// Marks the values of members with a credential's name as credentials.
    private mutating func addCredentials(of template: TemplateValue) {
        switch template {
        case .constant, .text: break
        case .array(let elements): for element in elements { addCredentials(of: element) }
        case .object(let members):
            for member in members {
                guard isSecret(member.name) else {
                    addCredentials(of: member.value)
                    continue
                }
                addCredentials(evaluation.value(member.value)?.value, of: member.value)
            }
        }
    }

    /// Marks the texts of a value, those in lists too, and the variables they are made of as credentials.
    private mutating func addCredentials(_ value: Value?, of template: TemplateValue) {
        evaluation.addCredential("", madeOf: template)
        for text in value?.credentials() ?? [] {
            evaluation.addCredential(text, madeOf: .constant(.null))
        }
    }

    private mutating func form(_ members: [TemplateValue.Member]) -> Body? {
        var pairs = ResolvedPairs()
        var isComplete = true
        for member in members
        where !append(member.name, member.value, to: &pairs, "a form field", target.span) {
            isComplete = false
        }
        guard isComplete else { return nil }
        return Body(
            task: .parameters(ParameterList(pairs.parameters), encoding: .form),
            shown: pairs.shown.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
        )
    }

    private mutating func multipart(_ parts: [PartSetting]) -> Body? {
        guard !parts.isEmpty else {
            log.add(target.span, "`multipart` has no parts")
            return nil
        }
        var form: [MultipartForm.Part] = []
        var shown: [String] = []
        for part in parts {
            switch part.content {
            case .text(let template):
                guard let value = evaluation.value(template) else { continue }
                if isSecret(part.name) { addCredentials(value.value, of: template) }
                guard let text = value.value.scalarText else {
                    log.add(target.span, "the part `\(part.name)` is neither a string nor a file")
                    continue
                }
                form.append(.text(part.name, text))
                let known = isSecret(part.name) ? CredentialMask.mask : value.shown.scalarText
                shown.append("\(part.name)=\(known ?? "")")
            case .file(let setting, let type):
                guard let file = upload(setting) else { continue }
                var given: String?
                if let type {
                    guard let text = evaluation.text(type) else { continue }
                    given = text.text
                }
                form.append(.file(part.name, path: file.path, type: given))
                shown.append("\(part.name)=file \(file.shown)")
            }
        }
        guard form.count == parts.count else { return nil }
        return Body(
            task: .multipart(MultipartForm(form)),
            shown: shown.joined(separator: "\n")
        )
    }

    /// A JSON body ("GraphQL over HTTP", section 5.4), in which numbers keep the file's notation.
    private mutating func graphQL(_ setting: GraphQLSetting) -> Body? {
        guard let query = evaluation.text(setting.query) else { return nil }
        var members = [Value.Member("query", .string(query.text))]
        var shown = query.shown
        if let operation = setting.operation {
            guard let name = evaluation.text(operation) else { return nil }
            members.append(Value.Member("operationName", .string(name.text)))
        }
        if let variables = setting.variables {
            guard let value = evaluation.value(variables) else { return nil }
            addCredentials(of: variables)
            members.append(Value.Member("variables", value.value))
            shown += "\n\(value.shown.prettyJSON)"
        }
        return Body(
            task: .data(Array(Value.object(members).json.utf8)),
            contentType: "application/json",
            shown: shown
        )
    }

    func task(
        _ body: RequestTask,
        _ query: [Parameter],
        _ destination: DownloadDestination?
    ) -> RequestTask {
        var task = body
        if !query.isEmpty {
            if case .plain = body {
                task = .parameters(ParameterList(query), encoding: .query)
            } else {
                task = .composite(body: body, query: ParameterList(query))
            }
        }
        return destination.map { .download(to: $0, sending: task) } ?? task
    }
}

extension WorkspaceTargetBuilder {
    struct Fields {
        var fields = HTTPFields()
        var shown: [RequestDisplay.Field] = []
        var authorization: String?
    }

    mutating func fields(contentType: String?) -> Fields? {
        var result = Fields()
        var counted = CountedFields()
        var isComplete = true
        for header in settings.headers {
            guard let template = header.value else { continue }
            guard let text = text(of: header, template), isValid(text, header) else {
                isComplete = false
                continue
            }
            if isSecret(header.name) {
                let credentials = text.text.drop { $0 != " " }.dropFirst()
                evaluation.addCredential(String(credentials), madeOf: .text(template))
                evaluation.addCredential(text.text, madeOf: .text(template))
            }
            do throws(FieldLimits.Excess) {
                try counted.append(HTTPField(name: header.name, value: text.text))
            } catch {
                log.add(header.span, "\(error)")
                return nil
            }
            result.shown.append(
                RequestDisplay.Field(
                    name: header.name.rawName,
                    value: shown(text, of: header.name)
                )
            )
        }
        result.fields = counted.fields
        let hasNoType = settings.headers.contains { $0.name == .contentType && $0.value == nil }
        if let contentType, result.fields[.contentType] == nil, !hasNoType {
            result.fields[.contentType] = contentType
            result.shown.append(RequestDisplay.Field(name: "Content-Type", value: contentType))
        }
        return authorize(&result) && isComplete ? result : nil
    }

    /// A field's value; nil if something is wrong, which is logged.
    ///
    /// Fields that decide where a request goes and how it is framed (RFC 9110, sections 7.2, 7.6.1 and 8.6;
    /// RFC 9112, section 6.1) cannot have values from a response.
    private mutating func text(
        of header: RequestSettings.Header,
        _ template: Template
    ) -> ResolvedText? {
        guard Self.routingFields.contains(header.name.canonicalName) else {
            return evaluation.text(template)
        }
        return evaluation.ownText(template, "the field `\(header.name.rawName)`")
    }

    private static let routingFields: Set<String> = [
        "host", ":authority", "content-length", "transfer-encoding", "connection",
        "proxy-connection", "keep-alive", "upgrade", "te", "trailer", "expect", "http2-settings",
    ]

    private func isValid(_ text: ResolvedText, _ header: RequestSettings.Header) -> Bool {
        guard HTTPField.isValidValue(text.text) else {
            log.add(
                header.span,
                "the field `\(header.name.rawName)` cannot have this value",
                expected: "no line breaks or other control characters, and no space at its ends"
            )
            return false
        }
        return true
    }

    /// A field's value for display; credentials are masked even if the file has them in plain text.
    private func shown(_ text: ResolvedText, of name: HTTPField.Name) -> String {
        guard isSecret(name) else { return text.shown }
        let scheme = text.shown.prefix { $0 != " " }
        let hasScheme = [.authorization, .proxyAuthorization].contains(name)
        return hasScheme && scheme.count < text.shown.count
            ? "\(scheme) \(CredentialMask.mask)" : CredentialMask.mask
    }
}

/// Names and values of a query or a form, as they are sent and as they are shown.
struct ResolvedPairs {
    private(set) var parameters: [Parameter] = []
    private(set) var shown: [(name: String, value: String)] = []

    mutating func append(_ name: String, _ value: String, shown: String) {
        parameters.append(Parameter(name, .string(value)))
        self.shown.append((name, shown))
    }

    /// The query for display after a path, which may already have a query.
    func shown(after path: String) -> String {
        guard !shown.isEmpty else { return "" }
        let text = shown.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return (path.contains("?") ? "&" : "?") + text
    }
}
