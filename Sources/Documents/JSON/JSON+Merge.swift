/// JSON Merge Patch, RFC 7396.
extension JSON {
    /// An object that is being merged, and the members of the patch that are left.
    private struct Merge {
        let branch: JSONStorage
        /// The place of each name in `branch`.
        var places: [[UInt8]: Int]
        var patch: JSONMembers
        /// Where the result belongs in the object around it.
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

        /// Marks every member of a name; they go at the end, so that the places stay.
        mutating func remove(_ name: String) {
            guard let last = places[Array(name.utf8)] else { return }
            branch.values[last] = JSON.removed
            guard places.count < branch.names.count else { return }
            for place in branch.names.indices where branch.isName(branch.names[place], name) {
                branch.values[place] = JSON.removed
            }
        }

        /// What the member is, taken out of it; missing when there is none.
        mutating func take(_ name: String) -> JSON? {
            guard let place = places[Array(name.utf8)] else { return nil }
            let value = branch.values[place]
            branch.values[place] = .null
            return value
        }
    }

    /// The value changed as a patch says.
    ///
    /// An object's members replace those of the same name, `null` removes them, and objects in both
    /// are merged in turn; anything else, an array too, replaces the value (RFC 7396).
    public func merged(with patch: JSON) -> JSON {
        var result = self
        result.merge(with: patch)
        return result
    }

    /// Changes the value as a patch says (RFC 7396).
    public mutating func merge(with patch: JSON) {
        guard patch.exists else { return }
        guard patch.kind == .object else {
            self = patch
            return
        }
        // Without recursion, as deep as the patch is.
        var open = [Self.merge(into: self, patch, name: "")]
        storage = .null
        while let last = open.indices.last {
            if let (name, value) = open[last].patch.next() {
                if value.kind == .object {
                    let target = open[last].take(name) ?? .null
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
        let branch = target.kind == .object ? target.takeBranch() : JSONStorage()
        var places: [[UInt8]: Int] = [:]
        for place in branch.names.indices { places[Array(branch.name(at: place).utf8)] = place }
        return Merge(branch: branch, places: places, patch: patch.members, name: name)
    }

    private static func compacted(_ branch: JSONStorage) -> JSONStorage {
        guard branch.values.contains(where: \.isMissing) else { return branch }
        let kept = branch.values.indices.filter { !branch.values[$0].isMissing }
        let names = kept.map { branch.names[$0] }
        let values = kept.map { branch.values[$0] }
        return JSONStorage(source: branch.source, names: names, values: values)
    }
}
