import Apus
import FoundationEssentials
import HTTPTypes

extension WorkspaceTargetDraft {
    /// The request's own part of the URL: a path, or a whole URL.
    mutating func reference() -> RequestReference? {
        guard let parts = evaluation.parts(target.path) else { return nil }
        do throws(RequestReference.Fault) {
            return try RequestReference(parts)
        } catch {
            report(error)
            return nil
        }
    }

    private func report(_ fault: RequestReference.Fault) {
        switch fault {
        case .origin(let part): evaluation.refuse(part, "be part of a scheme, a host or a port")
        case .segment(let part, let name):
            guard let reference = part.reference else { return }
            log.add(
                reference.span,
                "with `\(reference.name)` a part of the path is "
                    + (name.isEmpty ? "empty" : "`\(name)`") + ", and the path leads elsewhere",
                hint: "`{{ \(reference.name) | raw }}` says that it may"
            )
        }
    }

    mutating func baseURL(for reference: RequestReference) -> (url: URL, shown: String)? {
        let path = reference.text
        if RequestReference.isWhole(path.text) {
            guard let url = URL(string: Self.origin(of: path.text)) else {
                log.add(target.path.span, "`\(path.shown)` is no URL")
                return nil
            }
            return (url, "")
        }
        guard let template = settings.baseURL else {
            log.add(
                environment.span,
                "there is no `baseURL`",
                hint: "give one to the environment or to `defaults`, or write whole URLs"
            )
            return nil
        }
        guard let text = evaluation.ownText(template, "a `baseURL`") else { return nil }
        addCredentials(of: template)
        guard let url = URL(string: text.text), url.scheme == "http" || url.scheme == "https",
            url.host()?.isEmpty == false
        else {
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

    /// Whether a request may follow a link that an answer gave: to the origin of its `baseURL` with
    /// all that it carries, to any other only with nothing secret, as a redirect.
    mutating func mayFollow(_ reference: RequestReference, _ fields: HTTPFields) -> Bool {
        guard let link = reference.link, !link.text.text.hasPrefix("/") else { return true }
        let base = settings.baseURL.flatMap { evaluation.text($0)?.text }
        if let base, URLOrigin.isSame(base, reference.text.text) { return true }
        guard !evaluation.secrets.isEmpty || fields.contains(where: Self.isSecret) else {
            return true
        }
        let name = link.reference?.name ?? ""
        log.add(
            link.reference?.span ?? target.path.span,
            "`\(name)` leads to another origin than `baseURL`, and the request carries credentials",
            hint: "`{{ \(name) | raw }}` says that it may"
        )
        return false
    }

    private static func isSecret(_ field: HTTPField) -> Bool { SecretFields.contains(field.name) }

    /// Takes the variables of a URL for credentials that stand where it has some.
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
        return isComplete ? pairs : nil
    }

    /// A list gives its name once for each element.
    mutating func append(
        _ name: String,
        _ template: TemplateValue,
        to pairs: inout ResolvedPairs,
        _ what: String,
        _ span: Span
    ) -> Bool {
        guard let value = evaluation.value(template) else { return false }
        if CredentialMask.isSecret(parameter: name) {
            evaluation.addCredential(value.value.scalarText ?? "", madeOf: template)
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
                    expected: "a text or a list of texts"
                )
                return false
            }
            pairs.append(name, text, shown: shown.scalarText ?? "")
        }
        return true
    }
}
