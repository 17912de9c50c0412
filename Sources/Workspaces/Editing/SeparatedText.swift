import Documents

/// A text of a workspace with templates in the place of its credentials.
struct SeparatedText {
    private(set) var text: String

    private typealias Edit = (range: Range<Int>, text: String)

    /// Replaces the credentials of a text, which are in their order, and their values in its notes.
    init(_ original: String, _ credentials: [NamedCredential], of all: [NamedCredential]) {
        let scalars = Array(original.unicodeScalars)
        var edits = Self.edits(ofNotes: original, scalars, all)
        var last = credentials[...]
        while let scalar = last.last?.credential.scalar {
            let start = last.lastIndex { $0.credential.scalar != scalar }.map { $0 + 1 }
            let group = last[(start ?? last.startIndex)...]
            last = last[..<group.startIndex]
            if let edit = Self.edit(group, scalars) { edits.append(edit) }
        }
        var result = String.UnicodeScalarView()
        var place = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where edit.range.lowerBound >= place {
            result.append(contentsOf: scalars[place..<edit.range.lowerBound])
            result.append(contentsOf: edit.text.unicodeScalars)
            place = edit.range.upperBound
        }
        result.append(contentsOf: scalars[place...])
        text = String(result)
        Self.removeEmptyVariables(&text)
    }

    /// Shorter values may be words of the notes.
    private static let shortestNoted = 8
    private static let mostNoted = 200

    /// What notes say of the credentials, such as scripts that were not carried over.
    private static func edits(
        ofNotes text: String,
        _ scalars: [Unicode.Scalar],
        _ credentials: [NamedCredential]
    ) -> [Edit] {
        var values: [String: String] = [:]
        for named in credentials where named.credential.value.utf8.count >= shortestNoted {
            if values.count < mostNoted { values[named.credential.value] = named.name }
        }
        // A longer value may have a shorter one in it.
        let sorted = values.sorted {
            ($0.key.utf8.count, $1.key) > ($1.key.utf8.count, $0.key)
        }.filter { text.contains($0.key) }
        guard !sorted.isEmpty else { return [] }
        return FoundCredential.notes(of: text).compactMap { range in
            let old = String(String.UnicodeScalarView(scalars[range]))
            let new = sorted.reduce(old) { text, entry in
                text.contains(entry.key)
                    ? text.replacing(entry.key, with: "{{ \(entry.value) }}") : text
            }
            return new == old ? nil : (range, new)
        }
    }

    private static func edit(_ group: ArraySlice<NamedCredential>, _ scalars: [Unicode.Scalar])
        -> Edit?
    {
        guard let first = group.first else { return nil }
        let credential = first.credential
        if let entry = credential.entry {
            let start = scalars[..<entry.lowerBound].lastIndex(of: "\n").map { $0 + 1 } ?? 0
            // A block ends where the next text begins, perhaps after the blanks before that.
            let last =
                credential.style == .block
                ? scalars[..<entry.upperBound].lastIndex(of: "\n")
                : scalars[max(start, entry.upperBound - 1)...].firstIndex(of: "\n")
            return (start..<(last.map { $0 + 1 } ?? scalars.count), "")
        }
        let text = Array(credential.text.unicodeScalars)
        var (result, place) = (String.UnicodeScalarView(), 0)
        for named in group {
            let isPlain =
                named.credential.isWhole
                || named.credential.value.unicodeScalars.allSatisfy {
                    $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
                        || "-._~".unicodeScalars.contains($0)
                }
            let template = isPlain ? "{{ \(named.name) }}" : "{{ \(named.name) | raw }}"
            result.append(contentsOf: text[place..<named.credential.part.lowerBound])
            result.append(contentsOf: template.unicodeScalars)
            place = named.credential.part.upperBound
        }
        result.append(contentsOf: text[place...])
        var written = YAMLWriter.doubleQuoted(String(result))
        if credential.style == .block {
            // A block ends where the next text begins.
            written += "\n" + (blanks(before: credential.scalar.upperBound, scalars) ?? "")
        } else {
            let old = scalars[credential.scalar]
            let trailing = old.reversed().prefix { $0 == "\n" || $0 == " " }.count
            written += String(String.UnicodeScalarView(old.suffix(trailing)))
        }
        return (credential.scalar, written)
    }

    /// The blanks between the beginning of a line and a place, if there is nothing else.
    private static func blanks(before index: Int, _ scalars: [Unicode.Scalar]) -> String? {
        let start = scalars[..<index].lastIndex(of: "\n").map { $0 + 1 } ?? 0
        let before = scalars[start..<index]
        return before.allSatisfy { $0 == " " } ? String(repeating: " ", count: before.count) : nil
    }

    /// Removes the line `variables:` if no variable is left.
    private static func removeEmptyVariables(_ text: inout String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let index = lines.firstIndex(of: "variables:") else { return }
        let next = lines[(index + 1)...].first { !$0.isEmpty && !$0.hasPrefix("#") }
        guard next?.hasPrefix(" ") != true else { return }
        lines.remove(at: index)
        text = lines.joined(separator: "\n")
    }

    /// A text with the key `envFile` at its top level; nil if that cannot be.
    static func naming(_ path: String, in text: String) -> String? {
        guard let root = try? YAMLValue.parse(text), case .mapping(let members) = root.content,
            !root.isFlow
        else { return nil }
        if let own = members.first(where: { $0.key.text == "envFile" }) {
            return own.value.text == path ? text : nil
        }
        let later: Set = [
            "variables", "environments", "defaults", "mask", "targets", "batches", "chains",
        ]
        guard let next = members.first(where: { later.contains($0.key.text ?? "") }) else {
            return nil
        }
        var scalars = Array(text.unicodeScalars)
        let line = YAMLWriter().entry("envFile", .string(path), indent: 0).joined(separator: "\n")
        scalars.insert(contentsOf: "\(line)\n".unicodeScalars, at: next.key.place.index)
        return String(String.UnicodeScalarView(scalars))
    }

    /// A text with more variables, and without the entry of a key at its top level.
    static func asking(_ variables: [Value.Member], insteadOf key: String, in text: String)
        -> String?
    {
        guard let root = try? YAMLValue.parse(text), case .mapping(let members) = root.content,
            let own = members.first(where: { $0.key.text == key })
        else { return nil }
        var scalars = Array(text.unicodeScalars)
        let writer = YAMLWriter()
        var lines = writer.members(variables, indent: 2)
        let there = members.first { $0.key.text == "variables" }
        // `envFile` stands before the variables: what is later is changed first.
        if let there, let end = scalars[there.key.place.index...].firstIndex(of: "\n") {
            let added = lines.map { "\($0)\n" }.joined()
            scalars.insert(contentsOf: added.unicodeScalars, at: end + 1)
            lines = []
        } else {
            lines.insert("variables:", at: 0)
        }
        let end = scalars[own.value.end.index...].firstIndex(of: "\n").map { $0 + 1 }
        scalars.replaceSubrange(
            own.key.place.index..<(end ?? scalars.count),
            with: lines.map { "\($0)\n" }.joined().unicodeScalars
        )
        return String(String.UnicodeScalarView(scalars))
    }
}
