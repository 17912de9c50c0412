/// The faults of one text, the first ones in full.
struct FaultLog {
    /// More are only counted.
    static let most = 1000

    private(set) var faults: [DocumentFault] = []
    private(set) var count = 0
    /// The one that is about memory and not about the text.
    private(set) var limit: DocumentFault?

    mutating func append(_ fault: DocumentFault) {
        count += 1
        if fault.isLimit { limit = fault }
        if faults.count < Self.most { faults.append(fault) }
    }

    /// Says what was left out because of the last fault.
    mutating func setSkipped(_ range: Range<Int>) {
        if count == faults.count, count > 0 { faults[count - 1].skipped = range }
    }
}
