import Documents
import Workspaces

/// A GraphQL request from the texts of its query and of its variables.
enum GraphQLBody {
    static func body(_ query: String, _ variables: String, _ translation: TextTranslation)
        -> RequestParts.Body
    {
        let text = translation.text(query)
        let json = variables.trimmingBlanks
        if json.isEmpty {
            return RequestParts.Body(key: "graphql", value: .string(text), type: "application/json")
        }
        if case .object(let members)? = translation.json(json) {
            var value = [Value.Member("query", .string(text))]
            if !members.isEmpty { value.append(Value.Member("variables", .object(members))) }
            return RequestParts.Body(
                key: "graphql",
                value: .object(value),
                type: "application/json"
            )
        }
        // Variables that are JSON only once they are filled in.
        let quoted = translation.text(Value.string(query).json)
        return RequestParts.Body(
            key: "body",
            value: .string("{\"query\": \(quoted), \"variables\": \(translation.text(json))}"),
            type: nil
        )
    }
}

/// `Authorization: Basic user password` and its like as `auth`.
enum TextAuthorization {
    static func moveHeader(of parts: inout RequestParts) {
        // Of several fields each is sent.
        guard parts.auth == nil, let header = parts.header("authorization"),
            parts.headers.count(where: { $0.name.asciiLowercased == "authorization" }) == 1
        else { return }
        let words = pieces(header)
        guard let scheme = words.first?.asciiLowercased, words.count > 1 else { return }
        switch scheme {
        case "bearer" where words.count == 2:
            parts.auth = .object([Value.Member("bearer", .string(words[1]))])
        case "basic", "digest":
            var pair = Array(words.dropFirst())
            if pair.count == 1 {
                guard let colon = colon(in: pair[0]) else { return }
                pair = [String(pair[0][..<colon]), String(pair[0][colon...].dropFirst())]
            }
            guard pair.count == 2 else { return }
            parts.auth = credentials(scheme, pair[0], pair[1])
        case "aws" where words.count >= 3:
            var members = [
                Value.Member("accessKey", .string(words[1])),
                Value.Member("secretKey", .string(words[2])),
            ]
            members["service"] = .string("execute-api")
            for word in words.dropFirst(3) {
                let pair = word.split(separator: ":", maxSplits: 1).map(String.init)
                guard pair.count == 2 else { return }
                switch pair[0] {
                case "token": members["sessionToken"] = .string(pair[1])
                case "region": members["region"] = .string(pair[1])
                case "service": members["service"] = .string(pair[1])
                default: return
                }
            }
            parts.auth = .object([Value.Member("aws", .object(members))])
        default: return
        }
        parts.removeHeader("authorization")
    }

    /// A user and a password.
    static func credentials(_ scheme: String, _ user: String, _ password: String) -> Value {
        .object([
            Value.Member(
                scheme,
                .object([
                    Value.Member("user", .string(user)),
                    Value.Member("password", .string(password)),
                ])
            )
        ])
    }

    /// The first colon outside of templates.
    private static func colon(in text: String) -> String.Index? {
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case "{": depth += 1
            case "}": depth -= 1
            case ":" where depth == 0: return index
            default: break
            }
        }
        return nil
    }

    /// The words of a field, with templates as parts of words.
    private static func pieces(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var depth = 0
        for character in text {
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            if character == " ", depth == 0 {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }
}
