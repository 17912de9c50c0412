import Documents
import HTTPTypes

/// A body as a log shows it: as text if it is some, without credentials, and not
/// all of it.
struct LoggedBody {
    /// A larger body is only named: all of it would have to be searched for secrets.
    private static let searchLimit = 1 << 20

    private let body: ResponseBody
    private let type: String
    /// Nil if secrets are shown.
    private let mask: CredentialMask?

    init(_ body: ResponseBody, _ fields: HTTPFields, mask: CredentialMask?) {
        self.body = body
        type = (fields[.contentType] ?? "").prefix { $0 != ";" }.lowercased()
        self.mask = mask
    }

    /// At most `limit` bytes of text, or a word about what it is.
    func text(limit: Int) -> String {
        // A log is not worth a failure: a file that cannot be read is only named.
        guard body.count <= Self.searchLimit, let bytes = try? body.load(),
            let text = String(validating: mask.map { masked(bytes, $0) } ?? bytes, as: UTF8.self),
            !text.utf8.contains(0)
        else { return "\(body.count) bytes\(type.isEmpty ? "" : " of \(type)")" }
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: max(0, limit))
        while !text.unicodeScalars.indices.contains(end) { end = text.utf8.index(before: end) }
        return "\(text[..<end])… (\(text.utf8.count) bytes)"
    }

    private func masked(_ bytes: [UInt8], _ mask: CredentialMask) -> [UInt8] {
        if type == "application/x-www-form-urlencoded" {
            return mask.masking(bytes, isForm: true)
        }
        // Also where the type does not say so: what looks like JSON may hold a password.
        guard let first = bytes.first(where: { $0 > 0x20 }), first == 0x7B || first == 0x5B else {
            return mask.masking(bytes)
        }
        return mask.masking(Self.maskingMembers(of: bytes))
    }

    /// JSON whose members with a credential's name have no value to read.
    private static func maskingMembers(of bytes: [UInt8]) -> [UInt8] {
        let document = Document.parse(DocumentBytes(bytes))
        var masked: [UInt8] = []
        var done = 0
        var node = 0
        while node < document.nodeCount {
            let index = NodeIndex(node)
            guard let key = document.key(of: index), CredentialMask.isSecret(parameter: key) else {
                node += 1
                continue
            }
            let range = document.valueRange(of: index)
            masked += bytes[done..<range.lowerBound]
            masked += Array("\"\(CredentialMask.mask)\"".utf8)
            done = range.upperBound
            node += document.subtreeSize(of: index)
        }
        // What comes after a fault was not read, and may hold anything.
        let end = document.fault.map { max(done, min($0.offset, bytes.count)) } ?? bytes.count
        return masked + bytes[done..<end]
    }
}
