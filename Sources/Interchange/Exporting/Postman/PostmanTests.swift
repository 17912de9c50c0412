import Apus
import Documents
import HTTPTypes
import Workspaces

/// Expectations and captured values as a script after the response, in the shapes that are imported again.
struct PostmanTests {
    /// A variable that the script sets, and where its value is in the response.
    typealias Captured = (name: String, path: CapturePath)

    private let writer: PostmanWriter
    private let request: ExportedRequest

    init(_ writer: PostmanWriter, _ request: ExportedRequest) {
        (self.writer, self.request) = (writer, request)
    }

    /// The lines of the script.
    func lines(capturing captures: [Captured]) -> [String] {
        var lines: [String] = []
        for expectation in request.expectations {
            guard let assertion = assertion(of: expectation) else {
                writer.lose(
                    "an expectation",
                    "a script of Postman cannot say it",
                    shown(expectation.description),
                    of: request
                )
                continue
            }
            lines.append("pm.test(\(Self.quoted(shown(expectation.description))), function () {")
            lines.append("    \(assertion);")
            lines.append("});")
        }
        for capture in captures {
            guard let value = Self.value(at: capture.path) else {
                writer.lose(
                    "a captured value",
                    "a script of Postman cannot take it out of a response",
                    "\(capture.name): \(capture.path)",
                    of: request
                )
                continue
            }
            lines.append("pm.environment.set(\(Self.quoted(capture.name)), \(value));")
        }
        return lines
    }

    /// A description with the names of variables in place of their marks.
    private func shown(_ text: String) -> String { writer.text(request.text(text), of: request) }

    private func assertion(of expectation: Expectation) -> String? {
        switch (expectation.subject, expectation.requirement) {
        case (.status, .statuses(let ranges)): return Self.status(ranges)
        case (.time, .quantity(let sign, let microseconds)) where microseconds % 1000 == 0:
            return Self.limit("pm.response.responseTime", sign, microseconds / 1000)
        case (.size, .quantity(let sign, let bytes)):
            return Self.limit("pm.response.responseSize", sign, bytes)
        case (.field(let name), .value(let sign, let value)):
            return comparison("pm.response.headers.get(\(Self.quoted(name.rawName)))", sign, value)
        case (.text, .value(let sign, let value)):
            return comparison("pm.response.text()", sign, value)
        case (.json(_, let written), .value(let sign, let value)):
            guard let subject = Self.access(to: written) else { return nil }
            return comparison(subject, sign, value)
        case (.body, .document(let value)):
            guard !Self.ignoresSomething(value), let text = script(value) else { return nil }
            return "pm.expect(pm.response.json()).to.eql(\(text))"
        default: return nil
        }
    }

    private static func status(_ ranges: [ClosedRange<Int>]) -> String? {
        let classes = [
            100: "info", 200: "success", 300: "redirection", 400: "clientError", 500: "serverError",
        ]
        if ranges.count == 1, let range = ranges.first, range.count == 100,
            let name = classes[range.lowerBound]
        {
            return "pm.response.to.be.\(name)"
        }
        let codes = ranges.flatMap { $0.count < 20 ? Array($0) : [] }
        guard !codes.isEmpty, ranges.allSatisfy({ $0.count < 20 }) else { return nil }
        if codes.count == 1 { return "pm.response.to.have.status(\(codes[0]))" }
        let list = codes.map(String.init).joined(separator: ", ")
        return "pm.expect(pm.response.code).to.be.oneOf([\(list)])"
    }

    private static func limit(_ subject: String, _ sign: Expectation.Operator, _ number: Int)
        -> String?
    {
        word(for: sign).map { "pm.expect(\(subject)).to.\($0)(\(number))" }
    }

    private static func word(for sign: Expectation.Operator) -> String? {
        switch sign {
        case .equals: "eql"
        case .differs: "not.eql"
        case .less: "be.below"
        case .atMost: "be.at.most"
        case .more: "be.above"
        case .atLeast: "be.at.least"
        case .isOneOf: "be.oneOf"
        case .contains: "include"
        case .matches, .exists, .count, .type: nil
        }
    }

    private func comparison(_ subject: String, _ sign: Expectation.Operator, _ value: Value)
        -> String?
    {
        switch (sign, value) {
        case (.exists, .boolean(let exists)):
            return "pm.expect(\(subject)).to.\(exists ? "not.be" : "be").undefined"
        case (.matches, .string(let pattern)):
            guard let literal = request.text(pattern).literal,
                let pattern = Self.pattern(literal)
            else { return nil }
            return "pm.expect(\(subject)).to.match(\(pattern))"
        case (.type, .string(let type)):
            return type == "integer" ? nil : "pm.expect(\(subject)).to.be.a(\(Self.quoted(type)))"
        case (.count, _):
            let parts = ExportMarkReader.text(of: value).split(separator: " ")
            guard let last = parts.last, let number = Int(last), parts.count < 3 else { return nil }
            let sign = parts.count == 2 ? Expectation.Operator(rawValue: String(parts[0])) : .equals
            return sign.flatMap { Self.limit("\(subject).length", $0, number) }
        default:
            guard let word = Self.word(for: sign), let text = script(value) else { return nil }
            return "pm.expect(\(subject)).to.\(word)(\(text))"
        }
    }

    // MARK: Values

    /// A value as JavaScript has it; a text that is a variable is got when the script runs.
    private func script(_ value: Value) -> String? {
        switch value {
        case .string(let marked):
            let text = request.text(marked)
            if let literal = text.literal { return Self.quoted(literal) }
            if text.pieces.count == 1, case .variable(let variable) = text.pieces[0] {
                _ = writer.text(text, of: request)
                return "pm.variables.get(\(Self.quoted(variable.name)))"
            }
            return "pm.variables.replaceIn(\(Self.quoted(writer.text(text, of: request))))"
        case .number(let marked):
            // A variable stands for a number, or it has a form that JavaScript has not.
            guard Double(marked) == nil || !request.text(marked).variables.isEmpty else {
                return marked
            }
            let text = request.text(marked)
            guard text.pieces.count == 1, case .variable(let variable) = text.pieces[0] else {
                return Self.quoted(marked)
            }
            _ = writer.text(text, of: request)
            return "Number(pm.variables.get(\(Self.quoted(variable.name))))"
        case .boolean, .null: return value.json
        case .array(let elements):
            let texts = elements.compactMap { script($0) }
            return texts.count == elements.count ? "[\(texts.joined(separator: ", "))]" : nil
        case .object(let members):
            let texts = members.compactMap { member in
                script(member.value).map { "\(Self.quoted(member.name)): \($0)" }
            }
            return texts.count == members.count ? "{ \(texts.joined(separator: ", ")) }" : nil
        }
    }

    private static func ignoresSomething(_ value: Value) -> Bool {
        switch value {
        case .string(let text): text == "~ignore"
        case .array(let elements): elements.contains(where: ignoresSomething)
        case .object(let members): members.contains { ignoresSomething($0.value) }
        case .number, .boolean, .null: false
        }
    }

    /// A text in quotes: JSON's are JavaScript's, but for two line ends.
    static func quoted(_ text: String) -> String {
        Value.string(text).json.replacing("\u{2028}", with: "\\u2028")
            .replacing("\u{2029}", with: "\\u2029")
    }

    /// A regular expression between slashes; nil if what is between them would be a comment, or would not end.
    private static func pattern(_ text: String) -> String? {
        guard let first = text.unicodeScalars.first, first != "*" else { return nil }
        var result = "/"
        var isEscaped = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "/" where !isEscaped: result += "\\/"
            case "\n": result += isEscaped ? "n" : "\\n"
            case "\r": result += isEscaped ? "r" : "\\r"
            case "\u{2028}": result += isEscaped ? "u2028" : "\\u2028"
            case "\u{2029}": result += isEscaped ? "u2029" : "\\u2029"
            default: result.unicodeScalars.append(scalar)
            }
            isEscaped = scalar == "\\" && !isEscaped
        }
        return isEscaped ? nil : result + "/"
    }

    /// What a capture takes out of the response.
    private static func value(at path: CapturePath) -> String? {
        switch path {
        case .status: "pm.response.code"
        case .header(let name): "pm.response.headers.get(\(quoted(name)))"
        case .body(let path): access(to: path.description)
        }
    }

    /// The expression that a JSONPath of names and indexes is; nil for others, which JavaScript has not.
    static func access(to path: String) -> String? {
        var rest = path[...]
        guard rest.popFirst() == "$" else { return nil }
        var result = "pm.response.json()"
        while let sign = rest.popFirst() {
            if sign == "." {
                let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                guard let first = name.first, !first.isNumber else { return nil }
                rest = rest[name.endIndex...]
                result += ".\(name)"
                continue
            }
            guard sign == "[", let first = rest.first else { return nil }
            if first == "'" || first == "\"" {
                rest.removeFirst()
                var name = ""
                while let next = rest.popFirst(), next != first {
                    if next == "\\" {
                        guard let escaped = rest.popFirst(), "'\"\\/".contains(escaped) else {
                            return nil
                        }
                        name.append(escaped)
                    } else {
                        name.append(next)
                    }
                }
                result += isIdentifier(name) ? ".\(name)" : "[\(quoted(name))]"
            } else {
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                guard !digits.isEmpty else { return nil }
                rest = rest[digits.endIndex...]
                result += "[\(digits)]"
            }
            guard rest.popFirst() == "]" else { return nil }
        }
        return result
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.first, !first.isNumber else { return false }
        return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}
