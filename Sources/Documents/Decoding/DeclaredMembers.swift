/// The members of a type's `decodingDefault`, which lenient decoding uses for members missing in the text.
///
/// The `init(from:)` that the compiler makes asks for a member without passing the default in its declaration.
/// The default value has it: encoding that value gives its members by their coding keys. If a type is not
/// `Encodable`, the names of its properties are used.
final class DeclaredMembers {
    private let values: [String: Any]

    /// nil if the type has no default value, or one without members.
    init?(of type: Any.Type) {
        guard let type = type as? any DecodingDefaultProviding.Type else { return nil }
        let declared: any DecodingDefaultProviding = type.decodingDefault
        var values = Self.properties(of: Mirror(reflecting: declared))
        if let encodable = declared as? any Encodable {
            let recorder = MemberRecorder()
            // If encoding fails, the properties are left.
            try? encodable.encode(to: recorder)
            values.merge(recorder.values) { $1 }
        }
        guard !values.isEmpty else { return nil }
        self.values = values
    }

    /// The declared value of a member; nil if there is none of this type.
    func value<T>(of key: any CodingKey, as type: T.Type) -> T? { values[key.stringValue] as? T }

    private static func properties(of mirror: Mirror) -> [String: Any] {
        var values = mirror.superclassMirror.map(properties) ?? [:]
        for (label, value) in mirror.children { if let label { values[label] = value } }
        return values
    }
}

/// The members of an object whose type declares defaults.
struct DeclaringContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: NodeKeyedContainer<Key>
    let declared: DeclaredMembers

    var codingPath: [any CodingKey] { members.codingPath }
    var allKeys: [Key] { members.allKeys }
    func contains(_ key: Key) -> Bool { members.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try members.decodeNil(forKey: key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        guard let value = declared.value(of: key, as: type) else {
            return try members.decode(type, forKey: key)
        }
        if members.isNull(key) { return members.noting(value, for: key) }
        do {
            return try members.decode(type, forKey: key)
        } catch is DecodingError {
            return members.noting(value, for: key)
        }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        do {
            return try members.decodeIfPresent(type, forKey: key)
        } catch let error as DecodingError {
            guard let value = declared.value(of: key, as: T?.self) else { throw error }
            return members.noting(value, for: key)
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try members.nestedContainer(keyedBy: type, forKey: key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try members.nestedUnkeyedContainer(forKey: key)
    }

    func superDecoder() throws -> any Decoder { try members.superDecoder() }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        try members.superDecoder(forKey: key)
    }
}

/// Records a value's members by their coding keys, without encoding them.
private final class MemberRecorder: Encoder {
    private(set) var values: [String: Any] = [:]

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members(recorder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { NoMembers() }
    func singleValueContainer() -> any SingleValueEncodingContainer { NoMembers() }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let recorder: MemberRecorder
        let codingPath: [any CodingKey] = []

        func encodeNil(forKey key: Key) {}
        func encode<T: Encodable>(_ value: T, forKey key: Key) {
            recorder.values[key.stringValue] = value
        }

        // A member that is encoded in another form than it is declared in has no declared value.
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { MemberRecorder().container(keyedBy: type) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { NoMembers() }
        func superEncoder() -> any Encoder { MemberRecorder() }
        func superEncoder(forKey key: Key) -> any Encoder { MemberRecorder() }
    }

    private struct NoMembers: UnkeyedEncodingContainer, SingleValueEncodingContainer {
        let codingPath: [any CodingKey] = []
        let count = 0

        func encodeNil() {}
        func encode<T: Encodable>(_ value: T) {}
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) -> KeyedEncodingContainer<Nested> { MemberRecorder().container(keyedBy: type) }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { NoMembers() }
        func superEncoder() -> any Encoder { MemberRecorder() }
    }
}
