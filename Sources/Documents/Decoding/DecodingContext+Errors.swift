/// Errors that say where in the text they happened.
extension DecodingContext {
    private typealias Messages = DecodingErrorMessages

    /// The error for a value of another kind than a type needs; null is a missing value.
    func mismatch(_ type: Any.Type, at node: Int) -> DecodingError {
        let kind = kind(node)
        let text = kind.isContainer || node < 0 ? "" : cutText(node)
        let found = Messages.value(kind, text)
        let message = Messages.mismatch(Messages.name(of: type), path(node), found)
        let context = errorContext(message, at: node)
        return kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// Like `mismatch`, but null is of another kind too.
    func wrongKind(_ type: Any.Type, at node: Int) -> DecodingError {
        let error = mismatch(type, at: node)
        return error.context.map { .typeMismatch(type, $0) } ?? error
    }

    func noMember(_ key: any CodingKey, in node: Int) -> DecodingError {
        let message = Messages.missingMember(key.stringValue, path(node))
        return .keyNotFound(key, errorContext(message, at: node))
    }

    func noElement(_ index: Int, in node: Int) -> DecodingError {
        let count = document.childCount(of: NodeIndex(node))
        let message = Messages.missingElement(index, path(node), count)
        return .valueNotFound([Any].self, errorContext(message, at: node))
    }

    func badPath(_ path: String, _ reason: JSONPathError) -> DecodingError {
        let message = Messages.badPath(path, reason)
        return .dataCorrupted(
            .init(codingPath: [], debugDescription: message, underlyingError: reason)
        )
    }

    func noMatch(_ path: String) -> DecodingError {
        .valueNotFound(Any.self, errorContext(Messages.noMatch(path), at: root))
    }

    /// The error for a query that was not evaluated to its end.
    func givenUp(_ path: String, _ reason: QueryInterruption) -> DecodingError {
        let message = Messages.givenUp(path, reason)
        return .dataCorrupted(
            .init(codingPath: [], debugDescription: message, underlyingError: reason)
        )
    }

    /// The error for a container of another kind than a type needs.
    func containerMismatch(
        _ type: Any.Type,
        _ container: Any.Type,
        at node: Int
    ) -> DecodingError {
        let error = mismatch(type, at: node)
        guard case .valueNotFound(_, let context) = error else { return error }
        return .valueNotFound(container, context)
    }

    /// The error for reading beyond the last element of an array.
    func arrayEnd(_ type: Any.Type, in node: Int, index: Int) -> DecodingError {
        let message = Messages.arrayEnd(Messages.name(of: type), path(node))
        var context = errorContext(message, at: node)
        context = DecodingError.Context(
            codingPath: context.codingPath + [DecodingKey(index)],
            debugDescription: context.debugDescription,
            underlyingError: context.underlyingError
        )
        return .valueNotFound(type, context)
    }

    /// The error for a value of the right kind whose content is not acceptable.
    func corrupted(
        _ problem: DecodingProblem,
        at node: Int,
        because reason: (any Error)? = nil
    ) -> DecodingError {
        let message = "\(Messages.problem(problem)) at \(path(node))"
        return .dataCorrupted(errorContext(message, at: node, because: reason))
    }

    /// The error for values that nest deeper than `maximumDepth`.
    func tooDeep(_ node: Int) -> DecodingError {
        let message = Messages.tooDeep(options.maximumDepth, path(node))
        return .dataCorrupted(errorContext(message, at: node))
    }

    /// The error for a text with a fault.
    func broken(_ fault: DocumentFault) -> DecodingError {
        let position = places.position(of: fault.offset)
        let location = DecodingLocation(
            path: "$",
            offset: fault.offset,
            position: position,
            node: nil,
            reason: fault
        )
        let context = DecodingError.Context(
            codingPath: [],
            debugDescription: fault.description + Messages.at(position, fault.offset),
            underlyingError: location
        )
        return .dataCorrupted(context)
    }

    /// The error for a document that is still being parsed.
    func unfinished() -> DecodingError {
        let context = DecodingError.Context(
            codingPath: [],
            debugDescription: Messages.unfinished
        )
        return .dataCorrupted(context)
    }

    /// An error that a type threw itself, with the position of the value that was being decoded.
    ///
    /// Errors that already have a position keep it, because they come from further inside.
    func located(_ error: DecodingError, at node: Int) -> DecodingError {
        guard let old = error.context, !(old.underlyingError is DecodingLocation) else {
            return error
        }
        let new = DecodingError.Context(
            codingPath: old.codingPath,
            debugDescription: "\(old.debugDescription) at \(path(node))" + placeText(node),
            underlyingError: location(node, because: old.underlyingError)
        )
        return error.replacingContext(new)
    }

    // MARK: - Parts

    private func errorContext(
        _ message: String,
        at node: Int,
        because reason: (any Error)? = nil
    ) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: codingPath(node),
            debugDescription: message + placeText(node),
            underlyingError: location(node, because: reason)
        )
    }

    private func location(_ node: Int, because reason: (any Error)?) -> DecodingLocation {
        let offset = nodes.start(max(node, root))
        return DecodingLocation(
            path: path(node),
            offset: offset,
            position: places.position(of: offset),
            node: NodeIndex(max(node, root)),
            reason: reason
        )
    }

    private func placeText(_ node: Int) -> String {
        let offset = nodes.start(max(node, root))
        return Messages.at(places.position(of: offset), offset)
    }

    func cutText(_ node: Int) -> String {
        let range = document.valueRange(of: NodeIndex(node))
        return document.bytes.cutText(range, limit: Messages.longest).text
    }

    /// The path in the document, such as `$.users[3].age`.
    func path(_ node: Int) -> String {
        let path = document.dottedPath(of: NodeIndex(max(node, root)))
        if path == "$" || path.hasPrefix("…") { return path }
        return path.hasPrefix("[") ? "$" + path : "$." + path
    }

    /// The path of a member, which may be missing.
    func memberPath(_ name: String, in object: Int) -> String {
        let isName = name.utf8.allSatisfy { byte in
            (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x5F || byte >= 0x80
        }
        return path(object) + (isName && !name.isEmpty ? "." + name : Document.normalised(name))
    }

    /// The coding keys from the requested value down to a node.
    func codingPath(_ node: Int) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        var at = NodeIndex(node)
        while at.rawValue > root, let parent = document.parent(of: at) {
            if let name = document.key(of: at) {
                keys.append(codingKey(name))
            } else {
                keys.append(DecodingKey(document.indexInParent(of: at)))
            }
            at = parent
        }
        return keys.reversed()
    }

    private func codingKey(_ name: String) -> any CodingKey {
        guard case .convertFromSnakeCase = options.keyDecodingStrategy else {
            return DecodingKey(name)
        }
        return DecodingKey(SnakeCase.camel(name))
    }
}

extension DecodingError {
    /// The context of the error, in every case.
    var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    func replacingContext(_ context: Context) -> DecodingError {
        switch self {
        case .typeMismatch(let type, _): .typeMismatch(type, context)
        case .valueNotFound(let type, _): .valueNotFound(type, context)
        case .keyNotFound(let key, _): .keyNotFound(key, context)
        case .dataCorrupted: .dataCorrupted(context)
        @unknown default: self
        }
    }
}

/// What is wrong with the content of a value of the right kind.
enum DecodingProblem {
    case doesNotFit(_ number: String, _ type: String)
    case notADate(String)
    case notBase64
    case notAURL(String)
}

/// The texts of decoding errors.
enum DecodingErrorMessages {
    static let longest = 60

    static func problem(_ problem: DecodingProblem) -> String {
        switch problem {
        case .doesNotFit(let number, let type): "the number \(cut(number)) does not fit \(type)"
        case .notADate(let text): "the string \"\(cut(text))\" is not a date in the expected format"
        case .notBase64: "the string is not base 64"
        case .notAURL(let text): "the string \"\(cut(text))\" is not a URL"
        }
    }

    static func mismatch(_ expected: String, _ path: String, _ found: String) -> String {
        "expected \(expected) at \(path), but found \(found)"
    }

    static func missingMember(_ name: String, _ path: String) -> String {
        "the object at \(path) has no member \"\(cut(name))\""
    }

    static func missingElement(_ index: Int, _ path: String, _ count: Int) -> String {
        let elements = count == 1 ? "1 element" : "\(count) elements"
        return "the array at \(path) has no element \(index); it has \(elements)"
    }

    static func arrayEnd(_ expected: String, _ path: String) -> String {
        "expected \(expected), but the array at \(path) has no more elements"
    }

    static func tooDeep(_ limit: Int, _ path: String) -> String {
        "the value at \(path) is nested more than \(limit) levels deep"
    }

    static let unfinished = "the document is still being parsed"

    static func badPath(_ path: String, _ reason: JSONPathError) -> String {
        "\"\(cut(path))\" is not a valid path: \(reason)"
    }

    static func noMatch(_ path: String) -> String { "nothing matches \"\(cut(path))\"" }

    static func givenUp(_ path: String, _ reason: QueryInterruption) -> String {
        "the query \"\(cut(path))\" was stopped: \(reason)"
    }

    /// The position of an error in words, for the end of its text.
    static func at(_ position: TextPosition, _ offset: Int) -> String {
        " (line \(position.line), column \(position.column), byte \(offset))"
    }

    /// What a type needs, in words for people.
    static func name(of type: Any.Type) -> String {
        switch type {
        case is any (FixedWidthInteger & Decodable).Type: "an integer"
        case is any (BinaryFloatingPoint & Decodable).Type: "a number"
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is [Any].Type: "an array"
        case is [String: Any].Type: "an object"
        default: "\(type)"
        }
    }

    /// The value that was found instead, in words for people.
    static func value(_ kind: ValueKind, _ text: String) -> String {
        switch kind {
        case .null: "null"
        case .true, .false: text
        case .integer, .decimal: "the number \(cut(text))"
        case .string: "the string \(cut(text))"
        case .array: "an array"
        case .object: "an object"
        }
    }

    static func cut(_ text: String) -> String {
        text.utf8.count > longest ? String(text.unicodeScalars.prefix(longest)) + "…" : text
    }
}
