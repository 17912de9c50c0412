/// Where things stand in the rows of the progress, for a width.
///
/// ```
/// GET   /big?megabytes=200   ████████████▌      124.0 / 200.0 MB   310 MB/s   0.4 s left
/// tag   target               gauge              amount             rate       left
/// ```
struct ProgressColumns: Equatable {
    /// Each begins at the sum of those before it; 0 where there is no room for it.
    var tag = 6
    var target = 0
    var gauge = 0
    var amount = 0
    var rate = 0
    var left = 0

    static let gap = 2

    init(width: Int) {
        target = max(8, min(36, width * 24 / 100))
        amount = width >= 50 ? 17 : 0
        rate = width >= 72 ? 9 : 0
        left = width >= 92 ? 12 : 0
        let texts = [amount, rate, left].reduce(0) { $0 + ($1 > 0 ? $1 + Self.gap : 0) }
        gauge = max(0, min(80, width - tag - target - Self.gap - texts))
        if gauge < 4 { gauge = 0 }
        // What a gauge leaves where there is none is the target's.
        if gauge == 0 { target = max(0, width - tag - Self.gap - texts) }
    }

    /// Where the gauge begins.
    var gaugeStart: Int { tag + target + Self.gap }
    /// Where the texts after the gauge begin.
    var textStart: Int { gaugeStart + gauge + Self.gap }
}
