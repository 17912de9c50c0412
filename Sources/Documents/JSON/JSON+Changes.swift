/// Changes of arrays and objects.
extension JSON {
    /// Appends an element to an array; `null` and what is missing become one, anything else stays.
    public mutating func append(_ element: JSON) {
        self[count] = element.orNull
    }

    /// Removes every member of a name.
    public mutating func remove(_ name: String) {
        guard kind == .object else { return }
        let branch = takeBranch()
        while let place = branch.place(of: name) { branch.remove(at: place) }
        storage = .object(branch)
    }

    /// Removes an element, if there is one.
    public mutating func remove(at index: Int) {
        guard kind == .array, index >= 0, index < count else { return }
        let branch = takeBranch()
        branch.remove(at: index)
        storage = .array(branch)
    }

    /// Sorts the members of an object by name, by code points; those of one name keep their order.
    public mutating func sortMembers() {
        guard kind == .object else { return }
        let branch = takeBranch()
        let names = branch.names.indices.map { Array(branch.name(at: $0).utf8) }
        let places = names.indices.sorted { names[$0].lexicographicallyPrecedes(names[$1]) }
        branch.names = places.map { branch.names[$0] }
        branch.values = places.map { branch.values[$0] }
        storage = .object(branch)
    }
}
