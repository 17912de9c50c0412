import CDecoders

/// One coding of a body.
///
/// ```
/// undecided ── it begins like the coding, or a byte came out ──▶ decoding ── a fault is an error
///     │
///     └── it begins like something else, or a fault before the first byte ──▶ refused: all bytes pass as they came
/// ```
/// Servers name codings that a body is not in: `gzip` over plain text, or over what a proxy has decoded already. Such
/// a body must be readable. A body that was cut within its coding, however, is an error, so that it replaces no file.
final class BodyDecoderStage {
    /// In bytes; under 64 KiB, because glibc trims its heap whenever a larger block is freed.
    private static let roomCount = 32 << 10
    /// The most bytes that are kept until the first one comes out: more than any coding's header.
    private static let keptLimit = 64 << 10

    private enum Trial { case undecided, decoding, refused }

    /// Nil if the bytes only pass.
    let coding: BodyDecoder.Coding?
    private let decoder: OpaquePointer?
    private let room: UnsafeMutablePointer<UInt8>
    private var trial: Trial
    /// The bytes that have gone into the decoder while it is undecided; afterwards those that are still to pass.
    private var kept: [UInt8] = []
    /// The end of `kept` that has not gone into the decoder, because it is text so far.
    private var unfed: [UInt8] = []
    /// The part of the room that was produced and has not been used.
    var output = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Whether the same input may produce more.
    private(set) var mayHaveMore = false

    init?(_ coding: BodyDecoder.Coding) {
        guard let decoder = cdecoder_make(coding.number) else { return nil }
        self.coding = coding
        self.decoder = decoder
        trial = .undecided
        room = .allocate(capacity: Self.roomCount)
    }

    /// A stage that passes all bytes as they came.
    init() {
        coding = nil
        decoder = nil
        trial = .refused
        room = .allocate(capacity: Self.roomCount)
    }

    deinit {
        if let decoder { cdecoder_free(decoder) }
        room.deallocate()
    }

    /// Whether the bytes are passed on, because they are not in the coding.
    var isRefused: Bool { trial == .refused }

    /// Whether the coded stream is complete.
    var isAtEnd: Bool {
        guard !isRefused, let decoder else { return kept.isEmpty }
        return cdecoder_is_at_end(decoder) != 0
    }

    func decode(_ input: inout UnsafeRawBufferPointer) throws(BodyDecoder.Fault) {
        if trial == .undecided, let coding {
            switch CodingEvidence(of: coding, in: kept, and: input) {
            case .for: trial = .decoding
            case .against: refuse()
            case .text:
                kept += input
                unfed += input
                input = .init(rebasing: input.dropFirst(input.count))
                return
            case .none: break
            }
        }
        switch trial {
        case .refused: pass(&input)
        case .decoding: try run(&input)
        case .undecided: try attempt(&input)
        }
    }

    /// Refuses a stream that has ended without a byte and is text; returns whether it did.
    func refuseText() -> Bool {
        guard trial == .undecided, !kept.isEmpty, CodingEvidence.isText(kept) else { return false }
        refuse()
        return true
    }

    private func refuse() {
        trial = .refused
        unfed = []
        mayHaveMore = !kept.isEmpty
    }

    private func attempt(_ input: inout UnsafeRawBufferPointer) throws(BodyDecoder.Fault) {
        let before = input
        do throws(BodyDecoder.Fault) {
            try run(&input)
        } catch {
            guard output.isEmpty else { throw error }
            input = before
            refuse()
            return pass(&input)
        }
        kept += before.prefix(before.count - input.count)
        // At its end without a byte it is an empty stream.
        guard !output.isEmpty || isAtEnd || kept.count > Self.keptLimit else { return }
        trial = .decoding
        kept = []
    }

    /// Passes what was kept, and then the input.
    private func pass(_ input: inout UnsafeRawBufferPointer) {
        let whole = UnsafeMutableRawBufferPointer(start: room, count: Self.roomCount)
        guard kept.isEmpty else {
            let count = min(kept.count, Self.roomCount)
            whole.copyBytes(from: kept[..<count])
            kept.removeFirst(count)
            output = .init(start: room, count: count)
            mayHaveMore = !kept.isEmpty
            return
        }
        let count = min(input.count, Self.roomCount)
        whole.copyBytes(from: input[..<count])
        input = .init(rebasing: input.dropFirst(count))
        output = .init(start: room, count: count)
        mayHaveMore = false
    }

    private func run(_ input: inout UnsafeRawBufferPointer) throws(BodyDecoder.Fault) {
        guard !unfed.isEmpty else { return try feed(&input) }
        let joined = unfed + input
        var fault: BodyDecoder.Fault?
        let used = joined.withUnsafeBytes { bytes in
            var rest = bytes
            do throws(BodyDecoder.Fault) {
                try feed(&rest)
            } catch {
                fault = error
            }
            return bytes.count - rest.count
        }
        input = .init(rebasing: input.dropFirst(max(0, used - unfed.count)))
        unfed.removeFirst(min(used, unfed.count))
        if !unfed.isEmpty { mayHaveMore = true }
        if let fault { throw fault }
    }

    private func feed(_ input: inout UnsafeRawBufferPointer) throws(BodyDecoder.Fault) {
        guard let decoder, let coding else { return pass(&input) }
        var used = input.count
        var made = Self.roomCount
        let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let fault = cdecoder_decode(decoder, start, &used, room, &made)
        input = .init(rebasing: input.dropFirst(used))
        output = .init(start: room, count: made)
        mayHaveMore = made == Self.roomCount
        guard let fault else { return }
        let words = String(cString: fault)
        throw BodyDecoder.Fault(detail: "its \(coding.rawValue) data is not valid: \(words)")
    }
}

/// Whether the first bytes of a body are those of a coding.
enum CodingEvidence {
    /// They are, so that a fault is one of the body.
    case `for`
    /// They are not, so that the body is in no such coding.
    case against
    /// They may be, or there are too few.
    case none
    /// They are text so far, and the coding has no mark of its own, so that more are needed.
    case text

    /// So many bytes of text are not compressed data: for random bytes the probability is one in ten million.
    private static let textCount = 32

    init(of coding: BodyDecoder.Coding, in kept: [UInt8], and input: UnsafeRawBufferPointer) {
        let missing = max(0, Self.textCount - kept.count)
        let start = Array(kept.prefix(Self.textCount)) + input.prefix(missing)
        guard start.count < Self.textCount || !Self.isText(start) else {
            self = .against
            return
        }
        switch coding {
        case .gzip:
            // zlib's format under the name of gzip is decoded, too.
            if Self.begins(start, Self.gzip) {
                self = start.count > 1 ? .for : .none
            } else if Self.isZlib(start) {
                self = Self.isText(start) ? .none : .for
            } else {
                self = .against
            }
        case .zstd:
            let isFrame = Self.begins(start, Self.zstd) || Self.isSkippableFrame(start)
            self = isFrame ? (start.count > 3 ? .for : .none) : .against
        case .deflate, .brotli:
            // They have no mark of their own, but others have.
            let isOther = [Self.gzip + [8], Self.zstd].contains { mark in
                start.count >= mark.count && Self.begins(start, mark)
            }
            self = isOther ? .against : Self.isText(start) ? .text : .none
        }
    }

    /// Whether bytes are text of ASCII or UTF-8, perhaps cut at their end.
    static func isText(_ bytes: [UInt8]) -> Bool {
        let isControl = { (byte: UInt8) in
            byte < 0x20 && !(0x09...0x0D).contains(byte) || byte == 0x7F
        }
        guard !bytes.contains(where: isControl) else { return false }
        // A scalar of UTF-8 has at most four bytes.
        return (0...min(3, bytes.count)).contains { cut in
            (cut == 0 || (0xC2...0xF4).contains(bytes[bytes.count - cut]))
                && String(validating: bytes.dropLast(cut), as: UTF8.self) != nil
        }
    }

    private static let gzip: [UInt8] = [0x1F, 0x8B]
    private static let zstd: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    /// Whether bytes begin with a mark, as far as there are any.
    private static func begins(_ bytes: [UInt8], _ mark: [UInt8]) -> Bool {
        zip(bytes, mark).allSatisfy { $0 == $1 }
    }

    /// RFC 1950, section 2.2: method 8, a window of up to 32 KiB, and a check of both bytes.
    private static func isZlib(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first & 0x0F == 8, first >> 4 <= 7 else { return false }
        return bytes.count < 2 || (Int(first) << 8 | Int(bytes[1])) % 31 == 0
    }

    /// RFC 8878, section 3.1.2.
    private static func isSkippableFrame(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first & 0xF0 == 0x50 else { return false }
        return begins(Array(bytes.dropFirst()), [0x2A, 0x4D, 0x18])
    }
}
