/// Fills in templates for one request, and remembers what it used.
struct Evaluation {
    enum Purpose {
        /// To be sent: everything must be there.
        case sending
        /// Only to find faults: secrets and captured values may be missing.
        case checking
    }

    /// More than any URL or body template needs; variables that double each
    /// other reach it in twenty steps.
    private static let maximumLength = 1 << 20
    private static let maximumTotal = 16 << 20

    let scope: Scope
    let purpose: Purpose
    let log: ProblemLog
    /// Names that only a chain gives, and what to say when one is missing.
    var advice: [String: String] = [:]

    /// The secrets that were used.
    private(set) var mask = SecretMask()
    /// The variables that the templates named, in order, as they may be shown.
    private(set) var used: [(name: String, shown: String)] = []
    private var done: [String: ResolvedValue?] = [:]
    private var path: [String] = []
    private var total = 0

    init(
        scope: Scope,
        purpose: Purpose,
        log: ProblemLog,
        advice: [String: String] = [:]
    ) {
        self.scope = scope
        self.purpose = purpose
        self.log = log
        self.advice = advice
    }

    /// The text; nil if something is wrong, which is logged.
    mutating func text(_ template: Template) -> ResolvedText? {
        var result: ResolvedText? = ResolvedText("")
        for segment in template.segments {
            switch segment {
            case .literal(let text): result = result.map { $0 + ResolvedText(text) }
            case .name(let name, let span):
                let part = text(named: name, span)
                result = result.flatMap { whole in part.map { whole + $0 } }
            }
        }
        if let length = result?.text.utf8.count, !admit(length, template.span) { return nil }
        return result
    }

    /// The value; a text that is just `{{ name }}` has the variable's type.
    mutating func value(_ template: TemplateValue) -> ResolvedValue? {
        switch template {
        case .constant(let value): return ResolvedValue(value)
        case .text(let template):
            if let (name, span) = template.onlyName { return value(named: name, span) }
            return text(template).map {
                ResolvedValue(.string($0.text), shown: .string($0.shown))
            }
        case .array(let elements):
            let values = elements.map { value($0) }
            let present = values.compactMap(\.self)
            guard present.count == values.count else { return nil }
            return ResolvedValue(
                .array(present.map(\.value)),
                shown: .array(present.map(\.shown))
            )
        case .object(let members):
            return object(members)
        }
    }

    /// Takes a text as a secret of this request, such as a password in `auth`.
    mutating func addSecret(_ text: String) { mask.insert(text) }

    private mutating func admit(_ length: Int, _ span: Span) -> Bool {
        total += length
        guard length <= Self.maximumLength, total <= Self.maximumTotal else {
            let limit = length > Self.maximumLength ? "1 MiB" : "16 MiB in all"
            log.add(span, "longer than \(limit) with its variables filled in")
            return false
        }
        return true
    }

    private mutating func object(_ members: [TemplateValue.Member]) -> ResolvedValue? {
        let values = members.map { value($0.value) }
        var real: [Value.Member] = []
        var shown: [Value.Member] = []
        for (member, value) in zip(members, values) {
            guard let value else { return nil }
            real.append(Value.Member(member.name, value.value))
            shown.append(Value.Member(member.name, value.shown))
        }
        return ResolvedValue(.object(real), shown: .object(shown))
    }

    private mutating func text(named name: String, _ span: Span) -> ResolvedText? {
        guard let value = value(named: name, span) else { return nil }
        guard let text = value.value.scalarText else {
            log.add(
                span,
                "`\(name)` is \(value.value.kindName) and cannot stand in a text",
                hint: "as a JSON value of its own it can: `\"{{ \(name) }}\"`"
            )
            return nil
        }
        return ResolvedText(text, shown: value.shown.scalarText)
    }

    private mutating func value(named name: String, _ span: Span) -> ResolvedValue? {
        let isDirect = path.isEmpty
        guard let result = lookUp(name, span),
            admit(result.value.scalarText?.utf8.count ?? 0, span)
        else { return nil }
        if isDirect, !used.contains(where: { $0.name == name }) {
            used.append((name, result.shown.scalarText ?? result.shown.json))
        }
        return result
    }

    private mutating func lookUp(_ name: String, _ span: Span) -> ResolvedValue? {
        if let known = done[name] { return known }
        if let start = path.firstIndex(of: name) {
            reportCircle(Array(path[start...]), span)
            return nil
        }
        guard let binding = scope[name] else {
            reportUnknown(name, span)
            return nil
        }
        path.append(name)
        let result = resolve(binding, name, span)
        path.removeLast()
        done[name] = .some(result)
        return result
    }

    private mutating func resolve(
        _ binding: Scope.Binding,
        _ name: String,
        _ span: Span
    ) -> ResolvedValue? {
        switch binding {
        case .value(let value): return value
        case .variable(let variable):
            switch variable.content {
            case .value(let template): return value(template)
            case .secret(let secret): return reveal(secret, name, span)
            }
        }
    }

    private mutating func reveal(
        _ secret: Secret,
        _ name: String,
        _ span: Span
    ) -> ResolvedValue? {
        let shown = Value.string(SecretMask.placeholder)
        if let value = secret.value {
            mask.insert(value)
            return ResolvedValue(.string(value), shown: shown)
        }
        if purpose == .checking { return ResolvedValue(shown, shown: shown) }
        log.add(span, "`\(name)` has no value: \(secret.fault ?? secret.origin)")
        return nil
    }

    /// Said the same way wherever the circle was entered, so that it is said once.
    private func reportCircle(_ names: [String], _ span: Span) {
        guard let first = names.min(), let start = names.firstIndex(of: first) else { return }
        let circle = names[start...] + names[..<start] + [first]
        var place = span
        if case .variable(let variable) = scope[first] { place = variable.span }
        log.add(
            place,
            "the variable `\(first)` needs itself: \(circle.joined(separator: " → "))"
        )
    }

    private func reportUnknown(_ name: String, _ span: Span) {
        if let hint = advice[name] {
            log.add(span, "`\(name)` has no value here", hint: hint)
            return
        }
        let names = scope.names
        let known = names.prefix(8).map { "`\($0)`" }.joined(separator: ", ")
        let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
        log.add(
            span,
            "unknown variable `\(name)`",
            expected: names.isEmpty ? nil : "one of \(known)\(rest)",
            hint: Suggestion.hint(for: name, among: names)
        )
    }
}
