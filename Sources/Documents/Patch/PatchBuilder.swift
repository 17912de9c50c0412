/// Writes a comparison as JSON Patch, container by container from the outside in.
///
/// First a container is given its final members or elements, then the changes within those are patched.
/// So every path refers to the document as it is at that point.
struct PatchBuilder {
    /// A pair of containers with changes, and the last step of their path.
    private struct Pending {
        let left: NodeIndex
        let right: NodeIndex
        let parentLength: Int
        /// The index in an array; nil for a member.
        let index: Int?
    }

    private struct Slot {
        let left: NodeIndex?
        let right: NodeIndex?
    }

    private(set) var operations: [JSONPatch.Operation] = []

    private let diff: DocumentDiff
    /// The old node of each moved value, by its new node.
    private var sources: [NodeIndex: NodeIndex] = [:]
    private var path: [UInt8] = []
    private var pending: [Pending] = []
    /// How many more bytes all paths may take; in deep documents they may be far longer than the documents.
    private var pathBudget: Int

    init(_ diff: DocumentDiff) {
        self.diff = diff
        pathBudget = 1 << 20 + 4 * diff.right.bytes.count
        for difference in diff.differences where difference.kind == .moved {
            if let left = difference.left, let right = difference.right { sources[right] = left }
        }
        build()
    }

    private mutating func build() {
        patchRoot()
        while let next = pending.popLast() {
            path.removeSubrange(next.parentLength...)
            appendStep(to: next.left, index: next.index)
            visit(next.left, next.right)
            guard pathBudget >= 0 else {
                operations = [.replace(.root, value(.root))]
                return
            }
        }
    }

    private mutating func patchRoot() {
        guard diff.left.nodeCount > 0 else {
            if !diff.differences.isEmpty { operations = [.add(.root, value(.root))] }
            return
        }
        switch diff.mark(of: .root, in: .left) {
        case .removed: operations = [.remove(.root)]
        case .changed: operations = [.replace(.root, value(.root))]
        case .containsChanges: visit(.root, .root)
        default: break
        }
    }

    private mutating func visit(_ left: NodeIndex, _ right: NodeIndex) {
        if diff.left.kind(of: left) == .array {
            patchArray(left)
        } else if hasTwins(left, diff.left) || hasTwins(right, diff.right) {
            // A path cannot distinguish members with the same name.
            put(.replace(pointer(), value(right)))
        } else {
            patchObject(left, right)
        }
    }

    // MARK: - Objects

    private mutating func patchObject(_ left: NodeIndex, _ right: NodeIndex) {
        for child in diff.left.children(of: left) {
            let mark = diff.mark(of: child, in: .left)
            if mark == .removed { put(.remove(pointer(to: child, diff.left))) }
            guard let other = diff.counterpart(of: child, in: .left) else { continue }
            if mark == .changed { put(.replace(pointer(to: child, diff.left), value(other))) }
            if mark == .containsChanges {
                pending.append(
                    Pending(left: child, right: other, parentLength: path.count, index: nil)
                )
            }
        }
        for child in diff.right.children(of: right) where diff.mark(of: child, in: .right) == .added
        {
            put(.add(pointer(to: child, diff.right), value(child)))
        }
    }

    private func hasTwins(_ object: NodeIndex, _ document: Document) -> Bool {
        let side = ComparedDocument(document, ignored: NodeSet(), numbers: .text)
        var keys: [UInt64] = []
        for child in document.children(of: object) { keys.append(side.keyHash(child.rawValue)) }
        keys.sort()
        // Keys with the same hash count as equal: that makes the patch longer, but not wrong.
        return zip(keys, keys.dropFirst()).contains { $0 == $1 }
    }

    // MARK: - Arrays

    private mutating func patchArray(_ left: NodeIndex) {
        let slots = slots(of: left)
        var isThere = RankedBits(slots.map { $0.left != nil })
        var origins: [NodeIndex: Int] = [:]
        for (place, slot) in slots.enumerated() {
            guard let node = slot.left, diff.mark(of: node, in: .left) == .moved else { continue }
            origins[node] = place
        }
        var inner: [Int] = []
        for (place, slot) in slots.enumerated() {
            switch (slot.left, slot.right) {
            case (let node?, let other?):
                let mark = diff.mark(of: node, in: .left)
                if mark == .changed {
                    put(.replace(pointer(toIndex: isThere.rank(place)), value(other)))
                }
                if mark == .containsChanges { inner.append(place) }
            case (let node?, nil):
                guard diff.mark(of: node, in: .left) == .removed else { continue }
                put(.remove(pointer(toIndex: isThere.rank(place))))
                isThere.set(place, false)
            case (nil, let node?):
                putElement(node, at: place, origins, &isThere)
            case (nil, nil): continue
            }
        }
        for place in inner {
            guard let node = slots[place].left, let other = slots[place].right else { continue }
            pending.append(
                Pending(
                    left: node,
                    right: other,
                    parentLength: path.count,
                    index: isThere.rank(place)
                )
            )
        }
    }

    private mutating func putElement(
        _ node: NodeIndex,
        at place: Int,
        _ origins: [NodeIndex: Int],
        _ isThere: inout RankedBits
    ) {
        let mark = diff.mark(of: node, in: .right)
        if mark == .added {
            put(.add(pointer(toIndex: isThere.rank(place)), value(node)))
            isThere.set(place, true)
        }
        guard mark == .moved, let source = sources[node], let origin = origins[source] else {
            return
        }
        let from = pointer(toIndex: isThere.rank(origin))
        isThere.set(origin, false)
        let to = pointer(toIndex: isThere.rank(place))
        isThere.set(place, true)
        // Other moves may have put it where it belongs already.
        if from != to { put(.move(from: from, to: to)) }
    }

    private func slots(of array: NodeIndex) -> [Slot] {
        guard let entry = diff.alignment.entry(of: array, in: .left) else { return [] }
        let count = diff.alignment.entryCount
        let end = entry + diff.alignment.subtreeSize(of: entry, within: count)
        var slots: [Slot] = []
        var child = entry + 1
        while child < end {
            let values = diff.alignment.values(at: child)
            slots.append(Slot(left: values.left, right: values.right))
            child += diff.alignment.subtreeSize(of: child, within: count)
        }
        return slots
    }

    // MARK: - Paths

    private mutating func put(_ operation: JSONPatch.Operation) {
        pathBudget -= path.count
        if pathBudget >= 0 { operations.append(operation) }
    }

    private func value(_ node: NodeIndex) -> JSONPatchValue { JSONPatchValue(node, of: diff.right) }

    private func pointer() -> JSONPointer { JSONPointer(escaped: path) }

    private func pointer(to member: NodeIndex, _ document: Document) -> JSONPointer {
        guard pathBudget >= 0 else { return .root }
        var path = path
        JSONPointer.append(Self.key(of: member, document), to: &path)
        return JSONPointer(escaped: path)
    }

    private func pointer(toIndex index: Int) -> JSONPointer {
        guard pathBudget >= 0 else { return .root }
        var path = path
        JSONPointer.append(String(index).utf8, to: &path)
        return JSONPointer(escaped: path)
    }

    private mutating func appendStep(to node: NodeIndex, index: Int?) {
        if let index {
            JSONPointer.append(String(index).utf8, to: &path)
        } else {
            JSONPointer.append(Self.key(of: node, diff.left), to: &path)
        }
    }

    private static func key(of node: NodeIndex, _ document: Document) -> [UInt8] {
        document.keyRange(of: node).map { EscapedText.bytes(document.bytes.base, $0) } ?? []
    }
}

extension DocumentDiff {
    /// The differences as a JSON Patch (RFC 6902) that turns the left document into the right one.
    ///
    /// The result is equal by the rules of the comparison: the order of keys and ignored values stay as on the
    /// left side. An object with duplicate names is replaced as a whole, because a path cannot distinguish
    /// them. So is the document, if all paths together would be far longer than it.
    public func patch() -> JSONPatch { JSONPatch(PatchBuilder(self).operations) }
}
