import Apus
import Terminal

/// Numbers of the progress, each as wide whatever it says: what ticks must not jump.
enum ProgressText {
    /// A text in a place of its own.
    struct Fixed {
        let text: String
        let columns: Int
        /// Without the blanks.
        var trimmed: String { text }
        /// At the right of its place.
        var padded: String { TextWidth.padded(text, to: columns, alignment: .trailing) }
    }

    /// "0.3 s": tenths of a second until a minute is over, then minutes.
    static func elapsed(_ duration: Duration) -> Fixed {
        let seconds = duration / .seconds(1)
        guard seconds < 59.95 else { return Fixed(text: Readable.duration(duration), columns: 7) }
        let tenths = Int((max(0, seconds) * 10).rounded())
        return Fixed(text: "\(tenths / 10).\(tenths % 10) s", columns: 7)
    }

    /// "124.0 / 200.0 MB" or "38 kB so far"; what is sent before the answer comes.
    static func amount(_ progress: TransferProgress) -> String {
        if progress.bytesReceived == 0, progress.bytesSent > 0, !isSent(progress) {
            return "\(amount(progress.bytesSent, of: progress.bytesToSend)) up"
        }
        return amount(progress.bytesReceived, of: progress.bytesToReceive)
    }

    /// The share that is done; nil when the total is unknown.
    static func fraction(_ progress: TransferProgress) -> Double? {
        if progress.bytesReceived == 0, progress.bytesSent > 0, !isSent(progress) {
            return share(progress.bytesSent, of: progress.bytesToSend)
        }
        return share(progress.bytesReceived, of: progress.bytesToReceive)
    }

    /// The time that the rest takes at a rate; nil when nobody can know.
    static func remaining(_ progress: TransferProgress, rate: Double?) -> Duration? {
        guard let rate, rate > 0, let total = progress.bytesToReceive,
            progress.bytesReceived > 0, total >= progress.bytesReceived
        else { return nil }
        return .seconds(min(Double(total - progress.bytesReceived) / rate, 1e9))
    }

    private static func isSent(_ progress: TransferProgress) -> Bool {
        progress.bytesToSend.map { progress.bytesSent >= $0 } ?? false
    }

    private static func amount(_ done: Int, of total: Int?) -> String {
        guard let total, total > 0 else { return "\(Readable.bytes(done)) so far" }
        return Readable.bytes(done, of: total)
    }

    private static func share(_ done: Int, of total: Int?) -> Double? {
        guard let total, total > 0 else { return nil }
        return Double(done) / Double(total)
    }
}
