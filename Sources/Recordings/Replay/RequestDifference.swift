import Apus
import Documents
import HTTPTypes
import Secrets

/// Compares a request with a recorded one, in which a mask matches anything.
enum RequestDifference {
    /// The method, origin, path, query and header fields of a request.
    struct Target {
        private let method: HTTPRequest.Method
        private let origin: String
        private let fields: HTTPFields
        private let path: [String]
        private let query: Pairs

        init(_ head: HTTPRequest) {
            method = head.method
            // A user before the host is a credential, which a recording does not have.
            let host = head.authority.flatMap { $0.split(separator: "@").last } ?? ""
            origin = "\(head.scheme ?? "http")://\(host)"
            fields = head.headerFields
            let parts = (head.path ?? "/").unicodeScalars.split(
                separator: "?",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
                .map { RequestDifference.decoded($0, plusIsSpace: false) }
            query = Pairs(parts.count > 1 ? parts[1] : Substring.UnicodeScalarView())
        }

        /// The method and path, or ``maskedKey(_:)`` if the path has a mask.
        var key: String {
            path.contains { MaskedText($0).isMasked }
                ? Self.maskedKey(method) : "\(method) \(path.joined(separator: "/"))"
        }

        static func maskedKey(_ method: HTTPRequest.Method) -> String { "\(method)" }

        /// Whether nothing that the matching compares differs.
        func fits(_ recorded: Target, by matching: ReplayTransport.Matching) -> Bool {
            differences(from: recorded, by: matching).isEmpty
        }

        /// A line for each difference.
        func differences(
            from recorded: Target,
            by matching: ReplayTransport.Matching
        ) -> [String] {
            guard matching.comparesTarget else { return [] }
            var lines: [String] = []
            if method != recorded.method {
                lines.append("method: recorded \(recorded.method), requested \(method)")
            }
            if matching.comparesHost, !RequestDifference.fits(recorded.origin, origin) {
                lines.append("host: recorded \(recorded.origin), requested \(origin)")
            }
            if !RequestDifference.fits(recorded.path, path) {
                let paths = [recorded.path, path].map { $0.joined(separator: "/") }
                lines.append("path: recorded \(paths[0]), requested \(paths[1])")
            }
            lines += query.differences(
                from: recorded.query,
                "query",
                ignoring: matching.ignoredParameters
            )
            return lines + matching.comparedFields.compactMap { difference(of: $0, recorded) }
        }

        private func difference(of name: HTTPField.Name, _ recorded: Target) -> String? {
            let (old, new) = (recorded.counted(name), counted(name))
            guard old != new, !RequestDifference.fits(old ?? "", new ?? "") else { return nil }
            let texts = [("recorded", old), ("requested", new)].map { word, value in
                value.map { "\(word) “\($0)”" } ?? "not \(word)"
            }
            return "\(name.rawName): \(texts[0]), \(texts[1])"
        }

        /// The value of a field; a standard one does not count, so that another machine's language does not.
        private func counted(_ name: HTTPField.Name) -> String? {
            fields[name] == HTTPFields.standard[name] ? nil : fields[name]
        }

        /// Roughly how different two targets are; the path counts most, then the method, then the query.
        func distance(from recorded: Target) -> Int {
            let same = zip(recorded.path, path).count { RequestDifference.fits($0, $1) }
            let apart = max(recorded.path.count, path.count) - same
            return apart * 10_000 + (recorded.method == method ? 0 : 5_000)
                + min(query.differenceCount(from: recorded.query), 4_999)
        }
    }

    /// The body of a request.
    struct Content {
        let bytes: [UInt8]
        private let form: Pairs?
        /// Nil if the body is not JSON.
        private let document: Document?

        init(_ head: HTTPRequest, _ bytes: [UInt8]) {
            let field = head.headerFields[.contentType] ?? ""
            self.bytes = Self.withoutBoundary(bytes, field)
            let type = field.asciiLowercased
            guard !type.hasPrefix("application/x-www-form-urlencoded") else {
                form = Pairs(String(decoding: bytes, as: UTF8.self).unicodeScalars[...])
                document = nil
                return
            }
            form = nil
            let parsed = bytes.isEmpty ? nil : Document.parse(DocumentBytes(bytes))
            document = parsed?.fault == nil ? parsed : nil
        }

        /// The bytes with the same boundary as any other form of parts, because it differs each time.
        private static func withoutBoundary(_ bytes: [UInt8], _ type: String) -> [UInt8] {
            guard type.asciiLowercased.hasPrefix("multipart/"),
                let start = type.firstRange(of: "boundary=")?.upperBound
            else { return bytes }
            let boundary = type[start...].prefix { $0 != ";" && $0 != " " }
                .trimmingPrefix("\"").prefix { $0 != "\"" }
            guard !boundary.isEmpty else { return bytes }
            return bytes.replacing(Array("--\(boundary)".utf8), with: Array("--apus".utf8))
        }

        /// A line for each difference.
        func differences(
            from recorded: Content,
            by matching: ReplayTransport.Matching
        ) -> [String] {
            let old = recorded.bytes
            guard old != bytes else { return [] }
            if old.isEmpty != bytes.isEmpty {
                return ["body: recorded \(old.isEmpty ? "without" : "with") one"]
            }
            if let form, let old = recorded.form {
                return form.differences(
                    from: old,
                    "form field",
                    ignoring: matching.ignoredParameters.union(matching.ignoredMembers)
                )
            }
            guard let left = recorded.document, let right = document else {
                let texts = [old, bytes].map { String(decoding: $0, as: UTF8.self) }
                return fits(texts[0], texts[1])
                    ? [] : ["body: recorded \(old.count) other bytes, requested \(bytes.count)"]
            }
            var options = DiffOptions()
            options.ignoreMasks(of: left, in: right)
            matching.ignore(in: left, &options.ignoredLeft)
            matching.ignore(in: right, &options.ignoredRight)
            return DocumentDiff(between: left, and: right, options: options).lines()
                .map { "body: \($0)" }
        }
    }

    /// The decoded pairs of a query or a form, where only pairs of the same name have an order.
    private struct Pairs {
        private var names: [String] = []
        private var values: [String: [String]] = [:]

        init(_ text: Substring.UnicodeScalarView) {
            for pair in text.split(separator: "&") {
                let parts = pair.split(
                    separator: "=",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                let name = decoded(parts[0], plusIsSpace: true)
                if values[name] == nil { names.append(name) }
                values[name, default: []].append(
                    parts.count > 1 ? decoded(parts[1], plusIsSpace: true) : ""
                )
            }
        }

        func differences(
            from recorded: Pairs,
            _ part: String,
            ignoring ignored: Set<String>
        ) -> [String] {
            let names = recorded.names + names.filter { recorded.values[$0] == nil }
            return names.compactMap { name in
                guard !ignored.contains(name) else { return nil }
                let (old, new) = (recorded.values[name] ?? [], values[name] ?? [])
                guard !fits(old, new) else { return nil }
                return "\(part) \(name): \(text(old, "recorded")), \(text(new, "requested"))"
            }
        }

        func differenceCount(from recorded: Pairs) -> Int {
            let common = recorded.names.count { values[$0] != nil }
            return names.count - common
                + recorded.names.count { !fits(recorded.values[$0] ?? [], values[$0] ?? []) }
        }

        private func text(_ values: [String], _ word: String) -> String {
            let all = values.joined(separator: "”, “")
            let shown = all.count > 60 ? "\(all.prefix(60))…" : all
            return values.isEmpty ? "not \(word)" : "\(word) “\(shown)”"
        }
    }

    /// Whether the texts match the recorded ones, in which masks match anything.
    private static func fits(_ recorded: [String], _ asked: [String]) -> Bool {
        recorded.count == asked.count && zip(recorded, asked).allSatisfy { fits($0, $1) }
    }

    private static func fits(_ recorded: String, _ asked: String) -> Bool {
        recorded == asked || MaskedText(recorded).values(in: asked) != nil
    }

    private static func decoded(
        _ text: Substring.UnicodeScalarView,
        plusIsSpace: Bool
    ) -> String {
        let bytes = PercentEncoding.decode(Array(String(text).utf8), plusIsSpace: plusIsSpace).bytes
        return String(decoding: bytes, as: UTF8.self)
    }
}
