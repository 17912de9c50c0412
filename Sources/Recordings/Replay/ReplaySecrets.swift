package import Apus
import Documents
import FoundationEssentials
package import HTTPTypes
import Secrets

/// Restores the secrets that are masked in recorded requests.
///
/// A secret is taken from the request that the workspace now makes for the same target, at the same place:
/// the header field, parameter or member of the same name. A numbered mask means the same secret throughout
/// a session, so one that was found once is also used in later requests, but only at the same place: in the
/// field of that name at the same origin, or in that parameter or member of a request with the same method
/// and path. A session may come from somebody else, so a secret never goes where its target does not send it.
package struct ReplaySecrets {
    /// A request with its secrets restored.
    package struct Restored {
        /// The request, with its secrets listed in its options so that they are masked.
        package var request: PreparedRequest
        /// The places whose secrets are unknown: "the field Authorization".
        package var missing: [String] = []
    }

    /// A numbered mask and the place where its secret may be used.
    private struct Known: Hashable {
        let place: Place
        let mask: String
    }

    private struct Place: Hashable {
        let origin: String
        /// The method and path; nil for a header field, which is the same for all requests to the origin.
        let resource: String?
        /// What messages about missing secrets call it.
        let name: String
    }

    private var known: [Known: String] = [:]

    package init() {}

    /// Restores the secrets of a recorded request.
    ///
    /// - Parameters:
    ///   - recorded: the request as it was recorded.
    ///   - own: the request that its target makes now; nil if there is no target or it goes elsewhere.
    ///   - fields: header fields that replace the recorded ones of the same names.
    /// - Returns: the request, and the places whose secrets are unknown.
    package mutating func restore(
        _ recorded: PreparedRequest,
        from own: PreparedRequest?,
        fields: HTTPFields = [:]
    ) -> Restored {
        var work = Work(recorded, known: known)
        var request = recorded
        request.options = own?.options ?? TransportOptions()
        if let authority = recorded.head.authority, MaskedText(authority).isMasked {
            request.head.authority = work.authority(authority, from: own)
        }
        request.head.path = recorded.head.path.map { work.path($0, from: own?.head.path) }
        request.head.headerFields = work.fields(
            recorded.head.headerFields.filter { !fields.contains($0.name) },
            from: own?.head.headerFields ?? [:]
        )
        request.head.headerFields.append(contentsOf: fields)
        if case .bytes(let bytes) = recorded.body {
            let ownBytes: [UInt8]? = if case .bytes(let own) = own?.body { own } else { nil }
            let type = recorded.head.headerFields[.contentType]?.lowercased() ?? ""
            request.body = .bytes(work.body(bytes, from: ownBytes, type: type))
        }
        known = work.known
        request.options.secretTexts.formUnion(work.secrets.map { Secret($0) })
        return Restored(request: request, missing: work.missing)
    }

    /// Restores one request.
    private struct Work {
        let origin: String
        let resource: String
        var known: [Known: String]
        var secrets: Set<String> = []
        var missing: [String] = []

        init(_ recorded: PreparedRequest, known: [Known: String]) {
            origin = recorded.origin
            resource = "\(recorded.head.method) \(recorded.head.path.map(Self.parts)?.path ?? "")"
            self.known = known
        }

        mutating func text(_ text: String, from own: String?, at name: String) -> String {
            fill(text, from: own, at: Place(origin: origin, resource: resource, name: name))
        }

        private mutating func fill(_ text: String, from own: String?, at place: Place) -> String {
            let masked = MaskedText(text)
            guard masked.isMasked else { return text }
            let values =
                own.flatMap { masked.values(in: $0) }
                ?? masked.masks.compactMap { known[Known(place: place, mask: $0)] }
            guard values.count == masked.masks.count else {
                missing.append(place.name)
                return text
            }
            for (mask, value) in zip(masked.masks, values) {
                add(secret: value)
                if mask.last != "•" { known[Known(place: place, mask: mask)] = value }
            }
            return masked.filled(with: values)
        }

        /// The authority of the target's own request, because a mask must not decide where the request goes.
        mutating func authority(_ authority: String, from own: PreparedRequest?) -> String {
            guard let own, own.origin == origin, let filled = own.head.authority,
                filled.utf8.contains(UInt8(ascii: "@"))
            else {
                missing.append("the user in the URL")
                return authority
            }
            return filled
        }

        /// Adds a secret to mask wherever it occurs, unless it is so short that it may occur by chance.
        private mutating func add(secret: String) {
            if secret.utf8.count >= 4 { secrets.insert(secret) }
        }

        mutating func path(_ path: String, from own: String?) -> String {
            let parts = Self.parts(path)
            let ownParts = own.map(Self.parts)
            let start = text(parts.path, from: ownParts?.path, at: "the path")
            guard let query = parts.query else { return start }
            return start + "?"
                + pairs(query, from: ownParts?.query) { "the parameter \($0) of the URL" }
        }

        private static func parts(_ path: String) -> (path: String, query: String?) {
            guard let mark = path.unicodeScalars.firstIndex(of: "?") else { return (path, nil) }
            return (String(path[..<mark]), String(path.unicodeScalars[mark...].dropFirst()))
        }

        private mutating func pairs(
            _ text: String,
            from own: String?,
            at place: (String) -> String
        ) -> String {
            let ownPairs = Self.named(own ?? "")
            var seen: [String: Int] = [:]
            return Self.named(text).map { name, pair in
                let number = seen[name, default: 0]
                seen[name] = number + 1
                let same = ownPairs.filter { $0.name == name }.map(\.pair)
                let own = same.indices.contains(number) ? same[number] : nil
                return self.text(pair, from: own, at: place(name))
            }.joined(separator: "&")
        }

        private static func named(_ text: String) -> [(name: String, pair: String)] {
            text.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false).map {
                (String($0.prefix { $0 != "=" }), String($0))
            }
        }

        mutating func fields(_ fields: [HTTPField], from own: HTTPFields) -> HTTPFields {
            var seen: [HTTPField.Name: Int] = [:]
            var result = HTTPFields()
            for field in fields {
                let number = seen[field.name, default: 0]
                seen[field.name] = number + 1
                let same = own.filter { $0.name == field.name }.map(\.value)
                let name = "the field \(field.name.rawName)"
                let value = fill(
                    field.value,
                    from: same.indices.contains(number) ? same[number] : nil,
                    at: Place(origin: origin, resource: nil, name: name)
                )
                result.append(HTTPField(name: field.name, value: value))
            }
            return result
        }

        mutating func body(_ bytes: [UInt8], from own: [UInt8]?, type: String) -> [UInt8] {
            guard bytes.firstRange(of: Array("••".utf8)) != nil,
                let text = String(validating: bytes, as: UTF8.self),
                MaskedText(text).isMasked
            else { return bytes }
            let ownText = own.map { String(decoding: $0, as: UTF8.self) }
            if type.hasPrefix("application/x-www-form-urlencoded") {
                return Array(pairs(text, from: ownText) { "the parameter \($0) of the body" }.utf8)
            }
            let document = Document.parse(DocumentBytes(bytes))
            guard document.fault == nil else {
                return Array(self.text(text, from: ownText, at: "the body").utf8)
            }
            return json(bytes, document, from: own.flatMap { try? JSON(parsing: $0) })
        }

        private mutating func json(
            _ bytes: [UInt8],
            _ document: Document,
            from own: JSON?
        ) -> [UInt8] {
            var filled: [(range: Range<Int>, bytes: [UInt8])] = []
            for place in 0..<document.nodeCount {
                let node = NodeIndex(place)
                guard let text = document.string(of: node), MaskedText(text).isMasked else {
                    continue
                }
                let value = own?[path: document.steps(to: node)]
                let range = document.valueRange(of: node)
                // A value that was masked as a whole may have been a number.
                if let value, value.exists, value.string == nil, MaskedText(text).masks == [text],
                    let written = value.text()
                {
                    filled.append((range, Array(written.utf8)))
                    add(secret: written)
                } else {
                    let path = "\(document.path(of: node)) of the body"
                    let whole = self.text(text, from: value?.string, at: path)
                    filled.append((range, Array((JSON(whole).text() ?? "\"\"").utf8)))
                }
            }
            return bytes.replacing(filled)
        }
    }
}

extension Document {
    /// The path from the root to a node.
    func steps(to node: NodeIndex) -> [PathStep] {
        var (steps, node) = ([PathStep](), node)
        while let parent = parent(of: node) {
            steps.append(key(of: node).map { .name($0) } ?? .index(indexInParent(of: node)))
            node = parent
        }
        return steps.reversed()
    }
}
