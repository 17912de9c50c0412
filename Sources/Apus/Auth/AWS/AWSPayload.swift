import Glibc
import HTTPTypes

/// The digest of a request's body, as AWS wants it in the signature.
enum AWSPayload {
    /// What stands for a digest that is not made.
    static let unsigned = "UNSIGNED-PAYLOAD"

    /// The digest in hexadecimal digits; files are read to their end.
    ///
    /// - Throws: `.authorization(.unsignable)` for a stream, whose bytes are not
    ///   known beforehand; `.file` for a file that cannot be read.
    @concurrent
    static func hash(of body: PreparedRequest.Body) async throws(ApusError) -> String {
        switch body {
        case .none: return ContentDigest.hex(of: [UInt8]())
        case .bytes(let bytes): return ContentDigest.hex(of: bytes)
        case .file(let path):
            var state = SHA256()
            try add(file: path, to: &state)
            return ContentDigest.hex(state.finalize())
        case .multipart(let form): return try hash(of: form.pieces())
        }
    }

    private static func hash(of pieces: [BodyPiece]) throws(ApusError) -> String {
        var state = SHA256()
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): state.update(bytes)
            case .file(let path): try add(file: path, to: &state)
            case .stream:
                throw ApusError(
                    .unsignable(detail: "the bytes of a stream are not known beforehand")
                )
            }
        }
        return ContentDigest.hex(state.finalize())
    }

    private static func add(file path: String, to state: inout SHA256) throws(ApusError) {
        _ = try BodyPiece.file(path: path).count()
        guard ContentDigest.add(file: path, to: &state) != nil else {
            throw ApusError(.file(path: path, errno: EIO))
        }
    }
}
