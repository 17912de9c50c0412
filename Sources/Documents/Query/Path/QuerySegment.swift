/// One step of a query: from each value to some of its children, or of its descendants.
struct QuerySegment: Hashable, Sendable {
    /// Whether it starts with `..`.
    let isDescendant: Bool
    /// What is selected, in this order; duplicates are kept.
    let selectors: [QuerySelector]

    /// Whether it is `..name`, the commonest search.
    let isDescendantName: Bool

    init(isDescendant: Bool, selectors: [QuerySelector]) {
        self.isDescendant = isDescendant
        self.selectors = selectors
        if case .name? = selectors.first {
            isDescendantName = isDescendant && selectors.count == 1
        } else {
            isDescendantName = false
        }
    }

    /// Whether it is a singular segment of RFC 9535 section 2.3.5.1.
    var isSingular: Bool {
        guard !isDescendant, selectors.count == 1 else { return false }
        switch selectors[0] {
        case .name, .index: return true
        case .wildcard, .slice, .filter: return false
        }
    }

    /// Whether it is a step of digits of a short path: `0` in an array, `"0"` in an object.
    var isPlace: Bool {
        guard !isDescendant, selectors.count == 2, case .name = selectors[0],
            case .index = selectors[1]
        else { return false }
        return true
    }
}
