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
        init?(name: String) {
            // RFC 9110, section 8.4.1.3.
            self.init(rawValue: name == "x-gzip" ? "gzip" : name)
        }

        var number: Int32 {
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
    /// The most characters of a coding's name that are shown.
    private static let shownLength = 40

    /// One stage per coding, in the order of decoding.
    private var stages: [BodyDecoderStage] = []
    /// Why the whole body is passed on as it came; nil if its codings are known.
    private var refusal: String?
    /// The total number of bytes that all stages have produced.
    private(set) var madeCount = 0

    /// Decodes the codings listed in `Content-Encoding`; nil if there are none.
    ///
    /// If one of them is unknown, none is decoded: the body is passed on as it came.
    init?(_ codings: FieldList) {
        let names = codings.members.map { $0.asciiLowercased }.filter { $0 != "identity" }
        guard !names.isEmpty else { return nil }
        if names.count > Self.mostCodings {
            refusal = "it has \(names.count) codings, and at most \(Self.mostCodings) are decoded"
        }
        // The last coding in the list was applied last, so it is decoded first.
        for name in names.reversed() where refusal == nil {
            guard let stage = Coding(name: name).flatMap({ BodyDecoderStage($0) }) else {
                let shown = String(name.unicodeScalars.prefix(Self.shownLength))
                refusal = "its coding “\(shown)” is not one of \(Coding.accepted)"
                continue
            }
            stages.append(stage)
        }
        if refusal != nil { stages = [BodyDecoderStage()] }
    }

    /// Whether `Content-Encoding` lists a coding that is not decoded.
    static func isUnknown(_ codings: FieldList) -> Bool { BodyDecoder(codings)?.refusal != nil }

    /// Why bytes were passed on as they came, although `Content-Encoding` names a coding; nil if all are decoded.
    var doubt: String? {
        if let refusal { return refusal }
        let stage = stages.first { $0.isRefused }
        return stage?.coding.map { "it is not \($0.rawValue), although Content-Encoding says so" }
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
    /// - Throws: `Fault` if the body begins like its codings, but is not valid in them.
    func step(_ input: inout UnsafeRawBufferPointer) throws(Fault) -> Bool {
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

    /// Takes note that no more bytes arrive; returns whether that made more to decode, by `step` without input.
    ///
    /// What is text and gave no byte was never in the coding that it was said to be in.
    func end() -> Bool {
        // The first only: later ones see that there is no more when it has given all.
        guard let stage = stages.first(where: { !$0.isAtEnd }) else { return false }
        return stage.refuseText()
    }
}

extension ResponseBody {
    /// Decodes the codings that `Content-Encoding` lists.
    ///
    /// - Returns: nil if there are no codings or one of them is unknown, if the body is not valid or not complete
    ///   in them, or if it decodes to more than `limit` bytes.
    package func decoded(_ fields: HTTPFields, limit: Int) -> ResponseBody? {
        guard let decoder = BodyDecoder(FieldList(.contentEncoding, in: fields)),
            decoder.doubt == nil
        else { return nil }
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
        return decoder.unfinished == nil && decoder.doubt == nil ? collector.body : nil
    }
}

extension HTTPFields {
    /// Whether `Content-Encoding` lists a coding that is not decoded, so that a body is kept as it came.
    package var hasUnknownCoding: Bool {
        BodyDecoder.isUnknown(FieldList(.contentEncoding, in: self))
    }
}
