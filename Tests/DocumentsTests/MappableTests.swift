import FoundationEssentials
import Testing

@testable import Documents

private enum MappedLevel: String { case low, high }

private enum Color: Int, JSONMapped {
    case red = 1
    case blue
}

private struct Tag: Mappable, Hashable {
    var name = ""

    init?(map: ObjectMap) {
        guard map["name"].isPresent else { return nil }
    }

    mutating func mapping(map: ObjectMap) { name <- map["name"] }
}

private struct User: Mappable {
    var name = "nobody"
    var age = 4
    var nick: String?
    var city: String?
    var first: Int?
    var dotted: Bool?
    var level = MappedLevel.low
    var mood: MappedLevel?
    var colors: [Color] = []
    var tags: [Tag] = []
    var byName: [String: Tag] = [:]
    var unique: Set<Tag> = []
    var born: Date?
    var count = 0
    var amounts: [Int] = []
    var rest = JSON.null

    init?(map: ObjectMap) {}

    mutating func mapping(map: ObjectMap) {
        name <- map["name"]
        age <- map["age"]
        nick <- map["nick"]
        city <- map["address.city"]
        first <- map["list.0.id"]
        dotted <- map["a.b", nested: false]
        level <- map["info/level", delimiter: "/"]
        mood <- map["mood"]
        colors <- map["colors"]
        tags <- map["tags"]
        byName <- map["byName"]
        unique <- map["unique"]
        born <- (map["born"], ISO8601DateTransform())
        count <- (map["count"], NumberStringTransform<Int>())
        amounts <- (map["amounts"], NumberStringTransform<Int>())
        rest <- map["rest"]
    }
}

private struct Point: ImmutableMappable, Equatable {
    let x: Int
    let label: String?
    let level: MappedLevel

    init(map: ObjectMap) throws {
        x = try map.value("pos.x")
        label = try map.value("label")
        level = try map.value("level", using: RawValueTransform<MappedLevel>())
    }

    func mapping(map: ObjectMap) {
        x >>> map["pos.x"]
        label >>> map["label"]
        level >>> map["level"]
    }
}

private class MappedShape: ClusterMappable {
    var name = ""

    required init?(map: ObjectMap) {}

    func mapping(map: ObjectMap) { name <- map["name"] }

    static func objectForMapping(map: ObjectMap) -> (any Mappable)? {
        map["radius"].isPresent ? Circle(map: map) : nil
    }
}

private final class Circle: MappedShape {
    var radius = 0.0

    override func mapping(map: ObjectMap) {
        super.mapping(map: map)
        radius <- map["radius"]
    }
}

private final class Chain: Mappable {
    var next: Chain?

    init?(map: ObjectMap) {}

    func mapping(map: ObjectMap) { next <- map["next"] }
}

private struct Base: MapContext { let url: String }

private struct Link: Mappable, Equatable {
    var url = ""

    init?(map: ObjectMap) {}

    mutating func mapping(map: ObjectMap) {
        url <- map["path"]
        guard map.direction == .fromJSON, let base = map.context as? Base else { return }
        url = base.url + url
    }
}

@Suite("Mapping")
struct MappableTests {
    private static let text = #"""
        {"name":"Ada","age":"x","nick":null,"address":{"city":"Bonn"},"list":[{"id":7}],"a.b":true,
        "info":{"level":"high"},"mood":"high","colors":[1,9,2],"tags":[{"name":"t"},{},3],
        "byName":{"k":{"name":"v"}},"unique":[{"name":"u"},{"name":"u"}],
        "born":"2001-02-03T04:05:06Z","count":"12","amounts":["1","2"],"rest":{"n":1.50}}
        """#

    @Test("properties are read from their places")
    func reads() throws {
        let user = try #require(Mapper<User>().map(jsonString: Self.text))
        #expect(user.name == "Ada")
        #expect(user.age == 4)
        #expect(user.nick == nil)
        #expect(user.city == "Bonn")
        #expect(user.first == 7)
        #expect(user.dotted == true)
        #expect(user.level == .high)
        #expect(user.mood == .high)
        #expect(user.colors == [.red, .blue])
        #expect(user.tags.map(\.name) == ["t"])
        #expect(user.byName["k"]?.name == "v")
        #expect(user.unique.count == 1)
        #expect(user.born == Date(timeIntervalSince1970: 981_173_106))
        #expect(user.count == 12)
        #expect(user.amounts == [1, 2])
        #expect(user.rest["n"].numberText == "1.50")
    }

    @Test("properties are written to the same places")
    func writes() throws {
        let user = try #require(Mapper<User>().map(jsonString: Self.text))
        let expected = try JSON(
            parsing: #"""
                {"name":"Ada","age":4,"address":{"city":"Bonn"},"list":[{"id":7}],"a.b":true,
                "info":{"level":"high"},"mood":"high","colors":[1,2],"tags":[{"name":"t"}],
                "byName":{"k":{"name":"v"}},"unique":[{"name":"u"}],
                "born":"2001-02-03T04:05:06Z","count":"12","amounts":["1","2"],"rest":{"n":1.50}}
                """#
        )
        #expect(user.toJSON() == expected)
        #expect(Mapper<User>(writesNil: true).toJSON(user)["nick"].isNull)
        let again = try Mapper<User>().map(JSON(parsing: user.toJSONString(prettyPrint: true)))
        #expect(again.toJSON() == expected)
    }

    @Test("what was passed over is told with its place")
    func notes() throws {
        let (_, problems) = try Mapper<User>().mapLeniently(JSON(parsing: Self.text))
        #expect(
            problems.map(\.path) == ["$['age']", "$['colors'][1]", "$['tags'][1]", "$['tags'][2]"]
        )
        #expect(problems.first?.reason == .mismatch(expected: "Int"))
        #expect(problems.first?.offset == 20)
    }

    @Test("null empties an optional, and what is missing leaves it")
    func keepsOptionals() throws {
        var user = try Mapper<User>().map(["nick": "x", "mood": "low", "name": nil])
        #expect(user.name == "nobody")
        try Mapper<User>().map(["name": "B"], onto: &user)
        #expect(user.nick == "x")
        try Mapper<User>().map(["nick": nil, "mood": "none"], onto: &user)
        #expect(user.nick == nil)
        #expect(user.mood == nil)
        #expect(user.name == "B")
    }

    @Test("constants are read or say what is wrong")
    func readsConstants() throws {
        let json = try JSON(parsing: #"{"pos":{"x":3},"label":null,"level":"low"}"#)
        let point = try Mapper<Point>().map(json)
        #expect(point.x == 3)
        #expect(point.toJSON() == ["pos": ["x": 3], "level": "low"])
        let wrong = try JSON(parsing: #"{"pos":{"x":"3"},"level":"low"}"#)
        let mismatch = #expect(throws: MappingError.self) { try Mapper<Point>().map(wrong) }
        #expect(mismatch?.path == "$['pos']['x']")
        #expect(mismatch?.offset == 12)
        #expect(mismatch?.reason == .mismatch(expected: "Int"))
        let missing = #expect(throws: MappingError.self) { try Mapper<Point>().map(["pos": [:]]) }
        #expect(missing?.reason == .missing)
        let refused = #expect(throws: MappingError.self) {
            try Mapper<Point>().map(["pos": ["x": 1], "level": "other"])
        }
        #expect(refused?.reason == .refused(by: "RawValueTransform<MappedLevel>"))
        #expect(throws: MappingError.self) { try Mapper<Point>().map([1]) }
    }

    @Test("the object decides the class")
    func choosesClasses() throws {
        let json: JSON = [["name": "c", "radius": 2], ["name": "s"]]
        let shapes = try Mapper<MappedShape>().mapArray(json)
        #expect(shapes.map(\.name) == ["c", "s"])
        #expect((shapes.first as? Circle)?.radius == 2)
        #expect(!(shapes.last is Circle))
        #expect(shapes.toJSON() == json)
    }

    @Test("arrays, dictionaries and context")
    func mapsCollections() throws {
        let mapper = Mapper<Link>(context: Base(url: "https://x"))
        #expect(mapper.mapArray(jsonString: #"[{"path":"/a"},1]"#)?.map(\.url) == ["https://x/a"])
        #expect(
            mapper.mapDictionary(jsonString: #"{"k":{"path":"/b"}}"#)?["k"]?.url == "https://x/b"
        )
        #expect(mapper.mapArray(jsonString: "{}") == nil)
        #expect(mapper.map(jsonString: "{") == nil)
    }

    @Test("a type that contains itself stops before the stack does")
    func staysInTheStack() throws {
        let depth = 100_000
        let text =
            String(repeating: #"{"next":"#, count: depth) + "null"
            + String(repeating: "}", count: depth)
        let (chain, problems) = try Mapper<Chain>().mapLeniently(JSON(parsing: text))
        #expect(problems.last?.reason == .tooDeep)
        #expect(chain.next?.next != nil)
    }
}
