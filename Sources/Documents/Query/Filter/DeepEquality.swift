/// Whether two values of a document are equal, however deep they are.
///
/// Arrays are equal element by element; objects when they have the same members in any order,
/// those of one name in their order; numbers by value, strings by code points.
struct DeepEquality {
    let document: Document

    func areEqual(_ first: NodeIndex, _ second: NodeIndex) -> Bool {
        var pending = [(first, second)]
        while let (left, right) = pending.popLast() {
            if left == right { continue }
            let kind = document.kind(of: left)
            if kind.isContainer {
                guard haveSameShape(left, right, kind) else { return false }
                if kind == .array {
                    pending.append(contentsOf: zip(children(left), children(right)))
                } else {
                    guard appendMembers(of: left, right, to: &pending) else { return false }
                }
            } else if !areEqualScalars(left, right, kind) {
                return false
            }
        }
        return true
    }

    /// Equal values have as many values at every depth, so that most others are told apart at once.
    private func haveSameShape(_ left: NodeIndex, _ right: NodeIndex, _ kind: ValueKind) -> Bool {
        document.kind(of: right) == kind
            && document.childCount(of: left) == document.childCount(of: right)
            && document.subtreeSize(of: left) == document.subtreeSize(of: right)
    }

    private func areEqualScalars(_ left: NodeIndex, _ right: NodeIndex, _ kind: ValueKind) -> Bool {
        switch kind {
        case .integer, .decimal:
            guard let first = document.number(of: left) else { return false }
            return first == document.number(of: right)
        case .string:
            guard document.kind(of: right) == .string else { return false }
            return isEqual(content(of: left), content(of: right))
        default: return document.kind(of: right) == kind
        }
    }

    private func children(_ node: NodeIndex) -> [NodeIndex] { Array(document.children(of: node)) }

    private func content(of string: NodeIndex) -> Range<Int> {
        let range = document.valueRange(of: string)
        return range.lowerBound + 1..<max(range.lowerBound + 1, range.upperBound - 1)
    }

    private func isEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        let base = document.bytes.base
        return StringContent.with(base, left) { first in
            StringContent.with(base, right) { second in first.elementsEqual(second) }
        }
    }

    /// Pairs the members of two objects; false when a name is missing in one of them.
    private func appendMembers(
        of left: NodeIndex,
        _ right: NodeIndex,
        to pending: inout [(NodeIndex, NodeIndex)]
    ) -> Bool {
        let first = children(left)
        let second = children(right)
        var same = 0
        while same < min(first.count, second.count), haveSameName(first[same], second[same]) {
            pending.append((first[same], second[same]))
            same += 1
        }
        guard same < first.count else { return true }
        // From the last to the first, so that those of one name are taken in their order.
        var others: [[UInt8]: [NodeIndex]] = [:]
        for member in second[same...].reversed() {
            others[name(of: member), default: []].append(member)
        }
        for member in first[same...] {
            guard let other = others[name(of: member)]?.popLast() else { return false }
            pending.append((member, other))
        }
        return true
    }

    private func haveSameName(_ left: NodeIndex, _ right: NodeIndex) -> Bool {
        guard let first = document.keyRange(of: left), let second = document.keyRange(of: right)
        else { return false }
        return isEqual(first, second)
    }

    private func name(of member: NodeIndex) -> [UInt8] {
        guard let range = document.keyRange(of: member) else { return [] }
        return StringContent.with(document.bytes.base, range) { Array($0) }
    }
}
