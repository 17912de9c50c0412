import FoundationEssentials
import Testing

/// Folders of `Tests/EndToEndTests/Cases`: what the program is given, and what it then says.
///
/// | file | has |
/// |---|---|
/// | `command` | a script of the shell's, in which `apus` is the built program |
/// | `files/` | what is in the folder that it runs in |
/// | `stdout`, `stderr` | what it writes; a file that is not there stands for nothing |
/// | `status` | its exit status; 0 if there is none |
/// | `after/` | files as they are afterwards |
///
/// `RECORD_SNAPSHOTS=1` writes stdout, stderr and status anew.
@Suite("Cases of the command line")
struct CaseFolderTests {
    private static let folder = "\(#filePath)".replacing(
        "Commands/CaseFolderTests.swift",
        with: "Cases"
    )

    static let names = names(in: folder)

    private static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    @Test("there are cases")
    func some() { #expect(Self.names.count > 10) }

    @Test("the program says what the case says", arguments: names)
    func run(_ name: String) throws {
        let files = PrivateFiles()
        let folder = "\(Self.folder)/\(name)"
        for file in Self.names(in: "\(folder)/files") {
            try files.write(try Self.text("\(folder)/files/\(file)"), to: file)
        }
        let command = try Self.text("\(folder)/command")
        let result = try PipedProgram.shell(
            "apus() { \"$program\" \"$@\"; }; program=$1\n\(command)",
            files: files
        )
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
            try Self.record(result.output, "\(folder)/stdout")
            try Self.record(result.errors, "\(folder)/stderr")
            try Self.record(
                result.status == .exited(0) ? "" : "\(result.status)\n",
                "\(folder)/status"
            )
        }
        #expect(result.output == Self.optional("\(folder)/stdout"))
        #expect(result.errors == Self.optional("\(folder)/stderr"))
        let status = Self.optional("\(folder)/status")
        #expect((result.status == .exited(0) ? "" : "\(result.status)\n") == status)
        for file in Self.names(in: "\(folder)/after") {
            #expect(try files.read(file) == Self.text("\(folder)/after/\(file)"), "\(file)")
        }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    private static func optional(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    private static func record(_ text: String, _ path: String) throws {
        if text.isEmpty {
            try? FileManager.default.removeItem(atPath: path)
        } else {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
    }
}
