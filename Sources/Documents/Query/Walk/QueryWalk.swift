/// The values that a query finds in a document, one after the other, in the order of RFC 9535.
///
/// One state for each segment is a stack: the next value of the last segment is the result, and an
/// earlier segment moves on when those behind it have nothing left. Nothing recurses over the
/// document, and no list of intermediate values is ever made.
package struct QueryWalk: Sequence, IteratorProtocol {
    /// How many values are looked at between two looks at cancellation.
    static let stride = 1 << 14

    private let evaluation: QueryEvaluation
    private let document: Document
    private let segments: [QuerySegment]
    private let start: Int
    private var states: ContiguousArray<SegmentState> = []
    private var isStarted = false
    private var budget = QueryWalk.stride

    /// Begins a walk over what is published of a document now.
    package init(_ query: JSONPath, in document: Document) {
        let evaluation = QueryEvaluation(document, absoluteQueryCount: query.absoluteQueryCount)
        self.init(query.segments, from: 0, evaluation)
    }

    init(_ segments: [QuerySegment], from start: Int, _ evaluation: QueryEvaluation) {
        self.segments = segments
        self.start = start
        self.evaluation = evaluation
        document = evaluation.document
    }

    /// The next value; nil when there is none, or when the evaluation was stopped.
    package mutating func next() -> NodeIndex? {
        if !isStarted {
            isStarted = true
            guard start < evaluation.limit else { return nil }
            if segments.isEmpty { return NodeIndex(start) }
            begin(at: start)
        }
        while !states.isEmpty {
            if let child = advance() {
                if states.count == segments.count { return NodeIndex(child) }
                begin(at: child)
            } else {
                states.removeLast()
            }
        }
        return nil
    }

    /// Puts the next segment on the stack, with its input.
    private mutating func begin(at node: Int) {
        let segment = segments[states.count]
        var scopeEnd = node + 1
        if segment.isDescendant { scopeEnd = end(of: node) }
        var state = SegmentState(container: node, scopeEnd: scopeEnd)
        if !document.kind(of: NodeIndex(node)).isContainer {
            state.selector = segment.selectors.count
        }
        states.append(state)
    }

    /// The next value of the segment on top of the stack.
    private mutating func advance() -> Int? {
        let top = states.count - 1
        let segment = segments[top]
        var state = states[top]
        defer { states[top] = state }
        while !evaluation.isStopped {
            if state.selector > 0, state.mode == .listed || state.at < state.end,
                let child = nextChild(&state, segment.selectors[state.selector - 1])
            {
                return child
            }
            if state.selector < segment.selectors.count {
                prepare(segment.selectors[state.selector], &state)
                state.selector += 1
            } else if !moveToNextContainer(&state) {
                return nil
            }
        }
        return nil
    }

    private mutating func moveToNextContainer(_ state: inout SegmentState) -> Bool {
        var at = state.container + 1
        while at < state.scopeEnd, !document.kind(of: NodeIndex(at)).isContainer { at &+= 1 }
        spend(at - state.container)
        state.container = at
        state.selector = 0
        return at < state.scopeEnd
    }

    private mutating func spend(_ steps: Int) {
        budget -= steps
        if budget < 0 {
            budget = Self.stride
            evaluation.look()
        }
    }

    @inline(__always) private func end(of node: Int) -> Int {
        Swift.min(node + document.subtreeSize(of: NodeIndex(node)), evaluation.limit)
    }

    // MARK: - Selectors

    /// Sets the children that a selector has to look at.
    private func prepare(_ selector: QuerySelector, _ state: inout SegmentState) {
        let container = NodeIndex(state.container)
        let isObject = document.kind(of: container) == .object
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
        case .slice(let slice) where !isObject: prepare(slice, of: container, &state)
        case .index, .slice: break
        }
    }

    private func prepare(_ slice: QuerySlice, of array: NodeIndex, _ state: inout SegmentState) {
        guard let places = slice.places(count: document.childCount(of: array)) else { return }
        let ordered = slice.step > 0 ? Array(places.prefix(1)) : Array(places)
        guard let first = ordered.min(), let child = document.child(at: first, of: array) else {
            return
        }
        state.at = child.rawValue
        state.end = end(of: array.rawValue)
        state.skipped = Int(slice.step.magnitude) - 1
        state.left = slice.step > 0 ? places.underestimatedCount : ordered.count
        state.mode = .stepping
        guard slice.step < 0 else { return }
        var listed: [Int] = []
        while let child = nextOfSlice(&state) { listed.append(child) }
        state.listed = listed
        state.mode = .listed
    }

    private mutating func nextChild(_ state: inout SegmentState, _ selector: QuerySelector) -> Int?
    {
        switch state.mode {
        case .everything:
            let child = state.at
            state.at = child + document.subtreeSize(of: NodeIndex(child))
            spend(1)
            return child
        case .named:
            guard case .name(let name) = selector else { return nil }
            return nextNamed(&state, name)
        case .filtered:
            guard case .filter(let expression) = selector else { return nil }
            while state.at < state.end && !evaluation.isStopped {
                let child = state.at
                state.at = child + document.subtreeSize(of: NodeIndex(child))
                spend(1)
                if evaluation.isTrue(expression, for: child) { return child }
            }
            return nil
        case .stepping: return nextOfSlice(&state)
        case .listed: return state.listed.popLast()
        }
    }

    private mutating func nextNamed(_ state: inout SegmentState, _ name: QueryName) -> Int? {
        let from = state.at
        let found = evaluation.firstMember(name, in: &state.at, state.end)
        spend(state.at - from)
        return found
    }

    private func nextOfSlice(_ state: inout SegmentState) -> Int? {
        guard state.left > 0 && state.at < state.end else { return nil }
        let child = state.at
        state.left -= 1
        var hops = state.left > 0 ? state.skipped + 1 : 0
        while hops > 0 && state.at < state.end {
            state.at += document.subtreeSize(of: NodeIndex(state.at))
            hops -= 1
        }
        return child
    }
}
