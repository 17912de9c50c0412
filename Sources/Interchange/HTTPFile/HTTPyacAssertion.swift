import Documents
import Workspaces

/// httpyac's `?? status == 200`.
enum HTTPyacAssertion {
    static func add(
        _ text: String,
        to expected: inout ExpectedResponse,
        _ translation: TextTranslation
    ) -> Bool {
        let words = text.split(separator: " ").map(String.init)
        guard let first = words.first else { return false }
        var subject: ResponseSubject
        var rest = Array(words.dropFirst())
        switch first {
        case "status": subject = .status
        case "duration": subject = .time
        case "header":
            guard !rest.isEmpty else { return false }
            subject = .field(rest.removeFirst())
        case "body":
            subject = .text
            if let name = rest.first, !signs.keys.contains(name),
                let path = HandlerScript.path("." + name)
            {
                subject = .json("$" + path)
                rest.removeFirst()
            }
        case "jsonpath":
            guard !rest.isEmpty, rest[0].hasPrefix("$") else { return false }
            subject = .json(rest.removeFirst())
        case "js":
            guard !rest.isEmpty, let found = Self.subject(ofScript: rest.removeFirst()) else {
                return false
            }
            subject = found
        default:
            guard first.hasPrefix("body."),
                let path = HandlerScript.path(String(first.dropFirst(4)))
            else { return false }
            subject = .json("$" + path)
        }
        guard let word = rest.first else {
            return subject == .status ? false : expected.add(subject, "exists", .boolean(true))
        }
        if let type = types[word] { return expected.add(subject, "type", .string(type)) }
        if word == "isTrue" || word == "isFalse" {
            return expected.add(subject, "is", .boolean(word == "isTrue"))
        }
        guard let sign = signs[word] else { return false }
        let operand = translation.text(rest.dropFirst().joined(separator: " "))
        switch word {
        case "exists": return expected.add(subject, "exists", .boolean(true))
        case "startsWith":
            return expected.add(subject, sign, .string("^" + HandlerScript.escaped(operand)))
        case "endsWith":
            return expected.add(subject, sign, .string(HandlerScript.escaped(operand) + "$"))
        default:
            let value = HandlerScript.literal(operand) ?? .string(operand)
            // A text that is JSON is a value.
            if subject == .text, sign == "is", let json = translation.json(operand) {
                switch json {
                case .object, .array: return expected.set("body", json)
                case .string, .number, .boolean, .null: break
                }
            }
            return expected.add(subject, sign, value)
        }
    }

    /// What `response.parsedBody.user.name` and its like stand for; nil for another script.
    private static func subject(ofScript text: String) -> ResponseSubject? {
        if text == "response.statusCode" || text == "response.status" { return .status }
        for start in ["response.parsedBody", "response.body"] where text.hasPrefix(start) {
            let path = String(text.dropFirst(start.count))
            return path.isEmpty ? .json("$") : HandlerScript.path(path).map { .json("$" + $0) }
        }
        return nil
    }

    private static let types = [
        "isString": "string", "isNumber": "number", "isBoolean": "boolean", "isArray": "array",
    ]

    private static let signs = [
        "==": "is", "===": "is", "!=": "not", ">": ">", ">=": ">=", "<": "<", "<=": "<=",
        "exists": "exists",
        "contains": "contains", "includes": "contains", "matches": "matches",
        "startsWith": "matches",
        "endsWith": "matches",
    ]
}
