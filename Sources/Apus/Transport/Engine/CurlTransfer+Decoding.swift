import CCurl
import HTTPTypes
import Synchronization

/// What a body that libcurl decodes may take of memory, and of the engine's thread.
///
/// ```
/// one turn of the loop:  piece ── decoded ──▶ callback, 16 KiB at a time
///                        piece ── decoded ──▶ …      ten kilobytes become gigabytes
/// ```
/// libcurl decodes all of a piece that it has read before it returns, and over TLS up to a
/// hundred of them: all other transfers wait meanwhile, and neither commands nor libcurl's own
/// time limit are looked at. So the callback looks at them.
struct DecodingLimits: Sendable, Hashable {
    /// A decoded body may have so many bytes, whatever came of it.
    var unsuspiciousCount = 1 << 30
    /// One piece of it may become so many.
    var unsuspiciousPiece = 256 << 20
    /// And then so many for each byte that came.
    var largestExpansion = 500
    /// When so many bytes were decoded in one turn of the loop, no other piece is.
    var turnCount = 4 << 20
}

/// How far the decoding of a body is.
struct DecodingState {
    /// The turn of the loop that it counts for.
    var turn: UInt = 0
    /// What was decoded in it.
    var turnCount = 0
    /// What libcurl had received when the piece came that is being decoded.
    var received = -1
    /// What this piece was decoded to.
    var pieceCount = 0
}

extension CurlTransfer {
    /// Whether libcurl decodes the body: it does so for a transfer coding that nobody asked for,
    /// too (RFC 9112, section 7).
    var isBodyEncoded: Bool {
        handle?.head.response?.headerFields[.contentEncoding] != nil || !transferCodings.isEmpty
    }

    /// The codings of the transfer but for its chunks.
    private var transferCodings: [String] {
        guard let values = handle?.head.response?.headerFields[values: .transferEncoding] else {
            return []
        }
        return values.flatMap { codings in
            codings.utf8.split { $0 == 0x2C || $0 == 0x20 || $0 == 0x09 }
                .map { Substring($0).lowercased() }.filter { $0 != "chunked" }
        }
    }

    /// Why libcurl could not decode a body: it calls a transfer coding a content encoding, too.
    func decodingReason(_ detail: String) -> ApusError.Reason {
        let codings = transferCodings
        if let unknown = codings.first(where: { !Self.decodedCodings.contains($0) }) {
            return .protocolViolation(
                detail: "the transfer coding “\(unknown.prefix(40))” is unknown"
            )
        }
        guard let coding = codings.last,
            handle?.head.response?.headerFields[.contentEncoding] == nil
        else { return .contentDecoding(detail: detail) }
        return .protocolViolation(
            detail: "the body is not what its transfer coding “\(coding)” says"
        )
    }

    /// What libcurl decodes, in a transfer as in a content encoding.
    private static let decodedCodings: Set = [
        "identity", "none", "gzip", "x-gzip", "deflate", "br", "zstd",
    ]

    /// Whether another thread, or the clock, has ended the transfer while libcurl decodes.
    func isOver() -> Bool {
        if isCancelled.load(ordering: .relaxed) || loop?.isToStop == true {
            failure = .cancelled
        } else if isEncoded, isOverdue() {
            failure = .timeout(.receiving, limit: request.options.timeout ?? .zero)
        } else {
            return false
        }
        return true
    }

    /// Whether a body is decoded to more than anything that means something would be.
    ///
    /// Who gives a limit has said what may come.
    func isBomb(_ count: Int) -> Bool {
        guard isEncoded, request.options.maximumBodySize == nil, let loop, let handle else {
            return false
        }
        let limits = loop.decodingLimits
        let whole = bodyCount + count
        let piece = decoding.pieceCount + count
        guard whole > limits.unsuspiciousCount || piece > limits.unsuspiciousPiece else {
            return false
        }
        // libcurl 7.88 counts the bytes of a chunked piece when all of it is decoded.
        let received = handle.offset(CURLINFO_SIZE_DOWNLOAD_T) + CurlHandle.largeBufferSize
        let isWholeBomb =
            whole > limits.unsuspiciousCount && whole / received >= limits.largestExpansion
        let isPieceBomb =
            piece > limits.unsuspiciousPiece
            && piece / CurlHandle.largeBufferSize >= limits.largestExpansion
        guard isWholeBomb || isPieceBomb else { return false }
        failure = .contentDecoding(
            detail: """
                it is decoded to more than \
                \(isWholeBomb ? limits.unsuspiciousCount : limits.unsuspiciousPiece) bytes and \
                \(limits.largestExpansion) times its size, as only a bomb is; `maximumBodySize` \
                lets more through
                """
        )
        return true
    }

    /// Whether a piece begins that is for the next turn of the loop; the others come first.
    ///
    /// Only between two pieces: while a transfer is paused libcurl goes on decoding the piece,
    /// and holds 64 MiB of it at most. None of gzip, of which a byte becomes a thousand, is
    /// more: libcurl reads pieces of 16 or 32 KiB, or one of them in a turn.
    func awaitsTurn() -> Bool {
        guard let loop, let handle, request.options.maximumBodySize == nil else { return false }
        if decoding.turn != loop.turn {
            decoding.turn = loop.turn
            decoding.turnCount = 0
        }
        let received = handle.offset(CURLINFO_SIZE_DOWNLOAD_T)
        guard received != decoding.received else { return false }
        guard decoding.turnCount < loop.decodingLimits.turnCount else {
            loop.resumeNextTurn(self)
            return true
        }
        decoding.received = received
        decoding.pieceCount = 0
        return false
    }

    /// Counts what was decoded.
    func noteDecoded(_ count: Int) {
        decoding.turnCount += count
        decoding.pieceCount += count
    }
}
