import FoundationEssentials
import TestSupport
import Testing

@testable import ApusCommand

@Suite("What is installed beside the program")
struct InstallingTests {
    private let files = PrivateFiles()

    @Test(
        "there is a manual page for each command, in which no line is taken for a request of troff"
    )
    func pages() throws {
        let names = ManualPages.all.map(\.name)
        #expect(names.contains("apus.1") && names.contains("apus-sessions-export.1"))
        #expect(Set(names).count == names.count)
        for (name, text) in ManualPages.all {
            #expect(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "\(name)")
            for line in text.split(separator: "\n") where line.hasPrefix(".") {
                let request = line.prefix { $0 != " " }
                let known = [".TH", ".SH", ".nh", ".hy", ".nf", ".fi", ".PP", ".TP"]
                #expect(known.contains(String(request)), "\(name): \(line)")
            }
        }
        let run = try PipedProgram.run(["help", "--man", "man"], files: files)
        #expect(run.status == .exited(0) && run.errors.isEmpty)
        #expect(try files.read("man/apus-run.1").contains(#"\-\-changed\-since"#))
    }

    @Test("a shell is offered what the workspace here has")
    func completions() throws {
        try files.write(
            """
            environments: { local: { baseURL: "http://127.0.0.1:9" } }
            targets: { Users: { "Show user": GET /users/7 } }
            chains: { Both: [Users/Show user] }
            """,
            to: "a.apus.yaml"
        )
        let script = try PipedProgram.run(["--generate-completion-script", "bash"], files: files)
        #expect(script.output.contains("---completion send -- positional@0"))
        func offered(_ words: [String]) throws -> String {
            try PipedProgram.run(["---completion"] + words, files: files).output
        }
        #expect(
            try offered(["send", "--", "positional@0", "2", "0", "apus", "send", ""]).contains(
                "Users/Show user"
            )
        )
        #expect(
            try offered(["chain", "--", "positional@0", "2", "0", "apus", "chain", ""]).contains(
                "Both"
            )
        )
    }

    @Test("a method in capitals before a URL is a request")
    func method() throws {
        let run = try PipedProgram.run(["GET", "http://127.0.0.1:9/"], files: files)
        #expect(run.status == .exited(20) && run.errors.contains("127.0.0.1:9"))
    }
}
