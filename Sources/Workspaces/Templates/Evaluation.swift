import Apus
import Documents
import Secrets

/// Fills in templates for one request, and records the variables and secrets that it used.
struct Evaluation {
    enum Purpose {
        /// To send the request: everything must have a value.
        case sending
        /// Only to find faults: secrets and captured values may be missing.
        case checking
    }

    /// A hint for a name that has no value; nil if there is none.
    typealias Advice = @Sendable (_ name: String) -> String?

    /// More bytes than any URL or body template needs; variables that double each other reach it in twenty steps.
    private static let maximumLength = 1 << 20
    /// More bytes than the templates of one request make together.
    static let usualTotal = 16 << 20
    /// The largest number of variables that may be nested in one another.
    private static let maximumDepth = 64
    /// Limited because searching for them takes a hundred times as much memory.
    private static let maximumCredentials = 1000
    private static let maximumCredentialBytes = 256 << 10

    private struct Known {
        let value: ResolvedValue?
        /// The number of variables that are nested in this one, including itself.
        let depth: Int
    }

    let scope: Scope
    let purpose: Purpose
    let log: ProblemLog
    private let advice: Advice
    /// Where functions read environment variables and files; nil where nothing is read.
    let reader: SecretReader?
    /// The environment's name, and what gives the values that requests need; nil to give none.
    let environment: String
    let supplier: VariableSupplier?
    /// What stands for values; nil where the values themselves are filled in.
    var marks: TemplateMarks?
    /// Which names are secret besides those that always are, where there are marks.
    var rules = SecretRules()
    /// The supplied variables that were used.
    var needs: [SupplyNeed] = []
    /// Whether a command of the workspace runs for the request.
    var runsCommands = false
    /// Whether another evaluation may give other values.
    var isVarying = false
    /// The largest number of bytes that may be filled in altogether.
    private let maximumTotal: Int

    /// The secrets and the credentials that were used.
    var secrets: Set<String> = []
    /// The variables that the templates used, in order, with credentials masked.
    var used: [(name: String, shown: String)] {
        named.map { name, shown in
            let isCredential =
                credentials.contains(name) || CredentialMask.isSecret(parameter: name)
            return (name, isCredential ? CredentialMask.mask : shown)
        }
    }
    private var named: [(name: String, shown: String)] = []
    /// The same variables as they are sent; a credential that is not in `secrets` is masked.
    var usedValues: [String: String] {
        // What waits for a value has a name in its place.
        guard !isWaiting else { return Dictionary(used) { first, _ in first } }
        return values.reduce(into: [:]) { values, next in
            let isCredential =
                credentials.contains(next.key) || CredentialMask.isSecret(parameter: next.key)
            let isHidden = isCredential && !secrets.contains(next.value)
            values[next.key] = isHidden ? CredentialMask.mask : next.value
        }
    }
    private var values: [String: String] = [:]
    private var usedNames: Set<String> = []
    /// Variables that a credential is made of, even if they are not defined as secrets.
    private var credentials: Set<String> = []
    private var done: [String: Known] = [:]
    private var path: [String] = []
    private var circles: Set<[String]> = []
    /// For each variable in `path`, the largest depth of the variables that it has used so far.
    private var depths: [Int] = []
    /// The number of bytes filled in so far.
    private(set) var total = 0

    init(
        scope: Scope,
        purpose: Purpose,
        log: ProblemLog,
        advice: @escaping Advice = { _ in nil },
        reader: SecretReader? = nil,
        environment: String = "",
        supplier: VariableSupplier? = nil,
        maximumTotal: Int = Evaluation.usualTotal
    ) {
        self.environment = environment
        self.supplier = supplier
        self.scope = scope
        self.purpose = purpose
        self.log = log
        self.advice = advice
        self.reader = reader
        self.maximumTotal = maximumTotal
    }

    /// The pieces of a text; nil if something is wrong, which is logged.
    mutating func parts(_ template: Template) -> [ResolvedPart]? {
        var parts: [ResolvedPart] = []
        var isWhole = true
        var length = 0
        for segment in template.segments {
            switch segment {
            case .literal(let text):
                parts.append(ResolvedPart(reference: nil, text: ResolvedText(text)))
                length += text.utf8.count
            case .name(let reference):
                guard let text = text(of: reference) else {
                    isWhole = false
                    continue
                }
                parts.append(ResolvedPart(reference: reference, text: text))
                length += text.text.utf8.count
            }
        }
        return isWhole && admit(length, template.span) ? parts : nil
    }

    /// The text; nil if something is wrong, which is logged.
    mutating func text(_ template: Template) -> ResolvedText? {
        parts(template).map { parts in
            parts.reduce(into: ResolvedText("")) { $0 += $1.text }
        }
    }

    /// The text of a template in which values from a response need `raw`; nil if something is wrong, which is
    /// logged.
    ///
    /// `what` is the template's place, for the message.
    mutating func ownText(_ template: Template, _ what: String) -> ResolvedText? {
        guard let parts = parts(template) else { return nil }
        for part in parts where part.isUnasked {
            refuse(part, "be part of \(what)")
            return nil
        }
        return parts.reduce(into: ResolvedText("")) { $0 += $1.text }
    }

    /// Logs that a value from a response must not do something.
    func refuse(_ part: ResolvedPart, _ what: String) {
        guard let reference = part.reference else { return }
        log.add(
            reference.span,
            "`\(reference.name)` comes from a response and cannot \(what)",
            hint: "`{{ \(reference.name) | raw }}` allows it"
        )
    }

    /// The value; a text that is only `{{ name }}` has the variable's type.
    mutating func value(_ template: TemplateValue) -> ResolvedValue? {
        switch template {
        case .constant(let value): return ResolvedValue(value)
        case .text(let template):
            if let reference = template.onlyReference { return value(of: reference) }
            return text(template).map {
                ResolvedValue(
                    .string($0.text),
                    shown: .string($0.shown),
                    isFromResponse: $0.isFromResponse
                )
            }
        case .array(let elements):
            let values = elements.map { value($0) }
            let present = values.compactMap(\.self)
            guard present.count == values.count else { return nil }
            return ResolvedValue(
                .array(present.map(\.value)),
                shown: .array(present.map(\.shown)),
                isFromResponse: present.contains(where: \.isFromResponse)
            )
        case .object(let members):
            return object(members)
        }
    }

    /// The value of a variable; nil if something is wrong, which is logged.
    mutating func value(of variable: Variable) -> ResolvedValue? {
        value(named: variable.name, variable.span)
    }

    /// Marks a text as a secret of this request, such as a password in `auth`.
    mutating func addSecret(_ text: String) { secrets.insert(text) }

    /// Marks a filled-in text, and the variables that it is made of, as credentials.
    ///
    /// In its own place it is masked by name. This masks it everywhere else too, unless it is so short that
    /// it may be an ordinary word there.
    mutating func addCredential(_ text: String, madeOf template: TemplateValue) {
        addIfLong(text)
        for name in template.names { addCredential(named: name) }
    }

    /// Marks a variable's value, and the variables that it is made of, as credentials.
    mutating func addCredential(named name: String) {
        var found = [name]
        while let name = found.popLast() {
            guard credentials.insert(name).inserted else { continue }
            if let text = done[name]?.value?.value.scalarText { addIfLong(text) }
            guard case .variable(let variable) = scope[name],
                case .value(let template) = variable.content
            else { continue }
            found += template.names
        }
    }

    private mutating func addIfLong(_ text: String) {
        if text.utf8.count >= 8 { secrets.insert(text) }
    }

    mutating func admit(_ length: Int, _ span: @autoclosure () -> Span) -> Bool {
        total += length
        guard length <= Self.maximumLength, total <= maximumTotal else {
            let limit = length > Self.maximumLength ? "1 MiB" : "\(maximumTotal >> 20) MiB in all"
            log.add(span(), "longer than \(limit) with its variables filled in")
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
        return ResolvedValue(
            .object(real),
            shown: .object(shown),
            isFromResponse: values.contains { $0?.isFromResponse == true }
        )
    }

    private mutating func text(of reference: Template.Reference) -> ResolvedText? {
        guard let value = value(of: reference) else { return nil }
        guard let text = value.value.scalarText else {
            let name = reference.name
            log.add(
                reference.span,
                "`\(name)` is \(value.value.kindName) and cannot be part of a string",
                hint: "it can be a JSON value of its own: `\"{{ \(name) }}\"`"
            )
            return nil
        }
        return ResolvedText(
            text,
            shown: value.shown.scalarText,
            isFromResponse: value.isFromResponse
        )
    }

    mutating func value(
        named name: String,
        _ span: @autoclosure () -> Span
    ) -> ResolvedValue? {
        guard let result = lookUp(name, span()), admit(result.size, span()) else { return nil }
        if path.isEmpty, usedNames.insert(name).inserted {
            named.append((name, result.shown.scalarText ?? result.shown.json))
            values[name] = result.value.scalarText ?? result.value.json
        }
        return result
    }

    private mutating func lookUp(
        _ name: String,
        _ span: @autoclosure () -> Span
    ) -> ResolvedValue? {
        if let known = done[name] { return admit(known, name, span()) }
        if let start = path.firstIndex(of: name) {
            reportCircle(Array(path[start...]), span)
            return nil
        }
        guard let binding = scope[name] else {
            reportUnknown(name, span())
            return nil
        }
        guard path.count < Self.maximumDepth else {
            reportDepth(name, span())
            return nil
        }
        path.append(name)
        depths.append(0)
        let value = resolve(binding, name, span())
        path.removeLast()
        let known = Known(value: value, depth: depths.removeLast() + 1)
        done[name] = known
        return admit(known, name, span())
    }

    /// A known value; nil if it is nested too deeply here, which is logged.
    private mutating func admit(
        _ known: Known,
        _ name: String,
        _ span: @autoclosure () -> Span
    ) -> ResolvedValue? {
        guard path.count + known.depth <= Self.maximumDepth else {
            reportDepth(name, span())
            return nil
        }
        if let last = depths.indices.last { depths[last] = max(depths[last], known.depth) }
        return known.value
    }

    private func reportDepth(_ name: String, _ span: @autoclosure () -> Span) {
        log.add(span(), "`\(name)` nests more than \(Self.maximumDepth) variables")
    }

    private mutating func resolve(
        _ binding: Scope.Binding,
        _ name: String,
        _ span: @autoclosure () -> Span
    ) -> ResolvedValue? {
        if let marks, let mark = marks.value(forVariable: name, binding, rules) {
            return ResolvedValue(mark)
        }
        switch binding {
        case .value(let value): return value
        case .captured(let value, let isCredential, let secrets):
            return captured(value, isCredential, secrets, name, span())
        case .capturedTooDeep:
            log.add(span(), "`\(name)` is nested more than \(Value.maximumLevels) levels deep")
            return nil
        case .variable(let variable):
            switch variable.content {
            case .value(let template): return value(template)
            case .secret(let secret): return reveal(secret, name, span())
            case .supplied(let origin): return supplied(variable, origin)
            }
        }
    }

    mutating func reveal(
        _ secret: Secret,
        _ name: String,
        _ span: @autoclosure () -> Span
    ) -> ResolvedValue? {
        let shown = Value.string(CredentialMask.mask)
        if let value = secret.value {
            secrets.insert(value)
            return ResolvedValue(.string(value), shown: shown)
        }
        if purpose == .checking { return ResolvedValue(shown, shown: shown) }
        let words = "`\(name)` has no value: \(secret.fault ?? secret.origin)"
        log.add(Self.missing(name, isSecret: true, Problem(span(), words)))
        return nil
    }

    /// A captured value; the credentials in it become secrets of this request.
    private mutating func captured(
        _ value: Value,
        _ isCredential: Bool,
        _ chainSecrets: ChainSecrets,
        _ name: String,
        _ span: @autoclosure () -> Span
    ) -> ResolvedValue? {
        let texts = value.credentials {
            CapturedCredentials.credentialParts(of: $0).filter(chainSecrets.isCaptured)
        }
        guard Self.areFew(texts) else {
            log.add(
                span(),
                "`\(name)` contains more than \(Self.maximumCredentials) credentials, or "
                    + "\(Self.maximumCredentialBytes >> 10) KiB of them",
                hint: "`forEach` sends a request for each of them"
            )
            return nil
        }
        secrets.formUnion(texts)
        // If there are more, they are masked by their place in the URLs.
        let ofURLs = value.credentials { URLCredentials.texts(in: $0) }
        if Self.areFew(ofURLs) { secrets.formUnion(ofURLs) }
        return ResolvedValue(
            value,
            shown: value.masked(isCredential, chainSecrets),
            isFromResponse: true
        )
    }

    private static func areFew(_ texts: Set<String>) -> Bool {
        texts.count <= maximumCredentials
            && texts.reduce(0) { $0 + $1.utf8.count } <= maximumCredentialBytes
    }

    /// The functions that can stand where a variable does.
    private static let functions = TemplateFunction.all.filter { $0.counts.contains(0) }
        .map(\.name)

    /// Reports a circle in the same words wherever it was entered, so that it is reported once.
    private mutating func reportCircle(_ names: [String], _ span: () -> Span) {
        guard let first = names.min(), let start = names.firstIndex(of: first) else { return }
        let circle = names[start...] + names[..<start] + [first]
        // A text may use it thousands of times.
        guard circles.insert(Array(circle)).inserted else { return }
        var place = span()
        if case .variable(let variable) = scope[first] { place = variable.span }
        log.add(
            place,
            "the variable `\(first)` depends on itself: \(circle.joined(separator: " → "))"
        )
    }

    /// Finds the place in the text only if the problem is kept.
    private func reportUnknown(_ name: String, _ span: @autoclosure () -> Span) {
        guard !log.isFull else { return log.cut() }
        if let hint = advice(name) {
            let problem = Problem(span(), "`\(name)` has no value here", hint: hint)
            return log.add(Self.missing(name, problem))
        }
        let all = scope.names
        // Nobody means `index`, which batches have by themselves, by another name.
        let names = all.filter { $0 != "index" }
        let known = names.prefix(8).map { "`\($0)`" }.joined(separator: ", ")
        let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
        let problem = Problem(
            span(),
            "unknown variable `\(name)`",
            expected: names.isEmpty ? nil : "one of \(known)\(rest)",
            hint: Suggestion.hint(for: name, among: all + Self.functions)
        )
        log.add(Self.missing(name, problem))
    }

    /// The problem, marked as one that a value for the name would fix.
    static func missing(
        _ name: String,
        isSecret: Bool? = nil,
        _ problem: Problem
    ) -> Problem {
        var problem = problem
        let isSecret = isSecret ?? CredentialMask.isSecret(parameter: name)
        problem.missing = Problem.Missing(name: name, isSecret: isSecret)
        return problem
    }
}
