/// What a transfer measured, as it is or as a record has it.
///
/// Few ask for it of a stored answer: so it is read when somebody does.
enum Measurement: Sendable {
    case read(TransferMetrics?)
    /// The bytes that `encoded` gives, as the version of records that is written has them.
    case recorded([UInt8])

    /// What was measured; nil if nothing was, or if it cannot be read.
    var metrics: TransferMetrics? {
        switch self {
        case .read(let metrics): metrics
        case .recorded(let bytes): bytes.withUnsafeBytes { TransferMetrics(recorded: $0) }
        }
    }

    /// As bytes; empty if nothing was measured.
    var encoded: [UInt8] {
        switch self {
        case .recorded(let bytes): return bytes
        case .read(nil): return []
        case .read(let metrics?):
            var writer = RecordWriter()
            writer.add(metrics)
            return writer.bytes
        }
    }
}

extension Measurement: Hashable {
    static func == (left: Measurement, right: Measurement) -> Bool { left.metrics == right.metrics }

    func hash(into hasher: inout Hasher) { hasher.combine(metrics) }
}
