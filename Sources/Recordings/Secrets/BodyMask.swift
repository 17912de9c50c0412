import Apus
import Documents
import Glibc
import HTTPTypes

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

    /// Credentials beyond this limit are masked only where they were found, because searching for one takes a
    /// hundred times its size.
    private static let foundLimit = (count: 1000, size: 250 << 10)
    /// How many levels of nested multipart bodies are searched.
    private static let deepest = 4
    /// The largest text without a format in which pairs are searched for.
    private static let plainLimit = 4 << 20
    /// Enough for any document that a person writes.
    private static let treeLimit = TreeMemoryLimit(base: 64 << 20, perTextByte: 4)

    private let mask: CredentialMask
    private let limit: Int
    /// The digests of files above the limit, by path.
    private let digests: [String: String]
    private var request: Draft?
    private var response: Draft?
    /// The credentials found in the bodies, up to `foundLimit`.
    private(set) var found: Set<String> = []
    private var foundSize = 0

    init(
        _ request: Apus.PreparedRequest,
        _ answer: Response?,
        mask: CredentialMask,
        limit: Int,
        digests: [String: String]
    ) throws {
        (self.mask, self.limit, self.digests) = (mask, limit, digests)
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
        guard mask.isOn, bytes.count <= limit, fields[.contentEncoding] != nil else {
            return draft(of: bytes, type)
        }
        guard let body = ResponseBody.bytes(bytes).decoded(fields, limit: limit),
            let decoded = try? body.load()
        else {
            // The field may have a name such as `aws-chunked`, which is not an HTTP content coding.
            let isText = String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
            return isText ? draft(of: bytes, type) : .done(unkept(bytes))
        }
        return .text(places(in: decoded, type), plain: decoded, .coded, original: bytes)
    }

    private func unkept(_ bytes: [UInt8]) -> BodyStore.Content {
        .unkept(sha256: ContentDigest.hex(of: bytes), size: bytes.count)
    }

    private mutating func draft(of bytes: [UInt8], _ type: String?) -> Draft {
        guard bytes.count <= limit else { return .done(unkept(bytes)) }
        guard mask.isOn else { return .done(.bytes(bytes)) }
        guard let isBigEndian = Self.isBigEndian(bytes, type) else {
            return .text(places(in: bytes, type), plain: bytes, .bytes, original: bytes)
        }
        let plain = Self.utf8(bytes, isBigEndian)
        let encoding = Encoding.utf16(isBigEndian: isBigEndian)
        return .text(places(in: plain, type), plain: plain, encoding, original: bytes)
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
            guard hasZero(bytes), let type else { return nil }
            return type.lowercased().contains("charset=utf-16") ? false : nil
        }
    }

    private static func hasZero(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { text in
            text.baseAddress.flatMap { memchr($0, 0, text.count) } != nil
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

    // MARK: documents

    /// Masks the values with a credential's name in a text of the given media type.
    private mutating func places(in text: [UInt8], _ type: String?, _ depth: Int = 0) -> [UInt8] {
        let text = json(text)
        guard let type else { return plain(text) }
        guard !type.hasPrefix("application/json") else { return text }
        if type.contains("javascript") { return script(text) }
        let small = type.lowercased()
        if small.hasPrefix("application/graphql"), !small.contains("json") {
            let (masked, found) = mask.masking(graphQL: text)
            add(found)
            return masked
        }
        switch DocumentFormat(contentType: type) {
        case .form:
            let masked = mask.masking(form: text)
            if masked != text { add(mask.credentials(inForm: text)) }
            return masked
        case .multipart(let boundary) where depth < Self.deepest:
            return parts(of: text, boundary, depth)
        case .eventStream: return events(text)
        case .xml: return masking(NamedValues(inXML: text, where: mask.isSecret(member:)), in: text)
        case .html:
            let values = NamedValues(inXML: text, isHTML: true, where: mask.isSecret(member:))
            let masked = masking(values, in: text)
            let parameters = NamedValues(parametersIn: masked, where: mask.isSecret(member:))
            return masking(parameters, in: masked)
        case .yaml:
            return masking(NamedValues(inYAML: text, where: mask.isSecret(member:)), in: text)
        case nil where Self.plainTypes.contains(where: small.contains): return plain(text)
        default: return text
        }
    }

    /// What the types of text without a format contain.
    private static let plainTypes = [
        "text/plain", "text/markdown", "text/x-", "properties", "toml", "dotenv", "/x-sh",
    ]

    /// Masks lines and pairs such as `PASSWORD=…` in text without a format.
    private mutating func plain(_ bytes: [UInt8]) -> [UInt8] {
        // Most texts have no pair, and a picture has no lines.
        guard bytes.count <= Self.plainLimit, NamedValues.sign(in: bytes) != nil,
            !Self.hasZero(bytes)
        else { return bytes }
        // What is JSON or markup has been masked as such.
        let isMarkup = bytes.first { $0 > 0x20 } == UInt8(ascii: "<")
        guard !isMarkup, !Self.isJSON(bytes) else { return bytes }
        return masking(NamedValues(inText: bytes, where: mask.isSecret(member:)), in: bytes)
    }

    /// Masks the members with a credential's name in JSON or lines of JSON; returns anything else unchanged.
    mutating func json(_ bytes: [UInt8]) -> [UInt8] {
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        // Some servers put a line before JSON that keeps it from running as a script.
        if bytes[start...].starts(with: ")]}'".utf8) {
            start = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
        }
        guard let first = bytes[start...].first(where: { $0 > 0x20 }), "{[".utf8.contains(first)
        else { return bytes }
        guard start < 4 else { return Array(bytes[..<start]) + json(Array(bytes[start...])) }
        let source = DocumentBytes(bytes)
        let document = Document.parse(source, memory: Self.treeLimit)
        guard let fault = document.fault else { return masking(bytes, as: document) }
        if fault.kind == .trailingBytes {
            let lines = Document.parse(source, as: .sequence, memory: Self.treeLimit)
            if lines.fault == nil { return masking(bytes, as: lines) }
        }
        // Cut off, or not JSON. The rest after the fault is masked only if it may have a credential.
        return hasName(bytes[...]) ? masking(bytes, as: document) : bytes
    }

    /// Whether a text is a whole array or object, or several of them.
    static func isJSON(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first(where: { $0 > 0x20 }), "{[".utf8.contains(first) else {
            return false
        }
        let document = Document.parse(DocumentBytes(bytes), as: .sequence, memory: treeLimit)
        return document.fault == nil
    }

    /// Whether a credential's name occurs in quotation marks.
    func hasName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\"")) {
            let part = bytes[start..<end]
            if !part.isEmpty, part.count <= 64,
                mask.isSecret(member: String(decoding: part, as: UTF8.self))
            {
                return true
            }
            start = end + 1
        }
        return false
    }

    private mutating func masking(_ bytes: [UInt8], as document: Document) -> [UInt8] {
        let masked = CredentialMask.maskingMembers(
            of: bytes,
            as: document,
            sparesOrdinary: true,
            with: mask
        )
        // Return the same array, so that comparing it later need not look at the bytes.
        guard masked != bytes else { return bytes }
        add(mask.credentials(in: document))
        return masked
    }

    /// Masks JSON that a page loads as a script: `callback({…});`.
    private mutating func script(_ bytes: [UInt8]) -> [UInt8] {
        guard let open = bytes.prefix(512).firstIndex(of: UInt8(ascii: "(")),
            let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
        else { return bytes }
        let inner = Array(bytes[open + 1..<close])
        let masked = json(inner)
        return masked == inner ? bytes : bytes[...open] + masked + bytes[close...]
    }

    /// Masks the values that were found by their names.
    private mutating func masking(_ values: NamedValues, in bytes: [UInt8]) -> [UInt8] {
        var (result, done, credentials) = ([UInt8](), 0, Set<String>())
        for (name, range) in values.found {
            let value = String(decoding: bytes[range], as: UTF8.self)
            let shown = mask.masking(value: value, named: name)
            guard shown != value else { continue }
            result += bytes[done..<range.lowerBound] + Array(shown.utf8)
            done = range.upperBound
            if value.utf8.count >= CredentialMask.shortestElsewhere { credentials.insert(value) }
        }
        guard done > 0 else { return bytes }
        add(credentials)
        return result + bytes[done...]
    }

    /// Adds credentials that must be masked wherever they occur.
    private mutating func add(_ credentials: Set<String>) {
        guard found.count < Self.foundLimit.count else { return }
        // Sorted, so that another process keeps the same ones.
        for text in credentials.subtracting(found).sorted() {
            let size = foundSize + text.utf8.count
            guard found.count < Self.foundLimit.count, size <= Self.foundLimit.size else { return }
            found.insert(text)
            foundSize = size
        }
    }
}

/// Multipart bodies.
extension BodyMask {
    private struct Part {
        let name: String?
        let type: String?
        let body: Range<Int>
    }

    /// Masks the parts of a multipart body; a part with a credential's name is masked whole.
    private mutating func parts(
        of bytes: [UInt8],
        _ boundary: String,
        _ depth: Int
    ) -> [UInt8] {
        let line = Array("--\(boundary)".utf8)
        var result: [UInt8] = []
        var (done, place) = (0, 0)
        var start: Int?
        while place < bytes.count {
            let end = bytes[place...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
            defer { place = end }
            // If more follows, it is another boundary or text.
            guard bytes[place..<end].starts(with: line),
                bytes[place..<end].dropFirst(line.count).allSatisfy({ "- \t\r\n".utf8.contains($0) }
                )
            else { continue }
            if let start, let (body, shown) = part(of: bytes, start..<place, depth) {
                result += bytes[done..<body.lowerBound] + shown
                done = body.upperBound
            }
            start = end
        }
        // The last part was cut off.
        if let start, start < bytes.count,
            let (body, shown) = part(of: bytes, start..<bytes.count, depth)
        {
            result += bytes[done..<body.lowerBound] + shown
            done = body.upperBound
        }
        return result + bytes[done...]
    }

    /// The range of a part's body and its masked text; nil if nothing in it was masked.
    private mutating func part(
        of bytes: [UInt8],
        _ range: Range<Int>,
        _ depth: Int
    ) -> (body: Range<Int>, shown: [UInt8])? {
        var (name, type) = (String?.none, String?.none)
        var place = range.lowerBound
        while place < range.upperBound {
            let end = bytes[place..<range.upperBound].firstIndex(of: 0x0A) ?? range.upperBound
            let line = String(decoding: bytes[place..<end].filter { $0 != 0x0D }, as: UTF8.self)
            place = min(end + 1, range.upperBound)
            if line.isEmpty { break }
            let small = line.lowercased()
            if small.hasPrefix("content-disposition:") { name = Self.name(in: line) }
            if small.hasPrefix("content-type:") { type = String(line.dropFirst(13)) }
        }
        var end = range.upperBound
        if end > place, bytes[end - 1] == 0x0A { end -= 1 }
        if end > place, bytes[end - 1] == 0x0D { end -= 1 }
        let body = Array(bytes[place..<end])
        guard !body.isEmpty else { return nil }
        var shown: [UInt8]
        if let name, mask.isSecret(member: name) {
            let value = String(decoding: body, as: UTF8.self)
            shown = Array(mask.masking(value: value, named: name).utf8)
            if shown != body, value.utf8.count >= CredentialMask.shortestElsewhere { add([value]) }
        } else {
            shown = places(in: body, type, depth + 1)
        }
        return shown == body ? nil : (place..<end, shown)
    }

    /// The `name` parameter of a `Content-Disposition` line, quoted or not.
    private static func name(in line: String) -> String? {
        guard let start = line.firstRange(of: " name=") ?? line.firstRange(of: ";name=") else {
            return nil
        }
        let value = line[start.upperBound...]
        guard value.first == "\"" else { return String(value.prefix { $0 != ";" && $0 != " " }) }
        return String(value.dropFirst().prefix { $0 != "\"" })
    }
}
