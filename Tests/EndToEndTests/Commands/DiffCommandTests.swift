import Documents
import Testing

@Suite("apus diff")
struct DiffCommandTests {
    private let files: PrivateFiles

    init() throws {
        files = PrivateFiles()
        try files.write(
            #"{"id": 7, "name": "Ada", "roles": ["admin", "editor"], "at": 1}"#,
            to: "a.json"
        )
        try files.write(
            #"{"name": "Eve", "id": 7.0, "roles": ["admin"], "new": null, "at": 2}"#,
            to: "b.json"
        )
    }

    private func diff(_ arguments: String..., input: String = "") throws -> PipedProgram {
        try .run(["diff"] + arguments, input: input, files: files)
    }

    @Test("the same but for order, white space and how numbers are written is status 0")
    func same() throws {
        let same = try diff(
            "a.json",
            "-",
            input: #"{"at":1e0,"roles":["admin","editor"],"id":7,"name":"\u0041da"}"#
        )
        #expect(same.output.isEmpty && same.errors.isEmpty)
        #expect(same.status == .exited(0))
    }

    @Test("--json is one object with each difference, its paths and whole values")
    func object() throws {
        let different = try diff(
            "-",
            "b.json",
            "--json",
            input: #"{"name": "Eve", "id": 8, "old": [1, 2], "roles": ["admin"], "at": 2}"#
        )
        #expect(different.status == .exited(1))
        let object = try JSON(parsing: different.output)
        #expect(object["version"] == 1 && object["equal"] == false)
        let differences = object["differences"].arrayValue
        #expect(differences.count == 3)
        #expect(differences.contains(["kind": "changed", "path": "$['id']", "old": 8, "new": 7.0]))
        #expect(differences.contains(["kind": "removed", "path": "$['old']", "old": [1, 2]]))
        #expect(differences.contains(["kind": "added", "path": "$['new']", "new": nil]))
        let same = try diff("a.json", "a.json", "--json")
        #expect(same.output == #"{"version":1,"equal":true,"differences":[]}"# + "\n")
        #expect(same.status == .exited(0))
        #expect(try diff("a.json", "b.json", "--json", "--patch").status == .exited(2))
    }

    @Test("each difference is a line with its sign and path, and the status is 1")
    func different() throws {
        let different = try diff("a.json", "b.json", "--ignore", "$.at")
        let lines = different.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(lines.contains { $0.hasPrefix("~") && $0.contains("name") && $0.contains("Eve") })
        #expect(
            lines.contains { $0.hasPrefix("-") && $0.contains("roles") && $0.contains("editor") }
        )
        #expect(lines.contains { $0.hasPrefix("+") && $0.contains("new") && $0.contains("null") })
        #expect(different.status == .exited(1))
        #expect(!different.output.contains("\u{1B}"))
    }

    @Test("numbers are compared by their text on request")
    func numbersByText() throws {
        let byText = try diff("a.json", "b.json", "--numbers", "text", "--ignore", "$.at")
        #expect(byText.output.contains("7.0"))
    }

    @Test("several paths are left out; what is left decides")
    func ignored() throws {
        let ignored = try diff(
            "a.json",
            "b.json",
            "--ignore",
            "$.at",
            "--ignore",
            "name",
            "-i",
            "$.roles",
            "-i",
            "$.new"
        )
        #expect(ignored.output.isEmpty)
        #expect(ignored.status == .exited(0))
    }

    @Test("a patch makes one document of the other")
    func patch() throws {
        let patch = try diff("a.json", "b.json", "--patch")
        #expect(patch.status == .exited(1))
        let paths = try PipedProgram.run(
            ["query", "$[*].path", "--raw"],
            input: patch.output,
            files: files
        )
        #expect(Set(paths.output.split(separator: "\n")) == ["/name", "/roles/1", "/new", "/at"])
        let same = try diff("a.json", "a.json", "--patch")
        #expect(same.output == "[]\n")
    }

    @Test("trouble with a side is status 2 and names it")
    func trouble() throws {
        let missing = try diff("a.json", "none.json")
        #expect(missing.errors == "apus: none.json: No such file or directory\n")
        #expect(missing.status == .exited(2))
        let broken = try diff("-", "a.json", input: "{")
        #expect(broken.errors.hasPrefix("apus: standard input:1:2: "))
        #expect(broken.status == .exited(2))
        let twice = try diff("-", "-")
        #expect(twice.status == .exited(2))
        let path = try diff("a.json", "b.json", "--ignore", "$[")
        #expect(path.errors.contains("column 3"))
        #expect(path.status == .exited(2))
    }
}
