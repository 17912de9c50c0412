package import Apus
package import Documents
import FoundationEssentials
import Glibc
package import HTTPTypes
import Secrets

/// A difference between a recorded response and a new one to the same request.
package struct ResponseDifference: Sendable, Hashable, CustomStringConvertible {
    /// The part of a response that can differ.
    package enum Subject: Sendable, Hashable {
        case status
        case mediaType
        case field(String)
        /// The value at this path of the body; nil for the body as bytes.
        case body(path: String?)
        /// Whether there is a response, or which error there is.
        case outcome
    }

    /// The part that differs.
    package let subject: Subject
    /// `+` added, `-` removed, `~` changed, `↕` moved.
    package let sign: String
    /// The recorded value; nil if there was none.
    package let recorded: String?
    /// The new value; nil if there is none.
    package let now: String?

    /// The difference in one line: `status  200 → 500`, `~ $.name  "Ada" → "Bob"`.
    package var description: String {
        let values = [recorded, now].compactMap(\.self).joined(separator: " → ")
        return switch subject {
        case .status: "status  \(values)"
        case .mediaType: "media type  \(values)"
        case .field(let name): "\(sign) \(name)  \(values)"
        case .body(let path): "\(sign) \(path ?? "body")  \(values)"
        case .outcome: "response  \(values)"
        }
    }
}

/// Compares responses with recorded ones: the status, the media type, and the body by its structure.
///
/// Header fields are compared only if they are named, because most differ each time (`Date`, `ETag`,
/// `Set-Cookie`). A mask in the recorded body matches any text.
package struct ResponseComparison: Sendable {
    /// The parts of a body that are not compared.
    package var ignored: [JSONPath] = []
    /// The header fields that are compared.
    package var fields: [HTTPField.Name] = []
    /// How many differences of a body are listed; further ones are only counted.
    package var limit = 100

    package init() {}

    /// The differences, with secrets masked.
    ///
    /// - Throws: `ApusError` if a body cannot be read, `QueryInterruption` if a path takes too long.
    package func differences(
        of recorded: ExchangeDetails,
        from now: Result<Response, ApusError>
    ) throws -> [ResponseDifference] {
        let response: Response
        switch now {
        case .success(let answer): response = answer
        case .failure(let error):
            guard error.code != recorded.exchange.errorCode else { return [] }
            return [outcome(Self.text(of: recorded), error.message.title)]
        }
        guard let old = recorded.response, recorded.exchange.errorCode == nil else {
            return [outcome(Self.text(of: recorded), "\(response.status)")]
        }
        var differences: [ResponseDifference] = []
        func compare(_ subject: ResponseDifference.Subject, _ old: String?, _ new: String?) {
            guard old != new else { return }
            let sign = old == nil ? "+" : new == nil ? "-" : "~"
            differences.append(
                ResponseDifference(subject: subject, sign: sign, recorded: old, now: new)
            )
        }
        let mask = response.request.mask
        compare(.status, "\(old.status)", "\(response.status)")
        compare(.mediaType, old.mediaType ?? "none", response.mediaType ?? "none")
        let (oldFields, newFields) = (
            old.head.headerFields, mask.masking(response.head.headerFields)
        )
        for name in fields {
            let (old, new) = (oldFields[name], newFields[name])
            if let old, let new, MaskedText(old).values(in: new) != nil { continue }
            if let old, MaskedText(old).isMasked, new != nil { continue }
            compare(.field(name.rawName), old, new)
        }
        if let size = recorded.unkeptSize {
            differences += try bodies(size, recorded.unkeptDigest, response.body)
        } else {
            differences += try bodies(old, response, mask)
        }
        return differences
    }

    /// A difference in the outcome, where nil means that the request was not, or is not, sent.
    package func outcome(_ recorded: String?, _ now: String?) -> ResponseDifference {
        ResponseDifference(
            subject: .outcome,
            sign: "~",
            recorded: recorded ?? "not sent",
            now: now ?? "not sent"
        )
    }

    /// The outcome of an exchange in a few words.
    package static func text(of recorded: ExchangeDetails) -> String {
        if let error = recorded.errorText { return error }
        return recorded.exchange.status.map { "\($0)" } ?? "no response"
    }

    // MARK: bodies

    /// Compares a body with one that was too large to keep, by size, and by digest if that is known.
    private func bodies(
        _ size: Int,
        _ digest: String?,
        _ new: ResponseBody
    ) throws(ApusError) -> [ResponseDifference] {
        let now = digest == nil ? nil : try Self.digest(of: new)
        guard size != new.count || digest != now else { return [] }
        func text(_ size: Int, _ digest: String?) -> String {
            Readable.bytes(size) + (digest.map { ", SHA-256 \($0.prefix(16))…" } ?? "")
        }
        return [
            ResponseDifference(
                subject: .body(path: nil),
                sign: "~",
                recorded: text(size, digest),
                now: text(new.count, now)
            )
        ]
    }

    private static func digest(of body: ResponseBody) throws(ApusError) -> String {
        switch body {
        case .bytes(let bytes): return ContentDigest.hex(of: bytes)
        case .file(let file):
            guard let found = ContentDigest.hex(ofFile: file.path) else {
                throw ApusError(.file(path: file.path, errno: errno))
            }
            return found.digest
        }
    }

    private func bodies(
        _ old: Response,
        _ new: Response,
        _ mask: CredentialMask
    ) throws -> [ResponseDifference] {
        let (oldBytes, newBytes) = (try old.body.load(), try new.body.load())
        if oldBytes == newBytes { return [] }
        guard let left = Self.document(oldBytes, of: old, .nothing),
            let right = Self.document(newBytes, of: new, mask)
        else {
            let text = String(decoding: oldBytes, as: UTF8.self)
            if MaskedText(text).values(in: String(decoding: newBytes, as: UTF8.self)) != nil {
                return []
            }
            return [bytes(oldBytes, newBytes)]
        }
        var options = DiffOptions()
        for query in ignored {
            try Self.insert(query, of: left, into: &options.ignoredLeft)
            try Self.insert(query, of: right, into: &options.ignoredRight)
        }
        options.ignoreMasks(of: left, in: right)
        let diff = DocumentDiff(between: left, and: right, options: options)
        let lines = diff.lines().prefix(limit).map { line in
            ResponseDifference(
                subject: .body(path: line.path == "$" ? "$" : Self.rooted(line.path)),
                sign: line.sign,
                recorded: line.old,
                now: line.new.map { mask.masking(line: $0) }
            )
        }
        guard diff.counts.total > limit else { return Array(lines) }
        let more = ResponseDifference(
            subject: .body(path: nil),
            sign: "~",
            recorded: nil,
            now: "\(diff.counts.total - limit) more differences"
        )
        return lines + [more]
    }

    /// A path as a query that starts at the root.
    private static func rooted(_ path: String) -> String {
        path.hasPrefix("[") ? "$\(path)" : "$.\(path)"
    }

    /// The body as a tree, masked as the history masks it; nil if it cannot be parsed.
    private static func document(
        _ bytes: [UInt8],
        of response: Response,
        _ mask: CredentialMask
    ) -> Document? {
        guard !bytes.isEmpty else { return nil }
        let shown = DocumentBytes(mask.masking(bytes))
        let named = DocumentFormat(contentType: response.head.headerFields[.contentType])
        guard let format = named ?? DocumentFormat(sniffing: shown) else { return nil }
        let opened = FormattedDocument.opening(shown, as: format, charset: response.charset)
        guard opened.faults.isEmpty, opened.document.fault == nil else { return nil }
        guard format.isJSON else { return opened.document }
        let text = opened.document.bytes
        let masked = CredentialMask.maskingMembers(
            of: text.array(in: 0..<text.count),
            as: opened.document,
            sparesOrdinary: true,
            with: mask.isOn ? mask : CredentialMask()
        )
        return FormattedDocument.opening(DocumentBytes(masked), as: format).document
    }

    private static func insert(
        _ query: JSONPath,
        of document: Document,
        into nodes: inout NodeSet
    ) throws {
        var found = BoundedQuery(query, in: document)
        while let node = try found.next() { nodes.insert(node) }
    }

    private func bytes(_ old: [UInt8], _ new: [UInt8]) -> ResponseDifference {
        let same = zip(old, new).prefix { $0 == $1 }.count
        return ResponseDifference(
            subject: .body(path: nil),
            sign: old.isEmpty ? "+" : new.isEmpty ? "-" : "~",
            recorded: Readable.bytes(old.count),
            now: "\(Readable.bytes(new.count)), from byte \(same) on"
        )
    }
}

extension DiffOptions {
    /// Ignores masked values of a recorded document.
    ///
    /// A mask alone matches any value. A mask within a text matches any text there.
    mutating func ignoreMasks(of recorded: Document, in other: Document) {
        let bullets = Array("••".utf8)
        guard recorded.bytes.withUnsafeBytes({ $0.firstRange(of: bullets) }) != nil else { return }
        for node in (0..<recorded.nodeCount).map({ NodeIndex($0) }) {
            guard let text = recorded.string(of: node) else { continue }
            let masked = MaskedText(text)
            guard masked.isMasked else { continue }
            let value = JSON(document: other)[path: recorded.steps(to: node)]
            guard let place = value.source?.node,
                masked.masks == [text] || value.string.flatMap(masked.values) != nil
            else { continue }
            ignoredLeft.insert(node)
            ignoredRight.insert(place)
        }
    }
}
