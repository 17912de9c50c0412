import Testing

@Suite("apus query")
struct QueryCommandTests {
    private static let users = """
        {"users": [
          {"name": "Ada", "age": 36, "note": "1.10"},
          {"name": "B\\u00e9a", "age": 1.10, "tags": [1, 2,  {"a": 1}]}
        ]}
        """

    private let files: PrivateFiles

    init() throws {
        files = PrivateFiles()
        try files.write(Self.users, to: "users.json")
    }

    private func query(_ arguments: String..., input: String = "") throws -> PipedProgram {
        try .run(["query"] + arguments, input: input, files: files)
    }

    @Test("each match is a line of JSON with its text as written, and the status is 0")
    func matches() throws {
        let ages = try query("$.users[*].age", "users.json")
        #expect(ages.output == "36\n1.10\n")
        #expect(ages.errors.isEmpty)
        #expect(ages.status == .exited(0))
        let tags = try query("$..tags", "users.json")
        #expect(tags.output == "[1,2,{\"a\":1}]\n")
        let names = try query("$..name", "users.json")
        #expect(names.output == "\"Ada\"\n\"B\\u00e9a\"\n")
    }

    @Test("--json is one object with the matches, their paths and their number")
    func object() throws {
        let found = try query("$..age", "users.json", "--json")
        #expect(
            found.output == #"{"version":1,"matches":[{"path":"$['users'][0]['age']","value":36},"#
                + #"{"path":"$['users'][1]['age']","value":1.10}],"count":2}"# + "\n"
        )
        #expect(found.status == .exited(0))
        let none = try query("$.none", "users.json", "--json")
        #expect(none.output == #"{"version":1,"matches":[],"count":0}"# + "\n")
        #expect(none.status == .exited(1))
    }

    @Test("the standard input is read where - is the file, and where there is none")
    func readsStandardInput() throws {
        #expect(try query("$[1]", "-", input: "[1,2]").output == "2\n")
        #expect(try query("$[1]", input: "[1,2]").output == "2\n")
    }

    @Test("short paths work as JSONPaths do")
    func shortPaths() throws {
        #expect(try query("users[1].age", "users.json").output == "1.10\n")
        #expect(try query("users>0>name", "users.json").output == "\"Ada\"\n")
    }

    @Test("paths, raw strings and the count are printed on request")
    func otherOutputs() throws {
        #expect(
            try query("$..name", "users.json", "--paths").output
                == "$['users'][0]['name']\n$['users'][1]['name']\n"
        )
        #expect(try query("$..name", "users.json", "--raw").output == "Ada\nBéa\n")
        #expect(try query("$..*", "users.json", "--count").output == "13\n")
    }

    @Test("no match is status 1 and says nothing")
    func noMatch() throws {
        let none = try query("$.nothing", "users.json")
        #expect(none.output.isEmpty && none.errors.isEmpty)
        #expect(none.status == .exited(1))
    }

    @Test("a short path may begin with a dot, as in jq")
    func dotted() throws {
        for path in [".users[0].name", "users[0].name", "$.users[0].name", " .users[0].name "] {
            #expect(try query(path, "users.json").output == "\"Ada\"\n")
        }
    }

    @Test(
        "a JSONPath has no white space around it",
        arguments: [(" $", 1), (" $.users", 1), ("\t$..name", 1), ("$ ", 2), ("$.users\n", 8)]
    )
    func blanks(path: String, column: Int) throws {
        let refused = try query(path, "users.json")
        #expect(refused.output.isEmpty)
        #expect(
            refused.errors.hasPrefix("apus: column \(column) of the query: white space must not")
        )
        #expect(refused.status == .exited(2))
    }

    @Test("a bad query is status 2, and its column is pointed at")
    func badQuery() throws {
        let bad = try query("$.users[?@.age = 1]", "users.json")
        #expect(bad.status == .exited(2))
        #expect(bad.output.isEmpty)
        let lines = bad.errors.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("apus: column 16 of the query: "))
        #expect(
            lines[2].firstIndex(of: "^").map {
                lines[2].distance(from: lines[2].startIndex, to: $0)
            } == 17
        )
    }

    @Test(
        "a match that is broken is told with the file, the line and the column",
        arguments: [
            (#"{"a":NaN}"#, "$", "1:6"), (#"{"a":NaN}"#, "$.a", "1:6"), ("{'a':1}", "$", "1:2"),
            ("{\n \"a\": [1,2,],\n \"b\": 1}", "$.a", "2:12"), (#"{"a":"cu"#, "$", "1:9"),
            (#"{"a":{"b":[1,2"#, "$..b", "1:15"), ("[1,2", "$[:]", "1:5"), ("{a:1}", "$.*", "1:2"),
        ]
    )
    func brokenMatch(text: String, path: String, place: String) throws {
        for arguments in [[path], [path, "--raw"]] {
            let broken = try PipedProgram.run(
                ["query"] + arguments + ["-"],
                input: text,
                files: files
            )
            #expect(broken.errors.contains("standard input:\(place): "), "\(broken.errors)")
            #expect(!broken.errors.contains("not complete"))
            #expect(broken.status == .exited(2))
        }
        try files.write(text, to: "broken.json")
        #expect(try query(path, "broken.json").errors.contains("broken.json:\(place): "))
    }

    @Test("matches that are whole are printed, whichever others are broken")
    func wholeMatches() throws {
        let broken = try query("$.*", "-", input: #"{"a":1,"b":[NaN],"c":3"#)
        #expect(broken.output.hasPrefix("1\n"))
        #expect(broken.errors.contains("standard input:1:13: "))
    }

    @Test("blanks around a short path do not count, and jq's leading dot is understood")
    func spellings() throws {
        #expect(try query(" .users[0].age ", "users.json").output == "36\n")
        #expect(try query(" users[0].age", "users.json").output == "36\n")
        #expect(try query(".users[].age", "users.json").output == "36\n1.10\n")
        #expect(try query(".[1]", "-", input: "[1,2]").output == "2\n")
        #expect(try query(".", "-", input: "[1, 2]").output == "[1,2]\n")
    }

    @Test("broken input is status 2 with its position, behind what was found before the fault")
    func brokenInput() throws {
        let broken = try query("$[*]", input: "[1,\n2,\n  x]")
        #expect(broken.output == "1\n2\n")
        #expect(broken.errors.hasPrefix("apus: standard input:3:3: "))
        #expect(broken.status == .exited(2))
    }

    @Test("input that cannot be read is named, with status 2")
    func missingInput() throws {
        let missing = try query("$", "none.json")
        #expect(missing.errors == "apus: none.json: No such file or directory\n")
        #expect(missing.status == .exited(2))
        let folder = try query("$", "tmp")
        #expect(folder.errors == "apus: tmp: Is a directory\n")
        #expect(folder.status == .exited(2))
    }

    @Test("other formats are queried as the trees that they become")
    func otherFormats() throws {
        try files.write("id,name\n1,Ada\n2,Bob\n", to: "people.csv")
        #expect(try query("$[*].name", "people.csv").output == "\"Ada\"\n\"Bob\"\n")
        try files.write("a: [1, {b: 1.50}]\n", to: "some.yaml")
        #expect(try query("$.a[1].b", "some.yaml").output == "1.50\n")
        let lines = try query("$[*].id", "--as", "ndjson", input: "{\"id\":1}\n{\"id\":2}\n")
        #expect(lines.output == "1\n2\n")
    }

    @Test("a million levels are queried like any other")
    func deepInput() throws {
        let depth = 1_000_000
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(try query("$..*", "--count", input: text).output == "\(depth - 1)\n")
    }

    @Test("17 MB of brackets are no tree: the error names the limit, of each command")
    func namesLimit() throws {
        try files.write(String(repeating: "[", count: 17_500_000), to: "deep.json")
        for arguments in [["query", "$", "deep.json"], ["format", "deep.json"]] {
            let run = try PipedProgram.run(arguments, files: files)
            #expect(run.status == .exited(2))
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("too large for a tree (limit 512 MiB + 8 times the text)"))
        }
    }

    @Test("a pattern that is too costly for a text is an error, not a silence")
    func tellsCostlyPatterns() throws {
        try files.write(
            #"[{"a":"\#(String(repeating: "a", count: 40))b"},{"a":"aa"}]"#,
            to: "costly.json"
        )
        let run = try query("$[?match(@.a, '(a+)+$')].a", "costly.json")
        #expect(run.output == "\"aa\"\n")
        #expect(run.errors.contains("the expression is too costly for this text"))
        #expect(run.status == .exited(2))
    }

    @Test("a pattern that the library does not take is an error, not a silence")
    func tellsRefusedPatterns() throws {
        try files.write(#"["aa"]"#, to: "some.json")
        let run = try query("$[?match(@, 'a{1,99999}')]", "some.json")
        #expect(run.output.isEmpty)
        #expect(
            run.errors == "apus: some.json: the pattern 'a{1,99999}' is not valid: "
                + "number too big in {} quantifier (before character 10)\n"
        )
        #expect(run.status == .exited(2))
        let diff = try PipedProgram.run(
            ["diff", "some.json", "some.json", "--ignore", "$[?match(@, 'a{1,99999}')]"],
            files: files
        )
        #expect(diff.errors.contains("the pattern 'a{1,99999}' is not valid"))
        #expect(diff.status == .exited(2))
    }
}
