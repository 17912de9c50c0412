// Makes a source file of each page: its code blocks, verbatim, in a frame.
//
//     Extract [--tests] OUTPUT PAGE.md… FRAME.swift…
//
// With `--tests`, it makes files of the blocks that are whole files of tests, and of nothing else.
//
// The frame of a page is the file of its name in `Articles`, with what its blocks presuppose and what
// is to be true of them. `//> TEXT` stands for the next block that begins with TEXT, and `//> rest`
// for all that no other line names: declarations as they are, statements in a function each. A page
// without a frame has one that is `rest` alone, a frame without a page is copied.
import Foundation

let arguments = CommandLine.arguments.filter { $0 != "--tests" }
let wantsTests = arguments.count < CommandLine.arguments.count

/// A block of Swift in a page.
struct Block {
    var text: Substring
    let line: Int

    private static let declarations: Set<Substring> = [
        "struct", "enum", "class", "actor", "extension", "protocol", "func", "final", "@MainActor",
    ]

    var isDeclaration: Bool {
        text.split(whereSeparator: \.isWhitespace).first.map(Self.declarations.contains) ?? false
    }

    /// Whether it is a whole file of tests.
    var isTest: Bool { text.contains("import Testing\n") }

    /// Uses the constants that a page declares, as a reader's program would.
    var uses: String {
        text.matches(of: /(?m)^let (\w+)/).map { "_ = \($0.1)\n" }.joined()
    }

    /// With the lines that an error is to name, but in a `switch`, where none may be named.
    func source(in page: String) -> String {
        text.hasPrefix("case ")
            ? String(text)
            : "#sourceLocation(file: \"\(page)\", line: \(line))\n\(text)\n#sourceLocation()"
    }
}

/// What stands between ```swift and ```; a manifest is none of a program's sources, nor are tests.
func blocks(of text: String) -> [Block] {
    var blocks: [Block] = []
    var open: (line: Int, lines: [Substring])?
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
        if line.hasPrefix("```swift") {
            open = (number + 2, [])
        } else if line.hasPrefix("```"), let block = open {
            blocks.append(Block(text: block.lines.joined(separator: "\n")[...], line: block.line))
            open = nil
        } else {
            open?.lines.append(line)
        }
    }
    return blocks.filter { !$0.text.hasPrefix("// swift-tools-version") && $0.isTest == wantsTests }
}

/// Takes the imports out: they stand at a file's head.
func takeImports(of block: inout Block) -> [Substring] {
    let lines = block.text.split(separator: "\n", omittingEmptySubsequences: false)
    let isImport = { (line: Substring) in line.hasPrefix("import ") }
    block.text = lines.map { isImport($0) ? "" : $0 }.joined(separator: "\n")[...]
    return lines.filter(isImport)
}

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("error: \(message)\n".utf8))
    exit(1)
}

/// A page's blocks in its frame.
func source(of page: String?, _ frame: String?, name: String) throws -> String {
    var rest = try page.map { blocks(of: try String(contentsOfFile: $0, encoding: .utf8)) } ?? []
    let (page, hasBlocks) = (page ?? "", !rest.isEmpty)
    var imports = Set<Substring>()
    for index in rest.indices { imports.formUnion(takeImports(of: &rest[index])) }
    let plain = "import Apus\nimport Documents\n\nenum \(name)Article {\n//> rest\n}\n"
    let frame = try frame.map { try String(contentsOfFile: $0, encoding: .utf8) } ?? plain
    guard hasBlocks || !frame.contains("//> ") else { return "" }
    var lines: [String] = imports.sorted().map(String.init)
    for line in frame.split(separator: "\n", omittingEmptySubsequences: false) {
        let mark = line.drop { $0 == " " }
        guard mark.hasPrefix("//> "), mark != "//> rest" else {
            lines.append(String(line))
            continue
        }
        let beginning = mark.dropFirst(4).replacing("\\n", with: "\n")
        let isNamed = { (block: Block) in
            block.text.drop(while: \.isWhitespace).hasPrefix(beginning)
        }
        guard let index = rest.firstIndex(where: isNamed) else {
            fail(
                "\(name).md has no block, or no further one, that begins with: \(mark.dropFirst(4))"
            )
        }
        lines.append(rest.remove(at: index).source(in: page))
    }
    let others = rest.map { block in
        let text = block.source(in: page)
        guard !block.isDeclaration else { return text }
        return "static func line\(block.line)() async throws {\n\(text)\n\(block.uses)}"
    }
    if let place = lines.firstIndex(where: { $0.drop { $0 == " " } == "//> rest" }) {
        lines.replaceSubrange(place...place, with: others)
    } else if let block = rest.first {
        fail(
            "\(page):\(block.line): Tests/Consumer/Articles/\(name).swift has no line for this block"
        )
    }
    return lines.joined(separator: "\n") + "\n"
}

let output = URL(filePath: arguments[1])
var files: [String: (page: String?, frame: String?)] = [:]
for path in arguments.dropFirst(2) {
    let name = URL(filePath: path).deletingPathExtension().lastPathComponent
    if path.hasSuffix(".md") {
        files[name, default: (nil, nil)].page = path
    } else {
        files[name, default: (nil, nil)].frame = path
    }
}
for (name, file) in files where wantsTests {
    let tests =
        try file.page.map { blocks(of: try String(contentsOfFile: $0, encoding: .utf8)) } ?? []
    try tests.map { $0.source(in: file.page ?? "") }.joined(separator: "\n")
        .write(to: output.appending(path: "\(name)Tests.swift"), atomically: true, encoding: .utf8)
}
for (name, file) in files where !wantsTests {
    try source(of: file.page, file.frame, name: name)
        .write(to: output.appending(path: "\(name).swift"), atomically: true, encoding: .utf8)
}
