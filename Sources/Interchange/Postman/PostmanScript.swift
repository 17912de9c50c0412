import Documents
import Workspaces

/// A variable that a script sets to a part of a response.
struct PostmanCapture {
    /// The variable's name in the file.
    let name: String
    /// Where the value is: `$.token`, `header:ETag`.
    let path: String
    /// The statement.
    let text: String
    /// The index of the request, in the order in which they are read.
    var target = 0
    /// How long the value is used; nil for as long as it is accepted.
    var expires: String?
}

/// Scripts of an item: what can be said as expectations and captures, and what cannot.
struct PostmanScript {
    private let variables: PostmanVariables
    private(set) var captures: [PostmanCapture] = []
    private(set) var losses: [ImportLoss] = []
    /// What a script before the request sets variables to.
    private(set) var presets: [PostmanPreset] = []
    /// The names of tests.
    private var tests: [String] = []
    private var isTest = true
    private var expectations = ScriptExpectations()
    private var values: [String: ScriptSubject] = [:]
    private var left: [String] = []
    private var depth = 0
    /// Functions and conditions in one another.
    private static let maximumDepth = 8

    /// What stands under `expect`.
    var expect: [Value.Member] { expectations.members }

    init(_ variables: PostmanVariables) { self.variables = variables }

    /// The names of the tests, for a note; nil if there is none.
    var testNote: String? {
        guard !tests.isEmpty else { return nil }
        return "Its tests:\n\n" + tests.map { "- \($0.inOneLine)" }.joined(separator: "\n")
    }

    /// Reads the events of an item, collection or folder.
    mutating func read(_ events: JSON, in tree: ImportTree) {
        for event in events.elements where event.kind == .object {
            let script = event["script"]
            let lines = script["exec"].exists ? script["exec"] : script
            let text =
                lines.kind == .array
                ? lines.elements.map { $0.looseText ?? "" }.joined(separator: "\n")
                : lines.looseText ?? ""
            let isTest = event["listen"].looseText == "test"
            if event["disabled"].bool == true {
                if !text.trimmingBlanks.isEmpty {
                    losses.append(ImportLoss("a script", "it is switched off", text: text))
                }
                continue
            }
            read(text, isTest: isTest, line: tree.line(of: event))
            if let source = script["src"].filledText ?? script["src"]["raw"].filledText {
                losses.append(ImportLoss("a script", "it stands in another file", text: source))
            }
        }
    }

    /// Reads one script.
    mutating func read(_ text: String, isTest: Bool, line: Int?) {
        guard !text.trimmingBlanks.isEmpty else { return }
        let kind = isTest ? "a script after the response" : "a script before the request"
        self.isTest = isTest
        guard text.utf8.count < 256 << 10 else {
            losses.append(
                ImportLoss(kind, "a workspace runs no scripts", text: text, line: line)
            )
            return
        }
        let script = ScriptTokens(text)
        left = script.comments
        let comments = left.count
        run(script, 0..<script.tokens.count)
        guard !left.isEmpty else { return }
        let rest =
            isTest
            ? "this part of it is no expectation and no captured value"
            : "a workspace runs no scripts"
        let reason = left.count == comments ? "these are its comments" : rest
        losses.append(
            ImportLoss(
                left.count == comments ? "comments of a script" : kind,
                reason,
                text: left.joined(separator: "\n"),
                line: line
            )
        )
        left = []
    }

    private mutating func run(_ script: ScriptTokens, _ range: Range<Int>) {
        depth += 1
        defer { depth -= 1 }
        for statement in Self.statements(script, range) where !statement.isEmpty {
            let isDone = depth < Self.maximumDepth && perform(script, statement)
            if !isDone { left.append(script.source(statement)) }
        }
    }

    /// The statements of a range; one that has a block ends after it.
    private static func statements(_ script: ScriptTokens, _ range: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = range.lowerBound
        var level = 0
        for index in range {
            let token = script.tokens[index]
            if token.beginsLine, level == 0, index > start, endsStatement(script, index, start) {
                found.append(start..<index)
                start = index
            }
            guard case .sign(let sign) = token.kind else { continue }
            if ["(", "[", "{"].contains(sign) { level += 1 }
            if [")", "]", "}"].contains(sign) { level = max(0, level - 1) }
            if sign == ";", level == 0 {
                found.append(start..<index)
                start = index + 1
            }
        }
        found.append(start..<range.upperBound)
        return found.filter { !$0.isEmpty }
    }

    private static func endsStatement(_ script: ScriptTokens, _ index: Int, _ start: Int) -> Bool {
        let (before, after) = (script.tokens[index - 1].kind, script.tokens[index].kind)
        if case .sign(let sign) = before, ![")", "]", "}"].contains(sign) { return false }
        if case .sign(let sign) = after, !["(", "[", "{"].contains(sign) { return false }
        if ["else", "catch", "finally"].contains(where: { after == .name($0) }) { return false }
        // The body of `if (…)` on the next line.
        let first = script.tokens[start]
        if before == .sign(")"), ["if", "for", "while"].contains(where: { first.isName($0) }) {
            return false
        }
        return !(before == .sign(")") && after == .sign("{"))
    }

    private mutating func perform(_ script: ScriptTokens, _ range: Range<Int>) -> Bool {
        let tokens = script.tokens
        let first = tokens[range.lowerBound]
        if first.kind == .text("use strict"), range.count == 1 { return true }
        if first.isName("var") || first.isName("let") || first.isName("const") {
            return define(script, range.dropFirst())
        }
        if range.count > 2, tokens[range.lowerBound + 1].isSign("="), case .name = first.kind {
            return define(script, range)
        }
        if first.isName("if") { return isTest && performConditionally(script, range) }
        // tests["name"] = condition
        if first.isName("tests"), let equals = range.first(where: { tokens[$0].isSign("=") }) {
            var parser = ScriptParser(tokens, equals + 1..<range.upperBound)
            guard isTest, let condition = parser.whole(),
                expectations.atomically({ $0.expect(condition, values, variables) })
            else { return false }
            if case .text(let name) = tokens[range.lowerBound + 2].kind { tests.append(name) }
            return true
        }
        var parser = ScriptParser(tokens, range)
        guard let expression = parser.whole(), case .chain(let name, let steps) = expression else {
            return false
        }
        if name == "pm", case .member("test")? = steps.first, steps.count == 2,
            case .call(let arguments) = steps[1], arguments.count == 2,
            case .function(let body) = arguments[1]
        {
            if case .literal(.string(let name)) = arguments[0] { tests.append(name) }
            run(script, body)
            return true
        }
        guard isTest else {
            guard let preset = preset(name, steps, script.source(range)) else { return false }
            presets.append(preset)
            return true
        }
        if let capture = capture(name, steps, script.source(range)) {
            captures.append(capture)
            return true
        }
        return expectations.atomically { $0.assert(name, steps, values, variables) }
    }

    /// `if (…) { … }` around what sets variables: they are captured in any case.
    private mutating func performConditionally(_ script: ScriptTokens, _ range: Range<Int>) -> Bool
    {
        guard depth < Self.maximumDepth,
            let close = Self.close(of: range.lowerBound + 1, in: range, script.tokens),
            close + 1 < range.upperBound
        else { return false }
        var body = close + 1..<range.upperBound
        if script.tokens[close + 1].isSign("{") {
            guard let end = Self.close(of: close + 1, in: range, script.tokens),
                end == range.upperBound - 1
            else { return false }
            body = close + 2..<end
        } else if body.contains(where: { script.tokens[$0].isName("else") }) {
            return false
        }
        var inner = self
        inner.left = []
        inner.depth += 1
        let statements = Self.statements(script, body)
        for statement in statements {
            let first = script.tokens[statement.lowerBound]
            if first.isName("console") { continue }
            guard inner.perform(script, statement) else { return false }
        }
        guard inner.captures.count > captures.count, inner.expect == expect, inner.left.isEmpty
        else {
            return false
        }
        inner.left = left
        inner.depth = depth
        self = inner
        losses.append(
            ImportLoss(
                "a condition in a script",
                "the value is captured whatever it says",
                text: script.source(range)
            )
        )
        return true
    }

    private static func close(of open: Int, in range: Range<Int>, _ tokens: [ScriptTokens.Token])
        -> Int?
    {
        var level = 0
        for index in range where index >= open {
            guard case .sign(let sign) = tokens[index].kind else {
                if level == 0 { return nil }
                continue
            }
            if ["(", "[", "{"].contains(sign) { level += 1 }
            if [")", "]", "}"].contains(sign) { level -= 1 }
            if level == 0 { return index }
        }
        return nil
    }

    /// `name = expression`, of which later statements know the meaning.
    private mutating func define(_ script: ScriptTokens, _ range: Range<Int>) -> Bool {
        guard range.count > 2, case .name(let name) = script.tokens[range.lowerBound].kind,
            script.tokens[range.lowerBound + 1].isSign("=")
        else { return false }
        var parser = ScriptParser(script.tokens, range.lowerBound + 2..<range.upperBound)
        guard let expression = parser.whole(), isTest,
            let subject = ScriptSubject(expression, values)
        else {
            values[name] = nil
            return false
        }
        values[name] = subject
        return true
    }

    private func capture(_ name: String, _ steps: [ScriptExpression.Step], _ text: String)
        -> PostmanCapture?
    {
        guard case .call(let arguments)? = steps.last, arguments.count == 2,
            case .literal(.string(let variable)) = arguments[0], !variable.isEmpty,
            let subject = ScriptSubject(arguments[1], values), let path = subject.capturePath
        else { return nil }
        return Self.isSetter(name, steps)
            ? PostmanCapture(name: variable, path: path, text: text) : nil
    }

    /// Whether `name.steps(…)` sets a variable.
    private static func isSetter(_ name: String, _ steps: [ScriptExpression.Step]) -> Bool {
        let words = steps.dropLast().compactMap { step in
            if case .member(let name) = step { name } else { nil }
        }
        guard words.count == steps.count - 1 else { return false }
        let scopes = [
            "environment", "globals", "collectionVariables", "variables", "baseEnvironment",
        ]
        return name == "pm" && words.count == 2 && words[1] == "set" && scopes.contains(words[0])
            || name == "postman" && words.count == 1
                && ["setEnvironmentVariable", "setGlobalVariable"].contains(words[0])
    }

    private func preset(_ name: String, _ steps: [ScriptExpression.Step], _ text: String)
        -> PostmanPreset?
    {
        guard case .call(let arguments)? = steps.last, arguments.count == 2,
            case .literal(.string(let variable)) = arguments[0], !variable.isEmpty,
            Self.isSetter(name, steps), let template = template(arguments[1])
        else { return nil }
        return PostmanPreset(name: variable, template: template, text: text)
    }

    /// A value that is made before the request, as a template; nil if no template makes it.
    private func template(_ expression: ScriptExpression) -> String? {
        switch expression {
        case .literal(.string(let text)): return variables.template(text)
        case .literal(.number(let text)): return text
        case .literal(.boolean(let flag)): return flag ? "true" : "false"
        case .chain(let name, let steps):
            var path = [name]
            var arguments: [[ScriptExpression]] = []
            for step in steps {
                switch step {
                case .member(let word): path.append(word)
                case .call(let given): arguments.append(given)
                case .index: return nil
                }
            }
            let isPlain = arguments.allSatisfy(\.isEmpty)
            switch path.joined(separator: ".") {
            case "Date.now", "Date.getTime", "Date.valueOf":
                return isPlain && !arguments.isEmpty ? "{{ now('+0 s', 'unixms') }}" : nil
            case "Date.toISOString": return isPlain ? "{{ now }}" : nil
            case "uuid.v4", "uuidv4", "crypto.randomUUID":
                return isPlain && arguments.count == 1 ? "{{ uuid }}" : nil
            case "pm.variables.replaceIn", "pm.environment.replaceIn":
                guard arguments.count == 1, arguments[0].count == 1,
                    case .literal(.string(let text)) = arguments[0][0]
                else { return nil }
                return variables.template(text)
            case "_.random":
                guard arguments.count == 1, arguments[0].count == 2,
                    case .literal(.number(let low)) = arguments[0][0], Int(low) != nil,
                    case .literal(.number(let high)) = arguments[0][1], Int(high) != nil
                else { return nil }
                return "{{ random(\(low), \(high)) }}"
            default: return nil
            }
        default: return nil
        }
    }
}
