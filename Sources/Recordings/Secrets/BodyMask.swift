import Apus
import Documents
import Glibc
import HTTPTypes
import Secrets

/// Masks the secrets in the bodies of an exchange before they are stored.
///
///     bytes ─▶ decoded, as UTF-8 ─▶ values by name: JSON, forms, parts, events ─▶ known secrets ─▶ stored
///                                          └───── credentials found here ───────────────▲
struct BodyMask {
    /// A body in which the values with a credential's name are already masked.
    private enum Draft {
        case done(BodyStore.Content)
        /// The masked text, the decoded text before masking, its encoding, and the bytes that were sent.
        case text([UInt8], plain: [UInt8], Encoding, original: [UInt8])
    }

    /// How to turn a masked text back into a body.
    private enum Encoding {
        case bytes
        case utf16(isBigEndian: Bool)
        /// The body had a content coding.
        case coded
    }

    private var content: ContentMask
    private let limit: Int
    /// The digests of files above the limit, by path.
    private let digests: [String: String]
    private var request: Draft?
    private var response: Draft?
    /// The credentials found in the bodies.
    var found: Set<String> { content.found }

    init(
        _ request: Apus.PreparedRequest,
        _ answer: Response?,
        mask: CredentialMask,
        limit: Int,
        digests: [String: String]
    ) throws {
        (content, self.limit, self.digests) = (ContentMask(mask), limit, digests)
        self.request = try draft(of: request)
        if let answer {
            let type = answer.head.headerFields[.contentType]
            response =
                switch answer.body {
                case .bytes(let bytes): draft(of: bytes, type)
                case .file(let file): try draft(ofFile: file.path) { $0.draft(of: $1, type) }
                }
        }
    }

    /// Masks the bodies with a mask that knows the credentials that were found.
    func contents(
        by mask: CredentialMask
    ) -> (request: BodyStore.Content?, response: BodyStore.Content?) {
        (request.map { Self.content($0, mask) }, response.map { Self.content($0, mask) })
    }

    private static func content(_ draft: Draft, _ mask: CredentialMask) -> BodyStore.Content {
        switch draft {
        case .done(let content): return content
        case .text(let text, let plain, let encoding, let original):
            let masked = mask.masking(text)
            if masked == plain { return .bytes(original) }
            return switch encoding {
            case .bytes: .bytes(masked)
            case .utf16(let isBigEndian): .bytes(utf16(masked, isBigEndian))
            case .coded: .unkept(digest: ContentDigest.hex(of: masked), size: original.count)
            }
        }
    }

    // MARK: requests and responses

    private mutating func draft(of request: Apus.PreparedRequest) throws -> Draft? {
        switch request.body {
        case .none: nil
        case .bytes(let bytes): draft(of: bytes, of: request)
        case .file(let path): try draft(ofFile: path) { $0.draft(of: $1, of: request) }
        case .multipart(let form): draft(of: form.outline, form.contentType)
        case .stream(let stream):
            .done(.unkept(digest: ContentDigest.hex(of: stream.remark), size: max(0, stream.count)))
        }
    }

    /// Decodes a request body with a content coding only to look for credentials.
    ///
    /// If it has one, only its size and a digest are kept.
    private mutating func draft(
        of bytes: [UInt8],
        of request: Apus.PreparedRequest
    ) -> Draft {
        let fields = request.head.headerFields
        let type = fields[.contentType]
        guard content.mask.isOn, bytes.count <= limit, fields[.contentEncoding] != nil else {
            return draft(of: bytes, type)
        }
        guard let body = ResponseBody.bytes(bytes).decoded(fields, limit: limit),
            let decoded = try? body.load()
        else {
            // The field may have a name such as `aws-chunked`, which is not an HTTP content coding.
            let isText = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
            return isText ? draft(of: bytes, type) : .done(unkept(bytes))
        }
        return .text(content.masking(decoded, type), plain: decoded, .coded, original: bytes)
    }

    private func unkept(_ bytes: [UInt8]) -> BodyStore.Content {
        .unkept(sha256: ContentDigest.hex(of: bytes), size: bytes.count)
    }

    private mutating func draft(of bytes: [UInt8], _ type: String?) -> Draft {
        guard bytes.count <= limit else { return .done(unkept(bytes)) }
        guard content.mask.isOn else { return .done(.bytes(bytes)) }
        guard let isBigEndian = Self.isBigEndian(bytes, type) else {
            return .text(content.masking(bytes, type), plain: bytes, .bytes, original: bytes)
        }
        let plain = Self.utf8(bytes, isBigEndian)
        let encoding = Encoding.utf16(isBigEndian: isBigEndian)
        return .text(content.masking(plain, type), plain: plain, encoding, original: bytes)
    }

    private mutating func draft(
        ofFile path: String,
        _ draft: (inout BodyMask, [UInt8]) -> Draft
    ) throws -> Draft {
        var status = stat()
        guard stat(path, &status) == 0 else { throw ApusError(.file(path: path, errno: errno)) }
        // A device may never end, and a pipe may have no writer.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ApusError(.file(path: path, errno: ESPIPE))
        }
        let size = Int(status.st_size)
        guard size > limit else { return draft(&self, try FileBytes.read(path, 0..<size)) }
        if let digest = digests[path] { return .done(.unkept(sha256: digest, size: size)) }
        // There was no time to read it: its path, size, time and inode stand for the content.
        let name = "\(path) \(size) \(status.st_mtim.tv_sec) \(status.st_ino)"
        return .done(.unkept(digest: ContentDigest.hex(of: name), size: size))
    }

    // MARK: UTF-16

    /// The byte order of a UTF-16 text: true for big-endian; nil if the bytes are not UTF-16.
    private static func isBigEndian(_ bytes: [UInt8], _ type: String?) -> Bool? {
        guard bytes.count >= 4 else { return nil }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0xFF, 0xFE, _, _), (1..., 0, 1..., 0): return false
        case (0xFE, 0xFF, _, _), (0, 1..., 0, 1...): return true
        default:
            // RFC 2781, section 4.3, requires big-endian here, but little-endian is what is sent.
            // Look for a zero byte first: that is fast, and few texts have one.
            guard ContentMask.hasZero(bytes), let type else { return nil }
            return type.lowercased().contains("charset=utf-16") ? false : nil
        }
    }

    private static func utf8(_ bytes: [UInt8], _ isBigEndian: Bool) -> [UInt8] {
        let units = (0..<bytes.count / 2).lazy.map { place in
            let (one, other) = (UInt16(bytes[2 * place]), UInt16(bytes[2 * place + 1]))
            return isBigEndian ? one << 8 | other : other << 8 | one
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private static func utf16(_ text: [UInt8], _ isBigEndian: Bool) -> [UInt8] {
        String(decoding: text, as: UTF8.self).utf16.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
    }
}
