/// What all walks of one evaluation share: how much of the document they see, results that are
/// the same for every value, compiled patterns, and whether to go on.
final class QueryEvaluation {
    /// What a query in a filter found.
    struct Finding {
        let first: NodeIndex?
        let count: Int
    }

    let document: Document
    /// The values that were published when the evaluation began; later ones are not seen.
    let limit: Int
    let patterns = PatternCache()
    /// The results of the queries in filters that begin with `$`.
    private var absoluteFindings: [Finding?]
    /// Called now and then; false ends the evaluation.
    private let shouldContinue: (() -> Bool)?
    private(set) var isStopped = false
    private var attempts = 0

    init(_ document: Document, absoluteQueryCount: Int, shouldContinue: (() -> Bool)? = nil) {
        self.document = document
        self.shouldContinue = shouldContinue
        limit = document.nodeCount
        absoluteFindings = Array(repeating: nil, count: absoluteQueryCount)
    }

    /// Looks whether to go on, for every sixteenth attempt of a pattern.
    func lookAtAttempt() {
        attempts &+= 1
        if attempts & 15 == 0 { look() }
    }

    func look() {
        if let shouldContinue, !shouldContinue() { isStopped = true }
    }

    /// The next member of a name from `at` on, which moves behind it.
    @inline(__always) func firstMember(_ name: QueryName, in at: inout Int, _ end: Int) -> Int? {
        var inner: Int? = 0
        return firstMember(name, in: &at, end, inner: &inner)
    }

    /// The same; `inner` becomes the first member on the way that has values in it, when it was nil.
    @inline(__always) func firstMember(
        _ name: QueryName,
        in at: inout Int,
        _ end: Int,
        inner: inout Int?
    ) -> Int? {
        let base = document.bytes.base
        return name.bytes.withUnsafeBufferPointer { name in
            while at < end {
                let child = NodeIndex(at)
                let size = document.subtreeSize(of: child)
                if size > 1 && inner == nil { inner = at }
                at &+= size
                guard let range = document.keyRange(of: child) else { continue }
                if StringContent.isEqual(base, range, to: name) { return child.rawValue }
            }
            return nil
        }
    }

    // MARK: - Queries in filters

    /// The one value of a singular query; of several members of one name the last counts.
    func single(_ query: FilterQuery, for node: Int) -> NodeIndex? {
        guard let number = query.absoluteNumber else { return end(of: query.segments, from: node) }
        if let known = absoluteFindings[number] { return known.first }
        let found = end(of: query.segments, from: 0)
        absoluteFindings[number] = Finding(first: found, count: found == nil ? 0 : 1)
        return found
    }

    private func end(of segments: [QuerySegment], from node: Int) -> NodeIndex? {
        var node = NodeIndex(node)
        for segment in segments {
            guard let child = child(segment.selectors[0], of: node) else { return nil }
            node = child
        }
        return node
    }

    private func child(_ selector: QuerySelector, of node: NodeIndex) -> NodeIndex? {
        let kind = document.kind(of: node)
        switch selector {
        case .name(let name) where kind == .object: return lastMember(name, of: node)
        case .index(let index) where kind == .array:
            let place = index < 0 ? index + document.childCount(of: node) : index
            return document.child(at: place, of: node).flatMap { $0.rawValue < limit ? $0 : nil }
        default: return nil
        }
    }

    private func lastMember(_ name: QueryName, of object: NodeIndex) -> NodeIndex? {
        var at = object.rawValue + 1
        let end = min(object.rawValue + document.subtreeSize(of: object), limit)
        var last: NodeIndex?
        while let member = firstMember(name, in: &at, end) { last = NodeIndex(member) }
        return last
    }

    /// What a query finds, counted up to `enough`.
    func find(_ query: FilterQuery, for node: Int, enough: Int) -> Finding {
        if let number = query.absoluteNumber, let known = absoluteFindings[number] { return known }
        let start = query.absoluteNumber == nil ? node : 0
        var walk = QueryWalk(query.segments, from: start, self)
        var first: NodeIndex?
        var count = 0
        while count < enough, let found = walk.next() {
            if count == 0 { first = found }
            count += 1
        }
        let finding = Finding(first: first, count: count)
        // A query stands in one place, so that it is always asked for the same number of values.
        if let number = query.absoluteNumber { absoluteFindings[number] = finding }
        return finding
    }
}
