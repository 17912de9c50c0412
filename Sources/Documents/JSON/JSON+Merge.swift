/// JSON Merge Patch, RFC 7396.
extension JSON {
    /// An object that is being merged, and the members of the patch that are still to be applied.
    private struct Merge {
        let branch: JSONBranch
        /// The index of each name in `branch`.
        var places: [[UInt8]: Int]
        var patch: JSONMembers
        /// The name of the result in the object around it.
        let name: String

        mutating func set(_ name: String, _ value: JSON) {
            let key = Array(name.utf8)
            if let place = places[key] {
                branch.values[place] = value
            } else {
                places[key] = branch.values.count
                branch.names.append(.text(name))
                branch.values.append(value)
            }
        }

        /// Marks every member with a name as removed; `compacted` removes them later, so that indices stay valid.
        mutating func remove(_ name: String) {
            guard let last = places[Array(name.utf8)] else { return }
            branch.values[last] = JSON.removed
            guard places.count < branch.names.count else { return }
            for place in branch.names.indices where branch.isName(branch.names[place], name) {
                branch.values[place] = JSON.removed
            }
        }

        /// Takes a member's value out of the object; nil if there is none.
        mutating func removeValue(named name: String) -> JSON? {
            guard let place = places[Array(name.utf8)] else { return nil }
            let value = branch.values[place]
            branch.values[place] = .null
            return value
        }
    }

    /// The value with a patch applied (RFC 7396).
    ///
    /// The members of an object replace those of the same name, `null` removes them, and objects in both are
    /// merged in turn. Any other patch, even an array, replaces the value.
    public func merged(with patch: JSON) -> JSON {
        var result = self
        result.merge(with: patch)
        return result
    }

    /// Applies a patch to the value (RFC 7396); a missing patch changes nothing.
    public mutating func merge(with patch: JSON) {
        guard patch.exists else { return }
        guard patch.kind == .object else {
            self = patch
            return
        }
        // Without recursion, because the patch may be deep.
        var open = [Self.merge(into: self, patch, name: "")]
        storage = .null
        while let last = open.indices.last {
            if let (name, value) = open[last].patch.next() {
                if value.kind == .object {
                    let target = open[last].removeValue(named: name) ?? .null
                    open.append(Self.merge(into: target, value, name: name))
                } else {
                    if value.isNull { open[last].remove(name) } else { open[last].set(name, value) }
                }
                continue
            }
            let done = open.removeLast()
            let result = JSON(.object(Self.compacted(done.branch)))
            if open.isEmpty { self = result } else { open[open.count - 1].set(done.name, result) }
        }
    }

    private static let removed = JSON(.missing(JSONMissing(.noSuchMember, steps: [.index(0)])))

    private static func merge(into target: JSON, _ patch: JSON, name: String) -> Merge {
        var target = target
        let branch = target.kind == .object ? target.takeBranch() : JSONBranch()
        var places: [[UInt8]: Int] = [:]
        for place in branch.names.indices { places[Array(branch.name(at: place).utf8)] = place }
        return Merge(branch: branch, places: places, patch: patch.members, name: name)
    }

    private static func compacted(_ branch: JSONBranch) -> JSONBranch {
        guard branch.values.contains(where: \.isMissing) else { return branch }
        let kept = branch.values.indices.filter { !branch.values[$0].isMissing }
        let names = kept.map { branch.names[$0] }
        let values = kept.map { branch.values[$0] }
        return JSONBranch(source: branch.source, names: names, values: values)
    }
}
