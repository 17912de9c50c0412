/// The values that a query finds in a document, one after the other, in the order of RFC 9535.
///
/// The segments' states form a stack. The last segment yields the results; when it has no values left,
/// the one before it moves on. Nothing recurses over the document, and no list of intermediate values is
/// ever made.
package struct QueryWalk: Sequence, IteratorProtocol {
    private let evaluation: QueryEvaluation
    private let document: Document
    private let segments: [QuerySegment]
    private let start: Int
    /// The state of the current segment; `outer` has those of the segments before it, the first one first.
    private var state = SegmentState(container: 0, scopeEnd: 0)
    private var level = -1
    private var outer: ContiguousArray<SegmentState> = []
    private var isStarted = false

    /// Begins a walk over the values of a document that are published now.
    ///
    /// `shouldContinue` is called before the first step and now and then; the walk ends if it returns false.
    package init(
        _ query: JSONPath,
        in document: Document,
        from start: NodeIndex = .root,
        shouldContinue: @escaping () -> Bool
    ) {
        let evaluation = QueryEvaluation(
            document,
            absoluteQueryCount: query.absoluteQueryCount,
            shouldContinue: shouldContinue
        )
        evaluation.look()
        self.init(query.segments, from: start.rawValue, evaluation)
    }

    init(_ segments: [QuerySegment], from start: Int, _ evaluation: QueryEvaluation) {
        self.segments = segments
        self.start = start
        self.evaluation = evaluation
        document = evaluation.document
    }

    /// Why values may be missing from the results so far; nil if none are.
    package var problem: String? { evaluation.patterns.error?.inQuery }

    /// Whether the walk was stopped, so that values may be missing.
    package var isStopped: Bool { evaluation.isStopped }

    /// The next value; nil if there are no more or the evaluation was stopped.
    package mutating func next() -> NodeIndex? {
        if !isStarted {
            isStarted = true
            guard start < evaluation.limit, !evaluation.isStopped else { return nil }
            if segments.isEmpty { return NodeIndex(start) }
            begin(at: start)
        }
        while level >= 0 {
            if let child = advance() {
                if level == segments.count - 1 { return NodeIndex(child) }
                outer.append(state)
                begin(at: child)
            } else {
                level -= 1
                if let last = outer.popLast() { state = last }
            }
        }
        return nil
    }

    /// Starts the next segment at a value.
    private mutating func begin(at node: Int) {
        level += 1
        let segment = segments[level]
        state = SegmentState(
            container: node,
            scopeEnd: segment.isDescendant ? end(of: node) : node + 1
        )
        guard document.kind(of: NodeIndex(node)).isContainer else {
            state.selector = segment.selectors.count
            return
        }
        if segment.isDescendantName { prepareMembers() }
    }

    /// The next value of the current segment; nil if there are no more.
    private mutating func advance() -> Int? {
        if segments[level].isDescendantName { return nextDescendant() }
        let count = segments[level].selectors.count
        while !evaluation.isStopped {
            if state.at < state.end, let child = nextChild() { return child }
            if state.selector < count {
                prepare(segments[level].selectors[state.selector])
                state.selector += 1
            } else if !moveToNextContainer() {
                return nil
            }
        }
        return nil
    }

    private mutating func moveToNextContainer() -> Bool {
        var at = state.container + 1
        // A value without children has nothing to select.
        while at < state.scopeEnd, document.subtreeSize(of: NodeIndex(at)) == 1 { at &+= 1 }
        evaluation.spend(at - state.container)
        state.container = at
        state.selector = 0
        return at < state.scopeEnd
    }

    @inline(__always) private func end(of node: Int) -> Int {
        Swift.min(node + document.subtreeSize(of: NodeIndex(node)), evaluation.limit)
    }

    // MARK: - Selectors

    /// Sets the range of children that a selector examines.
    private mutating func prepare(_ selector: QuerySelector) {
        let container = NodeIndex(state.container)
        let isObject = document.kind(of: container) == .object
        evaluation.spend(1)
        state.at = state.container + 1
        state.end = state.at
        state.mode = .everything
        switch selector {
        case .wildcard: state.end = end(of: state.container)
        case .name:
            state.mode = .named
            if isObject { state.end = end(of: state.container) }
        case .filter:
            state.mode = .filtered
            state.end = end(of: state.container)
        case .index(let index) where !isObject:
            let place = index < 0 ? index + document.childCount(of: container) : index
            guard let child = document.child(at: place, of: container),
                child.rawValue < evaluation.limit
            else { return }
            state.at = child.rawValue
            state.end = child.rawValue + 1
        case .slice(let slice) where !isObject: prepare(slice, of: container)
        case .index, .slice: break
        }
    }

    private mutating func prepare(_ slice: QuerySlice, of array: NodeIndex) {
        guard let places = slice.places(count: document.childCount(of: array)) else { return }
        let count = places.underestimatedCount
        // The index that comes first in the array; in a backward slice it is the last one.
        let first = slice.step > 0 ? places.min() : places.reversed().first
        guard let first, let child = document.child(at: first, of: array) else { return }
        state.at = child.rawValue
        state.end = end(of: array.rawValue)
        state.skipped = Int(slice.step.magnitude) - 1
        state.left = count
        state.mode = .stepping
        guard slice.step < 0 else { return }
        var listed: [Int] = []
        listed.reserveCapacity(count)
        while let child = nextOfSlice() { listed.append(child) }
        state.listed = listed
        state.left = listed.count
        state.mode = .listed
        state.at = array.rawValue
    }

    private mutating func nextChild() -> Int? {
        switch state.mode {
        case .everything:
            let child = state.at
            state.at = child + document.subtreeSize(of: NodeIndex(child))
            evaluation.spend(1)
            return child
        case .named: return nextNamed()
        case .filtered: return nextFiltered()
        case .stepping: return nextOfSlice()
        case .listed:
            guard state.left > 0 else {
                state.at = state.end
                return nil
            }
            state.left -= 1
            return state.listed[state.left]
        }
    }

    private mutating func nextFiltered() -> Int? {
        guard case .filter(let expression) = segments[level].selectors[state.selector - 1] else {
            return nil
        }
        while state.at < state.end && !evaluation.isStopped {
            let child = state.at
            state.at = child + document.subtreeSize(of: NodeIndex(child))
            evaluation.spend(1)
            if evaluation.isTrue(expression, for: child), !evaluation.isStopped { return child }
        }
        return nil
    }

    private mutating func nextNamed() -> Int? {
        guard case .name(let name) = segments[level].selectors[state.selector - 1] else {
            return nil
        }
        let from = state.at
        let found = evaluation.firstMember(name, in: &state.at, state.end)
        evaluation.spend(state.at - from)
        return found
    }

    private mutating func nextOfSlice() -> Int? {
        guard state.left > 0 && state.at < state.end else {
            state.at = state.end
            return nil
        }
        let child = state.at
        state.left -= 1
        var hops = state.left > 0 ? state.skipped + 1 : 0
        evaluation.spend(1 + Swift.min(hops, state.end - state.at))
        while hops > 0 && state.at < state.end {
            state.at += document.subtreeSize(of: NodeIndex(state.at))
            hops -= 1
        }
        return child
    }

    // MARK: - Descendants of a name

    /// Sets the range of members to examine, if the container is an object.
    private mutating func prepareMembers() {
        state.at = state.container + 1
        let isObject = document.kind(of: NodeIndex(state.container)) == .object
        state.end = isObject ? end(of: state.container) : state.at
        state.inner = nil
    }

    /// The next result of `..name`; examines every member once.
    ///
    /// The members of an object come before anything inside them. While they are examined, the first one that
    /// contains values is remembered as the next container. If there is none, the next container is after the
    /// object.
    private mutating func nextDescendant() -> Int? {
        guard case .name(let name) = segments[level].selectors[0], state.selector == 0 else {
            return nil
        }
        while !evaluation.isStopped {
            let from = state.at
            let found = evaluation.firstMember(name, in: &state.at, state.end, inner: &state.inner)
            evaluation.spend(state.at - from)
            if let found { return found }
            moveToInnerContainer()
            guard state.container < state.scopeEnd else { return nil }
            prepareMembers()
        }
        return nil
    }

    private mutating func moveToInnerContainer() {
        if let inner = state.inner {
            state.container = inner
            return
        }
        let at = Swift.max(state.container + 1, state.end)
        var next = at
        while next < state.scopeEnd, document.subtreeSize(of: NodeIndex(next)) == 1 { next &+= 1 }
        evaluation.spend(next - at)
        state.container = next
    }
}

/// The position of one segment of a query among the values below its input.
struct SegmentState {
    /// How the next children are selected.
    enum Mode {
        case everything
        case named
        case filtered
        /// The elements of a slice with a positive step.
        case stepping
        /// The elements of a slice with a negative step, which were looked up before.
        case listed
    }

    /// The value whose children are being selected.
    var container: Int
    /// The end of the containers to select from; in a child segment, right after the first.
    let scopeEnd: Int
    /// The number of the selector to apply next.
    var selector = 0
    /// The node of the child to examine next.
    var at = 0
    /// Where the children end.
    var end = 0
    var mode = Mode.everything
    /// The first child that contains values; used for descendants of a name.
    var inner: Int?
    /// In a slice: how many children to skip after each one, and how many are left to return.
    var skipped = 0
    var left = 0
    /// In a backward slice: its elements in the order of the array; returned from the last to the first.
    var listed: [Int] = []

    /// Creates the state before any child of the first container is selected.
    init(container: Int, scopeEnd: Int) {
        self.container = container
        self.scopeEnd = scopeEnd
    }
}
