/// Types of every shape that Swift can decode.
struct Person: Codable, Equatable {
    var name: String
    var age: Int
    var nick: String?
    var tags: [String]
}

enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case square(Int)
    case empty
}

enum Colour: String, Codable { case red, green }

enum Level: Int, Codable {
    case low = 1
    case high
}

class Animal: Codable {
    var legs: Int
    init(legs: Int) { self.legs = legs }
}

final class Dog: Animal, CustomDebugStringConvertible {
    var name: String
    private enum CodingKeys: CodingKey { case name }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        try super.init(from: container.superDecoder())
    }

    var debugDescription: String { "\(name) \(legs)" }
}

/// Asks its containers everything.
struct Prober: Decodable, CustomDebugStringConvertible {
    var debugDescription: String

    private enum Key: String, CodingKey { case list, inner, none, null }
    private enum Inner: String, CodingKey { case a, b }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        let inner = try container.nestedContainer(keyedBy: Inner.self, forKey: .inner)
        var found: [String] = []
        found.append("\(container.allKeys.map(\.stringValue).sorted())")
        found.append("\(container.contains(.none)) \(container.contains(.null))")
        found.append("\(try container.decodeNil(forKey: .null))")
        found.append("\(try container.decodeIfPresent(Int.self, forKey: .null) ?? -1)")
        found.append("\(try container.decodeIfPresent(Person.self, forKey: .none)?.age ?? -1)")
        found.append("\(list.count ?? -1) \(list.currentIndex) \(list.isAtEnd)")
        found.append("\(try list.decode(Int.self)) \(try list.decodeNil()) \(try list.decodeNil())")
        var deep = try list.nestedUnkeyedContainer()
        found.append("\(try deep.decode(String.self)) \(deep.isAtEnd)")
        let object = try list.nestedContainer(keyedBy: Inner.self)
        found.append("\(try object.decode(Bool.self, forKey: .a))")
        let last = try list.superDecoder().singleValueContainer()
        found.append("\(try last.decode(UInt8.self)) \(last.decodeNil()) \(list.isAtEnd)")
        found.append("\(Self.path(inner)) \(Self.path(object)) \(deep.codingPath.map(\.intValue))")
        found.append("\(try inner.decode(Float.self, forKey: .b))")
        debugDescription = found.joined(separator: " | ")
    }

    private static func path<Key>(_ container: KeyedDecodingContainer<Key>) -> String {
        container.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" }.joined(separator: ",")
    }

    static let text = """
        {"list":[1,null,["x"],{"a":true},7],"inner":{"b":1.5},"null":null,"more":0}
        """
}

/// A type that nests in itself.
struct Nest: Codable { var inner: [Nest] }
