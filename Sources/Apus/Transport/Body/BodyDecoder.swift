import CDecoders
import Documents
package import HTTPTypes

/// Decodes a body's content codings (RFC 9110, section 8.4) in steps of limited size.
///
/// ```
/// Content-Encoding: gzip, br      network ─▶ br ─▶ 32 KiB ─▶ gzip ─▶ 32 KiB ─▶ sink
/// ```
/// libcurl could do this, but it decodes everything it has read before it returns, holds the decoded bytes
/// while the transfer is paused (measured: 62 MB for 2 KB of each transfer), and does not check that the
/// coded stream is complete.
final class BodyDecoder {
    enum Coding: String, CaseIterable {
        case deflate, gzip
        case brotli = "br"
        case zstd

        /// The coding with this name in a field; nil if it is unknown.
        fileprivate init?(name: String) {
            // RFC 9110, section 8.4.1.3.
            self.init(rawValue: name == "x-gzip" ? "gzip" : name)
        }

        fileprivate var number: Int32 {
            switch self {
            case .deflate: Int32(CDECODER_DEFLATE)
            case .gzip: Int32(CDECODER_GZIP)
            case .brotli: Int32(CDECODER_BROTLI)
            case .zstd: Int32(CDECODER_ZSTD)
            }
        }

        /// The codings whose libraries are available.
        static let known = allCases.filter { cdecoder_has($0.number) != 0 }

        /// Their names, as the value of `Accept-Encoding`.
        static let accepted = known.map(\.rawValue).joined(separator: ", ")
    }

    /// The body is not valid in its codings.
    struct Fault: Error, Hashable {
        let detail: String
    }

    /// In practice a body has one coding, and each takes a window of up to 16 MiB.
    private static let mostCodings = 2

    /// One stage per coding, in the order of decoding.
    private var stages: [Stage] = []
    /// Why the body cannot be decoded; nil if it can.
    private var fault: Fault?
    /// The total number of bytes that all stages have produced.
    private(set) var madeCount = 0

    /// Decodes the codings listed in `Content-Encoding`; nil if there are none.
    ///
    /// Unknown codings are reported by the first step, because there may be no body.
    init?(_ codings: FieldList) {
        let names = codings.members.map { $0.asciiLowercased }.filter { $0 != "identity" }
        guard !names.isEmpty else { return nil }
        guard names.count <= Self.mostCodings else {
            fault = Fault(
                detail: "it has \(names.count) codings; at most \(Self.mostCodings) are supported"
            )
            return
        }
        // The last coding in the list was applied last, so it is decoded first.
        for name in names.reversed() {
            guard let stage = Coding(name: name).flatMap({ Stage($0) }) else {
                fault = Fault(detail: "its coding is not one of \(Coding.accepted)")
                return
            }
            stages.append(stage)
        }
    }

    /// The decoded bytes that have not been taken yet.
    var piece: UnsafeRawBufferPointer { stages.last?.output ?? .init(start: nil, count: 0) }

    /// Marks the piece as taken; its bytes are no longer valid.
    func takePiece() { stages.last?.output = .init(start: nil, count: 0) }

    /// The first coding whose stream is not at its end; nil if the body is complete.
    var unfinished: Coding? { stages.first { !$0.isAtEnd }?.coding }

    /// Runs one stage for at most one piece; the last piece must have been taken.
    ///
    /// - Parameter input: the bytes that have arrived; those that were used are removed from its start.
    /// - Returns: false if nothing can be decoded until more bytes arrive.
    /// - Throws: `Fault` if the codings are unknown, or the body is not valid in them.
    func step(_ input: inout UnsafeRawBufferPointer) throws(Fault) -> Bool {
        if let fault { throw fault }
        // Start with the last stage, so that a stage runs only when its earlier output has been used.
        for place in stages.indices.reversed() {
            let stage = stages[place]
            if place == 0 {
                guard stage.mayHaveMore || !input.isEmpty else { continue }
                try stage.decode(&input)
            } else {
                let former = stages[place - 1]
                guard stage.mayHaveMore || !former.output.isEmpty else { continue }
                try stage.decode(&former.output)
            }
            madeCount += stage.output.count
            return true
        }
        return false
    }

    private final class Stage {
        /// In bytes; under 64 KiB, because glibc trims its heap whenever a larger block is freed.
        private static let roomCount = 32 << 10

        let coding: Coding
        private let decoder: OpaquePointer
        private let room: UnsafeMutablePointer<UInt8>
        /// The part of the room that was produced and has not been used.
        var output = UnsafeRawBufferPointer(start: nil, count: 0)
        /// Whether the room was filled, so that the input may produce more.
        private(set) var mayHaveMore = false

        init?(_ coding: Coding) {
            guard let decoder = cdecoder_make(coding.number) else { return nil }
            self.coding = coding
            self.decoder = decoder
            room = .allocate(capacity: Self.roomCount)
        }

        deinit {
            cdecoder_free(decoder)
            room.deallocate()
        }

        /// Whether the coded stream is complete.
        var isAtEnd: Bool { cdecoder_is_at_end(decoder) != 0 }

        func decode(_ input: inout UnsafeRawBufferPointer) throws(Fault) {
            var used = input.count
            var made = Self.roomCount
            let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let fault = cdecoder_decode(decoder, start, &used, room, &made)
            input = .init(rebasing: input.dropFirst(used))
            output = .init(start: room, count: made)
            mayHaveMore = made == Self.roomCount
            guard let fault else { return }
            let words = String(cString: fault)
            throw Fault(detail: "its \(coding.rawValue) data is not valid: \(words)")
        }
    }
}

extension ResponseBody {
    /// Decodes the codings that `Content-Encoding` lists.
    ///
    /// - Returns: nil if there are no codings, if the body is not valid or not complete in them, or if it
    ///   decodes to more than `limit` bytes.
    package func decoded(_ fields: HTTPFields, limit: Int) -> ResponseBody? {
        guard let decoder = BodyDecoder(FieldList(.contentEncoding, in: fields)) else { return nil }
        var collector = BodyCollector(memoryLimit: 1 << 20)
        do {
            try forEachPiece(of: 64 << 10) { piece in
                var rest = piece
                while try decoder.step(&rest) {
                    guard decoder.madeCount <= limit else {
                        throw BodyDecoder.Fault(detail: "it is too large")
                    }
                    try collector.append(decoder.piece)
                    decoder.takePiece()
                }
            }
        } catch {
            return nil
        }
        return decoder.unfinished == nil ? collector.body : nil
    }
}
