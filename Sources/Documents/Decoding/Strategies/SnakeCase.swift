import FoundationEssentials

/// Turns `one_two` into `oneTwo`, exactly as `JSONDecoder` does.
enum SnakeCase {
    /// The name in camel case; a name of one word stays as it is.
    static func camel(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }),
            let last = key.lastIndex(where: { $0 != "_" })
        else { return key }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1 else { return key }
        var text = String(key[..<first]) + words[0].lowercased()
        for word in words.dropFirst() { text += word.capitalized }
        return text + key[key.index(after: last)...]
    }
}
