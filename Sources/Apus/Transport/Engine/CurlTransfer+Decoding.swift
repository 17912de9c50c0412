import HTTPTypes
import Synchronization

/// Limits for decoding bodies, which takes memory and time of the engine's thread.
///
/// ```
/// one turn of the loop:  body ── 32 KiB ── 32 KiB ── … 4 MiB ┄ paused ┄▶ goes on in the next turn
///                        body ── 32 KiB ── … 20 ms are over  ┄ paused ┄▶
/// ```
/// A hundred bytes can decode to 64 MiB, and all other transfers wait meanwhile.
struct DecodingLimits: Sendable, Hashable {
    /// Up to this many decoded bytes, the expansion is not checked.
    var unsuspiciousCount = 1 << 30
    /// Beyond that, the most decoded bytes for each received byte.
    var largestExpansion = 500
    /// The most bytes that one body is decoded to in a turn of the loop.
    var turnCount = 4 << 20
    /// The most time that all bodies together are decoded in a turn.
    ///
    /// A time and not a size, because brotli may decode 16 MiB, its window, before it returns the first byte.
    var turnTime = Duration.milliseconds(20)
}

/// The decoding state of a body.
struct DecodingState {
    /// The turn that `turnCount` belongs to.
    var turn: UInt = 0
    /// The number of bytes decoded in that turn.
    var turnCount = 0
    /// Whether it waits for the next turn.
    var isResting = false
    /// The number of received bytes that were used.
    var receivedCount = 0
    /// The number of used bytes at the start of the next chunk, which libcurl passes again because the
    /// transfer paused in the middle of it.
    var repeatedCount = 0
}

extension CurlTransfer {
    /// The decoder for the current response; nil if its body is not decoded.
    func makeDecoder() -> BodyDecoder? {
        guard request.decodesBody, let fields = handle?.head.response?.headerFields,
            fields[.contentEncoding] != nil
        else { return nil }
        return BodyDecoder(FieldList(.contentEncoding, in: fields))
    }

    /// Decodes a piece of the body until the limit of this turn is reached or the sink is full.
    ///
    /// libcurl passes the rest again, perhaps with more bytes after it.
    func decode(_ chunk: UnsafeRawBufferPointer, by decoder: BodyDecoder) -> BodyOutcome {
        var rest = UnsafeRawBufferPointer(rebasing: chunk.dropFirst(decoding.repeatedCount))
        do throws(BodyDecoder.Fault) {
            while !isOver() {
                let began = ContinuousClock.now
                defer { loop?.decodingTime += .now - began }
                if !decoder.piece.isEmpty {
                    let verdict = deliver(decoder.piece)
                    guard case .taken = verdict else { return verdict }
                    decoder.takePiece()
                }
                guard hasTurn() else { return .full }
                guard try step(decoder, &rest) else {
                    decoding.repeatedCount -= chunk.count
                    return .taken
                }
                guard !isBomb(decoder) else { return .failed }
            }
        } catch {
            // Deliver the bytes before the fault, so that they are shown with it.
            if case .failed = deliver(decoder.piece) { return .failed }
            failure = .contentDecoding(detail: error.detail)
        }
        return .failed
    }

    /// Sets an error if the decoded body is incomplete although the whole frame was received.
    func checkDecoding() {
        guard decoding.receivedCount > 0, failure == nil, let decoder else { return }
        passRest(of: decoder)
        guard failure == nil, let coding = decoder.unfinished else { return }
        failure = .contentDecoding(detail: "its \(coding.rawValue) data is incomplete")
    }

    /// Delivers a body that turns out at its end not to be in its coding; none of it was delivered before.
    private func passRest(of decoder: BodyDecoder) {
        guard decoder.end() else { return }
        var nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        do throws(BodyDecoder.Fault) {
            while try decoder.step(&nothing) {
                guard case .taken = deliver(decoder.piece) else { return }
                decoder.takePiece()
            }
        } catch {
            failure = .contentDecoding(detail: error.detail)
        }
    }

    private func step(
        _ decoder: BodyDecoder,
        _ input: inout UnsafeRawBufferPointer
    ) throws(BodyDecoder.Fault) -> Bool {
        let (came, made) = (input.count, decoder.madeCount)
        let hasMoved = try decoder.step(&input)
        decoding.receivedCount += came - input.count
        decoding.repeatedCount += came - input.count
        decoding.turnCount += decoder.madeCount - made
        return hasMoved
    }

    /// Whether the transfer was cancelled, stopped or, while decoding, is overdue; sets `failure` if so.
    func isOver() -> Bool {
        if isCancelled.load(ordering: .relaxed) || loop?.isToStop == true {
            failure = .cancelled
        } else if decoder != nil, isOverdue() {
            failure = .timeout(.receiving, limit: request.options.timeout ?? .zero)
        } else {
            return false
        }
        return true
    }

    /// Whether decoding may continue in this turn; if not, it resumes in the next one.
    private func hasTurn() -> Bool {
        guard let loop else { return false }
        if decoding.turn != loop.turn {
            decoding.turn = loop.turn
            decoding.turnCount = 0
        }
        let limits = loop.decodingLimits
        if decoding.turnCount < limits.turnCount, loop.decodingTime < limits.turnTime {
            return true
        }
        loop.resumeNextTurn(self)
        return false
    }

    /// Whether a body expands so much that it must be a decompression bomb.
    ///
    /// A request with its own `maximumBodySize` is not checked.
    private func isBomb(_ decoder: BodyDecoder) -> Bool {
        guard request.options.maximumBodySize == nil, let limits = loop?.decodingLimits,
            decoder.madeCount > limits.unsuspiciousCount,
            decoder.madeCount / max(1, decoding.receivedCount) >= limits.largestExpansion
        else { return false }
        failure = .contentDecoding(
            detail: """
                it expands to more than \(limits.unsuspiciousCount) bytes and \
                \(limits.largestExpansion) times its size, like a decompression bomb; set \
                `maximumBodySize` to allow it
                """
        )
        return true
    }
}
