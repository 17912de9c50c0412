import Documents

/// Changes to the query of a request's target; everything else stays as it is.
enum QueryEditing {
    /// Removes the parameters of this name and appends a new one.
    static func setting(_ name: String, to value: String, in target: String) -> String {
        let bare = removing(name, from: target)
        let joint = bare.unicodeScalars.contains("?") ? "&" : "?"
        return
            "\(bare)\(joint)\(PercentEncoding.component(name))=\(PercentEncoding.component(value))"
    }

    /// Removes the parameters of a name.
    static func removing(_ name: String, from target: String) -> String {
        guard let mark = target.unicodeScalars.firstIndex(of: "?") else { return target }
        // Compares decoded names, as a server does. An escaped form of the name must not survive.
        let kept = target.unicodeScalars[mark...].dropFirst().split(separator: "&")
            .filter { PercentEncoding.decodedForm(String($0.prefix { $0 != "=" })) != name }
            .map { String($0) }
        return kept.isEmpty
            ? String(target[..<mark]) : "\(target[..<mark])?\(kept.joined(separator: "&"))"
    }

    /// The value of a parameter in a query or a form, decoded; nil if there is none.
    static func value(of name: String, in text: some StringProtocol) -> String? {
        for pair in Substring(text).unicodeScalars.split(separator: "&") {
            let found = pair.prefix { $0 != "=" }
            guard PercentEncoding.decodedForm(String(found)) == name else { continue }
            return PercentEncoding.decodedForm(String(pair[found.endIndex...].dropFirst()))
        }
        return nil
    }
}
