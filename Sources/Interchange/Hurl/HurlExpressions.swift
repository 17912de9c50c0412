import Workspaces

/// What stands in `{{ … }}` of hurl files.
final class HurlExpressions {
    private var losses: [ImportLoss] = []

    /// What was met since the last call.
    func takeLosses() -> [ImportLoss] {
        defer { losses = [] }
        return losses
    }

    /// The workspace's expression; nil for what stays as text.
    func expression(_ text: String, _ names: inout ImportNames) -> String? {
        let words = text.split(separator: " ").map(String.init)
        guard let first = words.first else { return nil }
        var value: String
        var rest = words.dropFirst()
        switch first {
        case "newUuid": value = "uuid"
        case "newDate": value = "now"
        case "getEnv" where words.count > 1:
            let name = rest.removeFirst().filter { !"\"'".contains($0) }
            value = "env('\(name)')"
        default: value = names.use(first)
        }
        for filter in rest {
            switch filter {
            case "urlEncode": value += " | url"
            case "base64Encode": value += " | base64"
            case "toString": break
            default:
                let loss = ImportLoss(
                    "a filter",
                    "a template has none like it, so that the value is as it is without",
                    text: "{{\(text)}}"
                )
                if !losses.contains(loss) { losses.append(loss) }
                return "{{ \(value) }}"
            }
        }
        return "{{ \(value) }}"
    }
}

extension HurlEntry {
    /// The whole, nearly as it stands in the file.
    var text: String {
        var lines = comments.map { "# \($0)" } + [requestLine.text] + fields.map(\.text)
        for section in sections { lines += ["[\(section.name)]"] + section.lines.map(\.text) }
        if let body { lines.append(body.text) }
        if let response { lines.append(response.text) }
        lines += responseFields.map(\.text)
        for section in responseSections {
            lines += ["[\(section.name)]"] + section.lines.map(\.text)
        }
        if let responseBody { lines.append(responseBody.text) }
        return (lines + remarks.map { "# \($0)" }).joined(separator: "\n")
    }
}
