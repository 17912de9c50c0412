import Apus
import FoundationEssentials
import Glibc
import Testing

@testable import Workspaces

/// Sizes at which time or memory that grew with their square would be minutes or gigabytes.
@Suite("Hostile workspace files")
struct HostileFileTests {
    private func lines(_ count: Int, _ line: (Int) -> String) -> String {
        (0..<count).map(line).joined(separator: "\n")
    }

    @Test("any number of braces without an end are read once")
    func openBraces() {
        let text = String(repeating: "{{ ", count: 100_000)
        let found = problems("targets: { A: { request: POST http://h/, body: '\(text)' } }")
        #expect(found.count == 101)
        #expect(found.last == "a.apus.yaml: there are more than 100 problems")
    }

    @Test("any number of names in a text are filled in")
    func names() throws {
        let text = String(repeating: "{{ a }}", count: 50_000)
        let workspace = try Workspace.make(
            "variables: { a: 1 }\ntargets: { A: { request: POST http://h/, body: '\(text)' } }"
        )
        #expect(try workspace.sent("A").bodyText?.count == 50_000)
    }

    @Test("any number of unknown names in a text are told up to a limit, each looked for once")
    func unknownNames() {
        let text = String(repeating: "{{ a }}", count: 30_000)
        let found = problems("targets: { A: { request: POST http://h/, body: '\(text)' } }")
        #expect(found.count == 101)
    }

    @Test("a variable may need itself any number of times, and is told of once")
    func circle() {
        let text = String(repeating: "{{ a }}", count: 100_000)
        let found = problems("variables: { a: '\(text)' }\ntargets: { A: GET http://h/ }")
        #expect(found.count == 1)
        #expect(found.first?.contains("depends on itself") == true)
    }

    @Test("aliases of aliases have a limit of depth")
    func deepAliases() async {
        let row = lines(30_000) { "- &a\($0) [\($0 > 0 ? "*a\($0 - 1)" : "")]" }
        // A task's thread has a small stack.
        let found = await Task.detached { problems(row) }.value
        #expect(found.first?.contains("nested too deeply") == true)
    }

    @Test("more header fields than a request may have are told, also once they are filled in")
    func headerFields() throws {
        let defaults = lines(65_536) { "    a\($0): b" }
        let rest = "targets: { A: GET http://h/ }"
        let many = "defaults:\n  headers:\n\(defaults)\n\(rest)"
        let long = """
            variables: { a: \(String(repeating: "a", count: 600 << 10)) }
            defaults: { headers: { A: "{{ a }}", B: "{{ a }}" } }
            \(rest)
            """
        for text in [many, long] {
            let error = #expect(throws: WorkspaceError.self) {
                try Workspace.make(text).sent("A")
            }
            #expect(error?.problems.first?.message.contains("header fields") == true)
        }
    }

    @Test("any number of keys that are there twice are told up to a limit")
    func repeatedKeys() {
        let targets = lines(30_000) { "  t\($0 % 2): GET http://h/" }
        #expect(problems("targets:\n\(targets)").count == 101)
    }

    @Test("any number of targets stand in one line")
    func oneLine() throws {
        let targets = (0..<20_000).map { "t\($0): 'GET http://h/{{ a }}'" }
        let workspace = try Workspace.make(
            "{ variables: { a: 1 }, targets: { \(targets.joined(separator: ", ")) } }"
        )
        #expect(workspace.targets.count == 20_000)
    }

    @Test("a chain of thousands of steps that all use what was captured before")
    func longChain() throws {
        let steps = lines(5000) { index in
            let name = index > 0 ? "{{ c\(index - 1) }}/{{ id }}" : ""
            return """
                    - step: s\(index)
                      target: "GET http://h/\(name)"
                      capture: { c\(index): $.id, id: $.id }
                """
        }
        let workspace = try Workspace.make("chains:\n  C:\n\(steps)")
        let graph = try workspace.graph(of: workspace.chains[0], in: "default")
        #expect(graph.order.count == 5000)
        let step = workspace.chains[0].steps[4999]
        let values = ["c4998": Value.number("7"), "id": .number("8")]
        #expect(
            try workspace.resolve(step, in: "default", captured: values).path == "http://h/7/8"
        )
    }

    @Test("a chain says which step captures what it lacks, however long it is")
    func advice() {
        let steps = lines(2000) { index in
            let lacking = index == 1000 ? "{{ c1500 }}" : ""
            return "    - { step: s\(index), needs: [], target: 'GET http://h/a\(lacking)', "
                + "capture: { c\(index): $.id } }"
        }
        #expect(
            problems("chains:\n  C:\n\(steps)").first?.contains(
                "the step `s1500` captures it: name it in `needs`"
            ) == true
        )
    }

    @Test("a chain has no more than 10,000 steps, a batch no more than 100,000 requests")
    func limits() {
        #expect(
            problems("chains:\n  C:\n" + lines(10_001) { _ in "    - GET http://h/" }) == [
                "a.apus.yaml:2:3: the chain `C` has more than 10,000 steps; "
                    + "`forEach` runs a step for each element of a list"
            ]
        )
        let entries = lines(3) { _ in "    - { target: GET http://h/, repeat: 50000 }" }
        #expect(
            problems("batches:\n  B:\n\(entries)") == [
                "a.apus.yaml:2:3: the batch `B` has more than 100,000 requests, repeats counted"
            ]
        )
    }

    @Test("variables that are made of each other have a limit of depth, and circles are told")
    func deepVariables() throws {
        let count = 30_000
        let row = lines(count) { "  v\($0): '\($0 > 0 ? "{{ v\($0 - 1) }}" : "end")'" }
        let deep = problems("variables:\n\(row)\ntargets: { A: 'GET http://h/{{ v9 }}' }")
        #expect(deep.first?.contains("nests more than 64 variables") == true)
        let circle = lines(count) { "  v\($0): '{{ v\(($0 + 1) % count) }}'" }
        #expect(!problems("variables:\n\(circle)\ntargets: { A: GET http://h/ }").isEmpty)
        let short = lines(60) { "  v\($0): '\($0 > 0 ? "{{ v\($0 - 1) }}" : "end")'" }
        let workspace = try Workspace.make(
            "variables:\n\(short)\ntargets: { A: 'GET http://h/{{ v59 }}' }"
        )
        #expect(try workspace.sent("A").path == "http://h/end")
    }

    @Test("variables that double each other reach a limit that names itself")
    func doubling() {
        let row = lines(40) { "  v\($0): '\($0 > 0 ? "{{ v\($0 - 1) }}{{ v\($0 - 1) }}" : "xx")'" }
        let found = problems("variables:\n\(row)\ntargets: { A: 'GET http://h/{{ v39 }}' }")
        #expect(found.contains { $0.contains("longer than 1 MiB with its variables filled in") })
    }

    @Test("a captured list counts as often as it is used")
    func bigList() throws {
        let uses = String(repeating: "'{{ x }}', ", count: 10_000)
        let workspace = try Workspace.make(
            "targets: { A: { request: POST http://h/, json: [\(uses)] } }\nvariables: { x: 1 }"
        )
        let list = Value.array(Array(repeating: .string("0123456789"), count: 50_000))
        let error = #expect(throws: WorkspaceError.self) {
            try workspace.sent("A", captured: ["x": list])
        }
        #expect(error?.problems.first?.message.contains("16 MiB in all") == true)
    }

    @Test("every target in every environment is not looked at when both are thousands")
    func manyEnvironments() throws {
        let environments = lines(20_000) { "  e\($0):" }
        let targets = lines(20_000) { "  t\($0): GET http://h/" }
        let workspace = try Workspace.make("environments:\n\(environments)\ntargets:\n\(targets)")
        #expect(workspace.environments.count == 20_000)
    }

    @Test("any number of unknown names are told up to a limit")
    func unknown() {
        let variables = lines(20_000) { "  v\($0): 1" }
        let targets = lines(20_000) { "  t\($0): 'GET http://h/{{ w\($0) }}'" }
        #expect(problems("variables:\n\(variables)\ntargets:\n\(targets)").count == 101)
        let steps = lines(9000) { "    - { step: s\($0), needs: z\($0), target: GET http://h/ }" }
        #expect(problems("chains:\n  C:\n\(steps)").count == 101)
        let entries = lines(20_000) { "    - u\($0)" }
        #expect(problems("targets:\n\(targets)\nbatches:\n  B:\n\(entries)").count == 101)
    }

    @Test(
        "aliases, nesting and anchors have bounds",
        arguments: [
            ("[", 100_000), ("- ", 100_000), ("{a: ", 100_000), ("? ", 50_000),
            ("a: &a [*a]", 1), ("a: &a { <<: *a }", 1),
        ]
    )
    func nesting(part: String, count: Int) async {
        let text = String(repeating: part, count: count)
        // A task's thread has a small stack.
        let found = await Task.detached { problems(text) }.value
        #expect(!found.isEmpty)
    }

    @Test("what is not a regular file, or too large, is refused and never waited for")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "apus-hostile-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: "\(folder)/folder.apus.yaml",
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkfifo("\(folder)/fifo.apus.yaml", 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/zero.apus.yaml",
            withDestinationPath: "/dev/zero"
        )
        let large = open("\(folder)/large.apus.yaml", O_WRONLY | O_CREAT, 0o600)
        #expect(ftruncate(large, 5_000_000_000) == 0)
        close(large)
        let error = #expect(throws: WorkspaceError.self) { try Workspace.load(path: folder) }
        #expect(
            error?.problems.map(\.message) == [
                "the file is not a regular file", "the file is a folder",
                "the file is larger than 16 MiB", "the file is not a regular file",
            ]
        )
    }

    @Test("a secret's file is bounded too, and missed when it is sent")
    func secretFile() throws {
        let workspace = try Workspace.parse(
            text: """
                variables: { t: { file: /dev/zero } }
                targets: { A: { request: GET http://h/, auth: { bearer: "{{ t }}" } } }
                """,
            file: "a.apus.yaml"
        )
        let error = #expect(throws: WorkspaceError.self) { try workspace.sent("A") }
        #expect(
            error?.problems.first?.message == "`t` has no value: /dev/zero is not a regular file"
        )
    }

    @Test("a secret has 1 MiB at most, and all of them 16 MiB")
    func largeSecrets() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "apus-secrets-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let text = String(repeating: "s", count: 1 << 20)
        try text.write(toFile: "\(folder)/most", atomically: false, encoding: .utf8)
        try "\(text)s".write(toFile: "\(folder)/more", atomically: false, encoding: .utf8)
        let reader = SecretReader.process
        #expect(reader.secret(file: "\(folder)/more").fault?.contains("larger than 1 MiB") == true)
        let faults = (0...16).map { _ in reader.secret(file: "\(folder)/most").fault }
        #expect(faults.prefix(16).allSatisfy { $0 == nil })
        #expect(faults.last??.contains("limit of 16 MiB for all secrets") == true)
        #expect(SecretReader.process.secret(file: "\(folder)/most").fault == nil)
    }
}
