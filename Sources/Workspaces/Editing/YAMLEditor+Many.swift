import Documents

/// Many changes at once: the text is read again for all of them together.
extension YAMLEditor {
    /// Adds entries after all others of a mapping that has some.
    mutating func append(_ members: [Value.Member], at path: [YAMLStep]) throws(YAMLEditError) {
        try apply(.append(members), at: path)
    }

    /// Sets the values of entries that are there, none of which is in another.
    mutating func set(_ values: [(path: [YAMLStep], value: Value)]) throws(YAMLEditError) {
        // From the end, so that the places before a change stay.
        let places = values.map { path, value in
            (place: written(at: path)?.value.place.index ?? -1, path: path, value: value)
        }.sorted { $0.place > $1.place }
        var wanted = model
        var layout = YAMLLayout(scalars: scalars, root: root, model: model)
        layout.opensMappings = opensMappings
        for (place, path, value) in places {
            guard place >= 0, let changed = wanted.applying(.set(value), at: path[...]),
                layout.apply(.set(value), at: path)
            else { throw YAMLEditError(message: Self.refusal) }
            wanted = changed
        }
        guard accept(layout.scalars, if: wanted) else {
            throw YAMLEditError(message: Self.refusal)
        }
    }
}
