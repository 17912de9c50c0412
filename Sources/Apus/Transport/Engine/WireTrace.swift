/// The wire trace of a transfer; secrets are masked as entries are added.
final class WireTrace {
    /// In bytes, because a server can cause endless remarks; heads have limits of their own.
    private static let limit = 8 << 20

    private(set) var entries: [WireTraceEntry] = []
    private var count = 0

    func add(_ kind: WireTraceEntry.Kind, _ text: String, _ mask: CredentialMask) {
        guard count < Self.limit else { return }
        count += text.utf8.count
        let mayBeCut = Self.mayBeCut(text, kind)
        // Split by bytes, because a value may contain a line separator of Unicode.
        let lines = text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        for line in lines {
            let isCut = mayBeCut && line.endIndex == lines.last?.endIndex
            let shown = mask.masking(traced: String(Substring(line)), kind, isCut: isCut)
            entries.append(WireTraceEntry(kind: kind, text: shown))
        }
        if count >= Self.limit {
            let text = "The trace was cut off here, at \(Self.limit >> 20) MiB."
            entries.append(.init(kind: .remark, text: text))
        }
    }

    /// Whether libcurl may have cut the text.
    ///
    /// libcurl cuts a remark at 2,048 bytes, and one about a failure at 255; of a request's header it
    /// passes what its first write sent.
    private static func mayBeCut(_ text: String, _ kind: WireTraceEntry.Kind) -> Bool {
        switch kind {
        case .remark: text.utf8.count >= CredentialMask.possibleCut
        case .headerIn, .headerOut: text.utf8.last != UInt8(ascii: "\n")
        }
    }
}
