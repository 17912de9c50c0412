import Testing

@testable import Documents

@Suite("Changed values")
struct JSONChangeTests {
    @Test("a changed leaf is written back, and everything else as it was written")
    func changesLeaves() throws {
        var json = try JSON(
            parsing: #"{"n": 1.50, "s":"\u0041", "l":[1,{"x": 10e-1}], "n2":-0, "\u006b":0}"#
        )
        let before = json
        json["l"][1]["y"] = ["z"]
        json["s"].string = "B"
        json["k"].int = 5
        #expect(
            json.text() == #"{"n":1.50,"s":"B","l":[1,{"x":10e-1,"y":["z"]}],"n2":-0,"\u006b":5}"#
        )
        #expect(before.text() == #"{"n":1.50,"s":"\u0041","l":[1,{"x":10e-1}],"n2":-0,"\u006b":0}"#)
        #expect(json["n"].source != nil)
    }

    @Test("values are values: a copy does not change with its original")
    func copies() {
        var one: JSON = ["a": [1, [2]], "b": ["c": 0]]
        let two = one
        one["a"][1][0] = 3
        one["b", "c"] = 1
        #expect(two == ["a": [1, [2]], "b": ["c": 0]])
        #expect(one == ["a": [1, [3]], "b": ["c": 1]])
        var three = one["a"]
        three.append(4)
        #expect(one["a"].count == 2)
    }

    @Test("null and what is missing become the container that is asked for")
    func creates() {
        var json = JSON.null
        json["a"]["b"][0]["c"] = 1
        json["a", "d"] = "x"
        json["list"].append(1)
        json["list"][1] = 2
        #expect(json == ["a": ["b": [["c": 1]], "d": "x"], "list": [1, 2]])
    }

    @Test("a change without a place changes nothing")
    func ignoresImpossibleChanges() {
        let json: JSON = ["s": "x", "l": [1]]
        var changed = json
        changed["s"]["a"] = 1
        changed["s", "a", 0] = 1
        changed["l"][5] = 1
        changed["l", 5, "x"] = 1
        changed["l"][-1] = 1
        changed["l"]["a"] = 1
        changed["new"]["x"] = json["absent"]
        changed[path: ["l", 0, "deep"]] = 4
        changed["s"].append(3)
        #expect(changed == json)
        var null = JSON.null
        null["a"] = json["absent"]
        #expect(null.isNull)
    }

    @Test("members and elements are removed")
    func removes() throws {
        var json = try JSON(parsing: #"{"a":1,"b":2,"a":3,"l":[1,2,3]}"#)
        json["b"] = json["absent"]
        json["l"].remove(at: 1)
        json["l"].remove(at: 9)
        json["l"][0] = json["absent"]
        #expect(json.text() == #"{"a":1,"a":3,"l":[null,3]}"#)
        json.remove("a")
        #expect(json.text() == #"{"l":[null,3]}"#)
    }

    @Test("members are sorted when asked")
    func sorts() throws {
        var json = try JSON(parsing: #"{"b":1,"\u0061":2,"b":3}"#)
        json.sortMembers()
        #expect(json.text() == #"{"\u0061":2,"b":1,"b":3}"#)
    }

    /// RFC 7396, appendix A.
    static let patches: [(String, String, String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test("a merge patch does what RFC 7396 says", arguments: patches)
    func merges(target: String, patch: String, expected: String) throws {
        let target = try JSON(parsing: target)
        #expect(target.merged(with: try JSON(parsing: patch)).text() == expected)
    }

    @Test("a merge patch removes every member of a name")
    func removesByPatch() throws {
        let json = try JSON(parsing: #"{"a":1,"b":{"x":1,"c":0},"a":3}"#)
        #expect(json.merged(with: ["a": nil, "b": ["x": nil]]).text() == #"{"b":{"c":0}}"#)
    }

    @Test("hundreds of thousands of levels are built, changed, merged, compared and dropped")
    func goesDeep() throws {
        var json = JSON(1)
        for _ in 0..<200_000 { json = [json] }
        let steps = Array(repeating: PathStep.index(0), count: 200_000)
        #expect(json[path: steps].int == 1)
        json[path: steps] = 2
        #expect(json[path: steps].int == 2)
        #expect(json.text()?.utf8.count == 400_001)

        let depth = 200_000
        let text =
            String(repeating: #"{"a":"#, count: depth) + "0" + String(repeating: "}", count: depth)
        let deep = try JSON(parsing: text)
        let merged = deep.merged(with: deep)
        #expect(merged.text() == text)
        #expect(merged == deep)
        var changed = deep
        changed[path: Array(repeating: "a", count: depth)] = 1
        #expect(changed.text() == text.replacing("0", with: "1"))
    }

    @Test(
        "an unchanged copy of every value is written as it was",
        arguments: 0..<100 as Range<UInt64>
    )
    func writesBack(seed: UInt64) throws {
        let random = RandomJSON(seed: seed)
        var json = try JSON(parsing: random.spaced)
        let document = try #require(json.source?.document)
        for node in document.allNodes {
            // Opens every container on the way and puts the same value back.
            var steps: [PathStep] = []
            var current = node
            while let parent = document.parent(of: current) {
                let isMember = document.keyRange(of: current) != nil
                let name = PathStep.name(document.key(of: current) ?? "")
                steps.append(isMember ? name : .index(document.indexInParent(of: current)))
                current = parent
            }
            let path = Array(steps.reversed())
            json[path: path] = json[path: path]
        }
        #expect(json.text() == random.minified)
        #expect(try json == JSON(parsing: random.minified))
    }

    @Test(
        "a changed document equals one that was written with the change",
        arguments: 0..<100 as Range<UInt64>
    )
    func changesAnywhere(seed: UInt64) throws {
        let random = RandomJSON(seed: seed)
        let json = try JSON(parsing: random.spaced)
        let document = try #require(json.source?.document)
        // Of equal keys only the last has a path.
        for node in document.allNodes where document.sourceText(of: node) == "12.50" {
            var changed = json
            var path: [PathStep] = []
            var current = node
            while let parent = document.parent(of: current) {
                let key = document.key(of: current)
                guard key == nil || document.member(key ?? "", of: parent) == current else { break }
                path.append(key.map { .name($0) } ?? .index(document.indexInParent(of: current)))
                current = parent
            }
            guard current == .root else { continue }
            changed[path: path.reversed()] = "changed"
            let range = document.valueRange(of: node)
            let text =
                document.bytes.string(in: 0..<range.lowerBound) + #""changed""#
                + document.bytes.string(in: range.upperBound..<document.bytes.count)
            #expect(try changed.text() == JSON(parsing: text).text())
        }
    }
}
