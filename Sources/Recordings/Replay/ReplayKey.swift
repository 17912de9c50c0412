import Apus
import Glibc
import HTTPTypes
import Secrets

/// The key by which replay finds the exchanges of a request.
enum ReplayKey {
    /// The key of a masked request, with the numbers of its masks removed.
    ///
    /// It reveals nothing about secrets, and an imported request gets the same key.
    static func digest(
        ofMasked request: Apus.PreparedRequest,
        _ body: BodyStore.Content?,
        _ mask: CredentialMask
    ) throws -> String {
        var request = request
        // Secret parameters are already masked.
        request.options = TransportOptions()
        // The user is not part of the key. Set it only if needed, because changing a part copies the whole head.
        if let authority = request.head.authority, authority.utf8.contains(UInt8(ascii: "@")) {
            request.head.authority = authority.split(separator: "@").last.map { String($0) }
        }
        if let path = request.head.path, case let plain = NumberedMask.unnumbered(path),
            plain != path
        {
            request.head.path = plain
        }
        switch (request.body, body) {
        case (.multipart(var form), _):
            // A boundary differs each time, so a form with a secret is compared by its outline.
            form.boundary = "apus"
            var shown = request
            shown.body = .multipart(form)
            let bodies = try BodyMask(shown, nil, mask: mask, limit: .max, digests: [:])
            if case .bytes(let masked) = bodies.contents(by: mask).request, masked != form.outline {
                request.body = .bytes(NumberedMask.unnumbered(masked))
            }
        case (.bytes, .unkept(let digest, _)): request.body = .bytes(Array(digest.utf8))
        case (_, .bytes(let bytes)):
            request.body = bytes.isEmpty ? .none : .bytes(NumberedMask.unnumbered(bytes))
        default: break
        }
        return digest(of: request)
    }

    /// The key of a request.
    ///
    /// Header fields with their `standard` value do not count, so that a recording also works on a machine with
    /// another language.
    static func digest(
        of request: Apus.PreparedRequest,
        standard: HTTPFields = .standard
    ) -> String {
        var request = request
        let fields = request.head.headerFields
        let uncounted = standard.filter { fields[$0.name] == $0.value }.map(\.name)
        if !uncounted.isEmpty {
            request.head.headerFields = HTTPFields(fields.filter { !uncounted.contains($0.name) })
        }
        // Large files are not read, because that would delay the end of the program.
        switch request.body {
        case .file(let path) where isLarge(path): request.body = .bytes(Array(path.utf8))
        case .multipart(let form):
            let hasLarge = form.parts.contains { part in
                if case .file(let path) = part.content { isLarge(path) } else { false }
            }
            if hasLarge { request.body = .bytes(form.outline) }
        case .none, .bytes, .file, .stream: break
        }
        return CacheKey.replayDigest(of: request)
    }

    private static func isLarge(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 32 << 20
    }
}
