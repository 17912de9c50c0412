import CDecoders
package import HTTPTypes

/// Takes the codings off a body (RFC 9110, section 8.4), in steps that have a limit.
///
/// ```
/// Content-Encoding: gzip, br      network ─▶ br ─▶ 32 KiB ─▶ gzip ─▶ 32 KiB ─▶ sink
/// ```
/// libcurl would do it, too, but decodes all of a piece that it has read before it returns, holds
/// what that becomes while the transfer is paused (measured: 62 MB for 2 KB of each transfer), and
/// does not look whether the coded stream came to its end.
final class BodyDecoder {
    /// A coding that HTTP has registered.
    enum Coding: String, CaseIterable {
        case deflate, gzip
        case brotli = "br"
        case zstd

        /// The coding that a field names; nil for one that nobody here knows.
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

        /// Those whose libraries are there.
        static let known = allCases.filter { cdecoder_has($0.number) != 0 }

        /// Their names, as `Accept-Encoding` has them.
        static let accepted = known.map(\.rawValue).joined(separator: ", ")
    }

    /// The body is not coded as it should be.
    struct Fault: Error, Hashable {
        /// What is wrong, in words.
        let detail: String
    }

    /// Nobody needs two, and each has a window of up to 16 MiB.
    private static let mostCodings = 2

    /// In the order in which they are taken off.
    private var stages: [Stage] = []
    /// Why nothing of the body can be decoded; nil if it can.
    private var fault: Fault?
    /// How many bytes all codings together were decoded to.
    private(set) var madeCount = 0

    /// Takes off the codings that `Content-Encoding` lists; nil if there are none.
    ///
    /// What is wrong with them is told by the first step, for there may be no body.
    init?(_ codings: FieldList) {
        let names = codings.members.map { $0.lowercased() }.filter { $0 != "identity" }
        guard !names.isEmpty else { return nil }
        guard names.count <= Self.mostCodings else {
            fault = Fault(detail: "it has \(names.count) codings, more than \(Self.mostCodings)")
            return
        }
        // The last one was applied last.
        for name in names.reversed() {
            guard let stage = Coding(name: name).flatMap({ Stage($0) }) else {
                fault = Fault(detail: "its coding is none of \(Coding.accepted)")
                return
            }
            stages.append(stage)
        }
    }

    /// What is decoded and was not taken.
    var piece: UnsafeRawBufferPointer { stages.last?.output ?? .init(start: nil, count: 0) }

    /// Takes the piece: from here on its bytes may be others.
    func takePiece() { stages.last?.output = .init(start: nil, count: 0) }

    /// The first coding whose stream has not come to its end; nil if all of the body is there.
    var unfinished: Coding? { stages.first { !$0.isAtEnd }?.coding }

    /// Decodes by one coding no more than a piece, after the last one was taken.
    ///
    /// - Parameter input: what has come; it begins behind what was used afterwards.
    /// - Returns: false if there is nothing to decode before more comes.
    /// - Throws: `Fault` if the codings are unknown, or the body is not coded by them.
    func step(_ input: inout UnsafeRawBufferPointer) throws(Fault) -> Bool {
        if let fault { throw fault }
        // The last that can: then the next one has taken all that a stage has made.
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

    /// One coding.
    private final class Stage {
        /// In bytes; under 64 KiB, for glibc tidies its heap whenever more is freed.
        private static let roomCount = 32 << 10

        let coding: Coding
        private let decoder: OpaquePointer
        private let room: UnsafeMutablePointer<UInt8>
        /// What was made of the input and is not taken: the end of what is in the room.
        var output = UnsafeRawBufferPointer(start: nil, count: 0)
        /// Whether there was no room for all that the input becomes.
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

        /// Whether its stream has come to its end.
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
            throw Fault(detail: "its \(coding.rawValue) is not valid: \(String(cString: fault))")
        }
    }
}

extension ResponseBody {
    /// The body without the codings that its `Content-Encoding` lists.
    ///
    /// - Returns: nil if there are none, if it is not coded by them to its end, or if it becomes larger
    ///   than the limit.
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
