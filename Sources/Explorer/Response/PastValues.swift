import Recordings
import Terminal

/// The values at one place in earlier responses.
struct PastValues {
    /// The rows above the list: a chart of the numbers, and their summary.
    static let headRows = 2

    /// The place, as a short path and as a query.
    let shownPath: String
    let path: String
    let series: ExchangeSeries
    /// Identifies this lookup; results of an earlier one are ignored.
    let generation: Int
    /// The values, the newest first.
    private(set) var values: [PastValue] = []
    /// Whether all responses have been searched.
    private(set) var isWhole = false
    var scroll = ListScroll()
    private var height = 1

    init(shownPath: String, path: String, series: ExchangeSeries, generation: Int) {
        self.shownPath = shownPath
        self.path = path
        self.series = series
        self.generation = generation
    }

    mutating func fit(height: Int) {
        self.height = max(1, height)
        scroll.update(count: values.count, height: self.height)
    }

    mutating func show(_ values: [PastValue], isWhole: Bool) {
        (self.values, self.isWhole) = (values, isWhole)
        fit(height: height)
    }

    /// The value under the cursor.
    var selected: PastValue? {
        values.indices.contains(scroll.selection) ? values[scroll.selection] : nil
    }

    /// Whether a value differs from the previous one in time.
    func isChange(at index: Int) -> Bool {
        guard values.indices.contains(index + 1) else { return false }
        return values[index].text != values[index + 1].text
    }

    /// The number of changes.
    var changeCount: Int { values.indices.count { isChange(at: $0) } }

    /// The numbers among the values, the oldest first.
    var numbers: [Double] { values.reversed().compactMap(\.number) }

    /// The smallest, the median and the largest of the numbers; nil if there are none.
    var range: (least: Double, median: Double, most: Double)? {
        let sorted = numbers.sorted()
        guard let least = sorted.first, let most = sorted.last else { return nil }
        let middle = sorted.count / 2
        let median =
            sorted.count.isMultiple(of: 2)
            ? sorted[middle - 1] / 2 + sorted[middle] / 2 : sorted[middle]
        return (least, median, most)
    }
}
