import Apus
import FoundationEssentials

extension WorkspaceTargetDraft {
    mutating func baseURL(for path: ResolvedText) -> (url: URL, shown: String)? {
        if path.text.hasPrefix("http://") || path.text.hasPrefix("https://") {
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
        guard let text = evaluation.text(template) else { return nil }
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

    private static func origin(of url: String) -> String {
        guard let mark = url.firstRange(of: "://") else { return url }
        let rest = url[mark.upperBound...]
        return String(url[..<mark.upperBound] + rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
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
