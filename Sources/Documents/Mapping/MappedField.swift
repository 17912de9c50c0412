/// A place in an object that is mapped.
public struct MappedField {
    /// The mapping that it belongs to.
    public let map: Map
    let steps: [String]

    /// What is there; while values are written, what was written so far.
    public var json: JSON { map.json[path: resolved()] }

    /// Whether there is a value to read, be it `null`.
    public var isPresent: Bool { json.exists }

    /// What is there as a value of a type; nil when there is none or one of another kind.
    public func value<T: JSONMapped>(as type: T.Type = T.self) -> T? {
        try? T.mapped(from: json, in: map.scope)
    }

    // MARK: - Both directions

    /// Reads into a property through a function, or writes what another makes of it.
    func exchange<T>(
        _ value: inout T,
        read: (JSON) throws(MappingError) -> T,
        write: (T) -> JSON
    ) {
        guard map.direction == .fromJSON else { return put(write(value)) }
        if let new = reading(read) { value = new }
    }

    /// The same for an optional, which becomes nil by what cannot be read.
    func exchange<T>(
        optional value: inout T?,
        read: (JSON) throws(MappingError) -> T,
        write: (T) -> JSON
    ) {
        guard map.direction == .fromJSON else { return put(optional: value.map(write)) }
        let json = json
        guard json.exists else { return }
        value = json.isNull ? nil : reading(read)
    }

    private func reading<T>(_ read: (JSON) throws(MappingError) -> T) -> T? {
        let json = json
        guard json.exists && !json.isNull else { return nil }
        do {
            return try read(json)
        } catch {
            map.scope.log?.problems.append(error)
            return nil
        }
    }

    func put(optional json: JSON?) {
        if let json { put(json) } else if map.scope.writesNil { put(.null) }
    }

    func put(_ json: JSON) { map.json[path: resolved()] = json }

    // MARK: - Steps

    static func steps(_ path: String, _ delimiter: String) -> [String] {
        guard !delimiter.isEmpty else { return [path] }
        var steps: [String] = []
        var rest = path[...]
        while let range = rest.firstRange(of: delimiter) {
            steps.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return steps + [String(rest)]
    }

    /// The steps as names and places, by what they meet.
    private func resolved() -> [PathStep] {
        var current = map.json
        var path: [PathStep] = []
        for step in steps {
            let mayBegin = map.direction == .toJSON && !path.isEmpty
            let next = Self.step(step, in: current, mayBegin: mayBegin)
            path.append(next)
            current = current.value(next)
        }
        return path
    }

    private static func step(_ text: String, in current: JSON, mayBegin: Bool) -> PathStep {
        guard let index = Int(text), String(index) == text else { return .name(text) }
        let begins = mayBegin && index == 0 && !current.exists
        return current.kind == .array || begins ? .index(index) : .name(text)
    }
}
