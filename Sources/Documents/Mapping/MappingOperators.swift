infix operator <-
infix operator >>>

// MARK: - Both directions

/// Reads a property from its place or writes it there, as the mapping goes.
public func <- <T: JSONMapped>(value: inout T, field: MappedField) {
    let scope = field.map.scope
    field.exchange(&value) { json throws(MappingError) in
        try T.mapped(from: json, in: scope)
    } write: {
        $0.json(in: scope)
    }
}

/// Reads a property from its place or writes it there, as the mapping goes.
public func <- <T: JSONMapped>(value: inout T?, field: MappedField) {
    let scope = field.map.scope
    field.exchange(optional: &value) { json throws(MappingError) in
        try T.mapped(from: json, in: scope)
    } write: {
        $0.json(in: scope)
    }
}

/// Reads an enum by its raw value or writes it, as the mapping goes.
@_disfavoredOverload
public func <- <T: RawRepresentable>(value: inout T, field: MappedField)
where T.RawValue: JSONMapped {
    value <- (field, RawValueTransform<T>())
}

/// Reads an enum by its raw value or writes it, as the mapping goes.
@_disfavoredOverload
public func <- <T: RawRepresentable>(value: inout T?, field: MappedField)
where T.RawValue: JSONMapped {
    value <- (field, RawValueTransform<T>())
}

/// Reads a property through a transform or writes it, as the mapping goes.
public func <- <T: ValueTransform>(value: inout T.Value, place: (MappedField, T)) {
    let (field, transform) = place
    field.exchange(&value, read: transform.reading, write: transform.writing)
}

/// Reads a property through a transform or writes it, as the mapping goes.
public func <- <T: ValueTransform>(value: inout T.Value?, place: (MappedField, T)) {
    let (field, transform) = place
    field.exchange(optional: &value, read: transform.reading, write: transform.writing)
}

/// Reads an array through a transform of its elements or writes it, as the mapping goes.
public func <- <T: ValueTransform>(value: inout [T.Value], place: (MappedField, T)) {
    value <- (place.0, ElementTransform(place.1))
}

/// Reads an array through a transform of its elements or writes it, as the mapping goes.
public func <- <T: ValueTransform>(value: inout [T.Value]?, place: (MappedField, T)) {
    value <- (place.0, ElementTransform(place.1))
}

/// Reads a dictionary through a transform of its values or writes it, as the mapping goes.
public func <- <T: ValueTransform>(value: inout [String: T.Value], place: (MappedField, T)) {
    value <- (place.0, MemberTransform(place.1))
}

// MARK: - To JSON only

/// Writes a constant to its place.
public func >>> <T: JSONMapped>(value: T, field: MappedField) {
    guard field.map.direction == .toJSON else { return }
    field.put(value.json(in: field.map.scope))
}

/// Writes a constant to its place.
public func >>> <T: JSONMapped>(value: T?, field: MappedField) {
    guard field.map.direction == .toJSON else { return }
    field.put(optional: value?.json(in: field.map.scope))
}

/// Writes an enum by its raw value.
@_disfavoredOverload
public func >>> <T: RawRepresentable>(value: T?, field: MappedField)
where T.RawValue: JSONMapped {
    guard field.map.direction == .toJSON else { return }
    field.put(optional: value?.rawValue.json(in: field.map.scope))
}

/// Writes a constant through a transform.
public func >>> <T: ValueTransform>(value: T.Value?, place: (MappedField, T)) {
    guard place.0.map.direction == .toJSON else { return }
    place.0.put(optional: value.map(place.1.writing))
}
