import Workspaces

/// An expression of a script, as far as tests need it.
indirect enum ScriptExpression {
    enum Step {
        case member(String)
        case index(ScriptExpression)
        case call([ScriptExpression])
    }

    case literal(Value)
    case pattern(String)
    /// A name, and what is done with its value.
    case chain(String, [Step])
    /// The statements of a function's body.
    case function(Range<Int>)
    case comparison(ScriptExpression, String, ScriptExpression)
    case both(ScriptExpression, ScriptExpression)
}

/// Reads an expression of tokens; nil for what is not understood.
struct ScriptParser {
    let tokens: [ScriptTokens.Token]
    private(set) var at: Int
    private let end: Int
    private var depth = 0

    init(_ tokens: [ScriptTokens.Token], _ range: Range<Int>) {
        self.tokens = tokens
        at = range.lowerBound
        end = range.upperBound
    }

    /// The expression, if it is all of the tokens.
    mutating func whole() -> ScriptExpression? {
        guard let expression = conjunction(), at == end else { return nil }
        return expression
    }

    private var token: ScriptTokens.Token? { at < end ? tokens[at] : nil }

    private mutating func skip(_ sign: String) -> Bool {
        guard token?.isSign(sign) == true else { return false }
        at += 1
        return true
    }

    private mutating func conjunction() -> ScriptExpression? {
        depth += 1
        defer { depth -= 1 }
        guard depth < 50, var left = comparison() else { return nil }
        while skip("&&") {
            guard let right = comparison() else { return nil }
            left = .both(left, right)
        }
        return left
    }

    private mutating func comparison() -> ScriptExpression? {
        guard let left = operand() else { return nil }
        guard case .sign(let sign)? = token?.kind,
            ["===", "==", "!==", "!=", "<", ">", "<=", ">="].contains(sign)
        else { return left }
        at += 1
        return operand().map { .comparison(left, sign, $0) }
    }

    private mutating func operand() -> ScriptExpression? {
        guard let token else { return nil }
        if let body = function() { return .function(body) }
        at += 1
        switch token.kind {
        case .text(let text): return .literal(.string(text))
        case .number(let text):
            return JSONNumber.text(text).map { .literal(.number($0)) }
        case .pattern(let text, let flags):
            return .pattern(flags.contains("i") ? "(?i)" + text : text)
        case .sign("-"):
            guard case .number(let digits)? = self.token?.kind, let text = JSONNumber.text(digits)
            else { return nil }
            at += 1
            return .literal(.number("-" + text))
        case .sign("("):
            let inner = conjunction()
            return skip(")") ? inner : nil
        case .sign("["): return list("]").flatMap(Self.array)
        case .sign("{"): return object()
        case .sign: return nil
        case .name("true"): return .literal(.boolean(true))
        case .name("false"): return .literal(.boolean(false))
        case .name("null"): return .literal(.null)
        case .name("new"):
            guard case .name(let name)? = self.token?.kind else { return nil }
            at += 1
            return chain(name)
        case .name(let name): return chain(name)
        }
    }

    private mutating func chain(_ name: String) -> ScriptExpression? {
        var steps: [ScriptExpression.Step] = []
        while let token {
            if token.isSign(".") || token.isSign("?.") {
                at += 1
                guard case .name(let name)? = self.token?.kind else { return nil }
                at += 1
                steps.append(.member(name))
            } else if token.isSign("[") {
                at += 1
                guard let index = conjunction(), skip("]") else { return nil }
                steps.append(.index(index))
            } else if token.isSign("(") {
                at += 1
                guard let arguments = list(")") else { return nil }
                steps.append(.call(arguments))
            } else {
                break
            }
        }
        return .chain(name, steps)
    }

    private mutating func list(_ close: String) -> [ScriptExpression]? {
        var elements: [ScriptExpression] = []
        while !skip(close) {
            guard let element = conjunction() else { return nil }
            elements.append(element)
            if !skip(","), token?.isSign(close) != true { return nil }
        }
        return elements
    }

    private static func array(_ elements: [ScriptExpression]) -> ScriptExpression? {
        var values: [Value] = []
        for element in elements {
            guard case .literal(let value) = element else { return nil }
            values.append(value)
        }
        return .literal(.array(values))
    }

    private mutating func object() -> ScriptExpression? {
        var members: [Value.Member] = []
        while !skip("}") {
            let name: String
            switch token?.kind {
            case .name(let text)?, .text(let text)?: name = text
            default: return nil
            }
            at += 1
            guard skip(":"), case .literal(let value)? = conjunction(), members[name] == nil else {
                return nil
            }
            members.append(Value.Member(name, value))
            if !skip(","), token?.isSign("}") != true { return nil }
        }
        return .literal(.object(members))
    }

    /// The body of `function () { … }`, `() => { … }` or `() => expression`.
    private mutating func function() -> Range<Int>? {
        let start = at
        var next = at
        if next < end, tokens[next].isName("async") { next += 1 }
        if next < end, tokens[next].isName("function") {
            next += 1
            if next < end, case .name = tokens[next].kind { next += 1 }
            guard next < end, tokens[next].isSign("("), let close = self.close(of: next),
                close + 1 < end, tokens[close + 1].isSign("{"), let last = self.close(of: close + 1)
            else { return nil }
            at = last + 1
            return close + 2..<last
        }
        guard next < end else { return nil }
        let close: Int
        if tokens[next].isSign("("), let found = self.close(of: next) {
            close = found
        } else if case .name = tokens[next].kind {
            close = next
        } else {
            return nil
        }
        guard close + 2 < end, tokens[close + 1].isSign("=>") else {
            at = start
            return nil
        }
        if tokens[close + 2].isSign("{"), let last = self.close(of: close + 2) {
            at = last + 1
            return close + 3..<last
        }
        at = close + 2
        var level = 0
        while at < end {
            if case .sign(let sign) = tokens[at].kind {
                if ["(", "[", "{"].contains(sign) { level += 1 }
                if [")", "]", "}"].contains(sign) { level -= 1 }
                if level < 0 || level == 0 && sign == "," { break }
            }
            at += 1
        }
        return close + 2..<at
    }

    private func close(of open: Int) -> Int? {
        var level = 0
        for index in open..<end {
            guard case .sign(let sign) = tokens[index].kind else { continue }
            if ["(", "[", "{"].contains(sign) { level += 1 }
            if [")", "]", "}"].contains(sign) { level -= 1 }
            if level == 0 { return index }
        }
        return nil
    }
}

/// Numbers of scripts that JSON has, too.
enum JSONNumber {
    static func text(_ text: String) -> String? {
        let digits = text.filter { $0 != "." }
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }),
            text.count - digits.count < 2, text.last != ".", text.first != ".",
            text.first != "0" || text.count == 1 || text.hasPrefix("0.")
        else { return nil }
        return text
    }
}
