import Apus
import Secrets
import Synchronization

/// Texts that stand for values while a target is filled in, so that the places of the values can be found in the
/// request that is made of it.
///
/// A mark has only unreserved characters (RFC 3986, section 2.3), which no part of a request escapes. Marks are
/// random, so that no text that came from elsewhere can be one.
package final class TemplateMarks: Sendable {
    /// What a mark stands for.
    package enum Source: Sendable, Hashable {
        /// The value of a variable of the workspace.
        case variable(String)
        /// An environment variable, as the function `env` and credentials read it.
        case environmentVariable(String)
        /// A file with a secret, by its path.
        case file(String)
        /// What a function makes of its arguments, in which there may be marks.
        case call(String, arguments: [Value])
    }

    /// What kind of value a mark must look like where it stands.
    package enum Style: Sendable, Hashable {
        /// A text.
        case text
        /// A number or a flag, which has no quotes in JSON.
        case number
        /// What a URL begins with, such as `https`.
        case origin(scheme: String)
    }

    /// A part of a text: bytes, or what a mark stands for.
    package enum Piece: Sendable, Hashable {
        case bytes([UInt8])
        case source(Source)
    }

    private struct Mark {
        let source: Source
        let style: Style
    }

    private struct State {
        var marks: [Mark] = []
        var indices: [Source: Int] = [:]
    }

    /// The variables that are marked though they have values.
    let styles: [String: Style]
    /// Whether secrets are marked, too.
    package let hidesSecrets: Bool
    private let state = Mutex(State())
    private let letters: String
    private let digits: String

    /// Makes marks for these variables, and for those whose values are not known.
    package init(_ styles: [String: Style] = [:], hidesSecrets: Bool) {
        (self.styles, self.hidesSecrets) = (styles, hidesSecrets)
        let alphabet = Array("bcdfghjkmnpqrstvwxz")
        letters = String((0..<14).map { _ in alphabet.randomElement() ?? "q" })
        digits = "7" + String((0..<13).map { _ in "123456789".randomElement() ?? "5" })
    }

    /// Whether a variable is marked though it has a value.
    package func isStyled(_ name: String) -> Bool { styles[name] != nil }

    // MARK: Making

    /// The value that stands for a source.
    package func value(for source: Source, as style: Style = .text) -> Value {
        let index = state.withLock { state in
            if let index = state.indices[source] { return index }
            state.marks.append(Mark(source: source, style: style))
            state.indices[source] = state.marks.count - 1
            return state.marks.count - 1
        }
        return switch style {
        case .text: .string(letters + Self.number(index))
        case .number: .number(digits + Self.number(index))
        case .origin(let scheme): .string("\(scheme)://\(letters)\(Self.number(index)).invalid")
        }
    }

    /// Four digits.
    private static func number(_ index: Int) -> String {
        let text = String(index % 10_000)
        return String(repeating: "0", count: 4 - text.count) + text
    }

    /// The value that stands for a variable; nil if its own is used.
    func value(forVariable name: String, _ binding: Scope.Binding, _ rules: SecretRules) -> Value? {
        let isSecret =
            hidesSecrets && (rules.contains(name) || CredentialMask.isSecret(parameter: name))
        switch binding {
        case .captured, .capturedTooDeep: break
        case .value(let value):
            guard isSecret || styles[name] != nil, value.value.scalarText != nil else { return nil }
        case .variable(let variable):
            switch variable.content {
            case .secret(let secret):
                guard hidesSecrets || secret.value == nil else { return nil }
            case .supplied: break
            case .value(let template):
                let isWhole = template.names.isEmpty && template.written.scalarText != nil
                guard styles[name] != nil || isSecret && isWhole else { return nil }
            }
        }
        return value(for: .variable(name), as: styles[name] ?? .text)
    }

    /// Whether there is a mark in a value.
    package func isMarked(_ value: Value) -> Bool {
        switch value {
        case .string(let text), .number(let text):
            text.utf8.count > 14
                && (text.utf8.firstRange(of: letters.utf8) != nil
                    || text.utf8.firstRange(of: digits.utf8) != nil)
        case .boolean, .null: false
        case .array(let elements): elements.contains(where: isMarked)
        case .object(let members): members.contains { isMarked($0.value) }
        }
    }

    /// Whether there is a mark in a text.
    package func isMarked(_ text: String) -> Bool { isMarked(.string(text)) }

    // MARK: Finding

    /// The pieces of a text.
    package func pieces(of text: String) -> [Piece] { pieces(of: Array(text.utf8)) }

    /// The pieces of bytes.
    package func pieces(of bytes: [UInt8]) -> [Piece] {
        var pieces: [Piece] = []
        var start = 0
        for (range, source) in found(in: bytes) {
            if range.lowerBound > start {
                pieces.append(.bytes(Array(bytes[start..<range.lowerBound])))
            }
            pieces.append(.source(source))
            start = range.upperBound
        }
        if start < bytes.count { pieces.append(.bytes(Array(bytes[start...]))) }
        return pieces
    }

    /// The text with what stands between its marks replaced.
    package func replacing(between text: String, with replacement: (String) -> String) -> String {
        let bytes = Array(text.utf8)
        var result = ""
        var start = 0
        func add(_ end: Int) {
            guard end > start else { return }
            result += replacement(String(decoding: bytes[start..<end], as: UTF8.self))
        }
        for (range, _) in found(in: bytes) {
            add(range.lowerBound)
            result += String(decoding: bytes[range], as: UTF8.self)
            start = range.upperBound
        }
        add(bytes.count)
        return result
    }

    /// The marks in bytes, in their order.
    private func found(in bytes: [UInt8]) -> [(range: Range<Int>, source: Source)] {
        let marks = state.withLock { $0.marks }
        let prefixes = [Array(letters.utf8), Array(digits.utf8)]
        var found: [(range: Range<Int>, source: Source)] = []
        var start = 0
        var index = 0
        while index + 18 <= bytes.count {
            guard let prefix = prefixes.first(where: { bytes[index...].starts(with: $0) }),
                let mark = Self.mark(at: index + prefix.count, of: bytes, marks)
            else {
                index += 1
                continue
            }
            var range = index..<index + 18
            if case .origin(let scheme) = mark.style {
                let before = Array("\(scheme)://".utf8)
                let after = Array(".invalid".utf8)
                guard bytes[start..<index].suffix(before.count).elementsEqual(before),
                    bytes[range.upperBound...].starts(with: after)
                else {
                    index += 1
                    continue
                }
                range = index - before.count..<range.upperBound + after.count
            }
            found.append((range, mark.source))
            (start, index) = (range.upperBound, range.upperBound)
        }
        return found
    }

    private static func mark(at index: Int, of bytes: [UInt8], _ marks: [Mark]) -> Mark? {
        let text = String(decoding: bytes[index..<index + 4], as: UTF8.self)
        guard let number = Int(text), marks.indices.contains(number) else { return nil }
        return marks[number]
    }
}

extension Workspace {
    /// The workspace whose targets are filled in with marks.
    package func marking(with marks: TemplateMarks) -> Workspace {
        var workspace = self
        workspace.marks = marks
        return workspace
    }
}
