import HTTPTypes
import Synchronization

/// What bodies that are decoded may take of memory, and of the engine's thread.
///
/// ```
/// one turn of the loop:  body ── 32 KiB ── 32 KiB ── … 4 MiB ┄ paused ┄▶ goes on in the next turn
///                        body ── 32 KiB ── … 20 ms are over  ┄ paused ┄▶
/// ```
/// A hundred bytes become 64 MiB, and all other transfers wait while they do.
struct DecodingLimits: Sendable, Hashable {
    /// A body may be decoded to so many bytes, whatever came of it.
    var unsuspiciousCount = 1 << 30
    /// And then to so many for each byte that came.
    var largestExpansion = 500
    /// One body is decoded to no more in a turn of the loop.
    var turnCount = 4 << 20
    /// All bodies together take no more of a turn.
    ///
    /// It is a time, because brotli may decode 16 MiB, its window, before it gives the first byte.
    var turnTime = Duration.milliseconds(20)
}

/// How far the decoding of a body is.
struct DecodingState {
    /// The turn of the loop that it counts for.
    var turn: UInt = 0
    /// What was decoded in it.
    var turnCount = 0
    /// Whether it waits for the next turn.
    var isResting = false
    /// How much of the body was used, as it came.
    var receivedCount = 0
    /// How much of that libcurl gives again, because the transfer has paused in the middle of it.
    var repeatedCount = 0
}

extension CurlTransfer {
    /// What decodes the body of the answer whose head is there; nil if it is to be left as it comes.
    func makeDecoder() -> BodyDecoder? {
        guard request.decodesBody, let fields = handle?.head.response?.headerFields,
            fields[.contentEncoding] != nil
        else { return nil }
        return BodyDecoder(FieldList(.contentEncoding, in: fields))
    }

    /// Decodes a piece of the body, as far as there is room for it in this turn and in the sink.
    ///
    /// What was not taken comes again, perhaps with more behind it.
    func decode(_ chunk: UnsafeRawBufferPointer, by decoder: BodyDecoder) -> BodyVerdict {
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
            // What came before the fault is shown with it.
            if case .failed = deliver(decoder.piece) { return .failed }
            failure = .contentDecoding(detail: error.detail)
        }
        return .failed
    }

    /// Ends with an error what was decoded and is not whole, though all of its frame came.
    func checkDecoding() {
        guard decoding.receivedCount > 0, failure == nil, let coding = decoder?.unfinished else {
            return
        }
        failure = .contentDecoding(detail: "it ends in the middle of its \(coding.rawValue)")
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

    /// Whether another thread, or the clock, has ended the transfer meanwhile.
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

    /// Whether it may go on in this turn of the loop; else it does in the next one.
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

    /// Whether a body is decoded to more than anything that means something would be.
    ///
    /// Who gives a limit has said what may come.
    private func isBomb(_ decoder: BodyDecoder) -> Bool {
        guard request.options.maximumBodySize == nil, let limits = loop?.decodingLimits,
            decoder.madeCount > limits.unsuspiciousCount,
            decoder.madeCount / max(1, decoding.receivedCount) >= limits.largestExpansion
        else { return false }
        failure = .contentDecoding(
            detail: """
                it is decoded to more than \(limits.unsuspiciousCount) bytes and \
                \(limits.largestExpansion) times its size, as only a bomb is; `maximumBodySize` \
                lets more through
                """
        )
        return true
    }
}
