import Documents
import TestSupport
import Testing

@testable import Workspaces

@Suite("Changing values of a YAML text")
struct YAMLEditorTests {
    private func path(_ text: String) -> [YAMLStep] {
        text.split(separator: "/").map { step in Int(step).map { .index($0) } ?? .key(String(step))
        }
    }

    @Test(
        "a value is set, and everything else stays to the byte",
        arguments: [
            ("a: 1 # one\nb: 2\n", "a", "3", "a: 3 # one\nb: 2\n"),
            ("a:\r\n  b: x   # c\r\n", "a/b", "'y'", "a:\r\n  b: y   # c\r\n"),
            ("a: \"x\"\nb: 'y'", "a", "z", "a: \"z\"\nb: 'y'"),
            ("a: \"x\"\nb: 'y'", "b", "it's", "a: \"x\"\nb: 'it''s'"),
            (
                "a: {b: 1, c: [x, y]} # c\n", "a/c/1", "'{{ z }}'",
                "a: {b: 1, c: [x, \"{{ z }}\"]} # c\n"
            ),
            // What is not there is added at the end.
            ("a:\n  b: 1 # c\n\nd: 2\n", "a/x", "y", "a:\n  b: 1 # c\n  x: y\n\nd: 2\n"),
            ("a: { b: 1 }\n", "a/x", "\"{{ n }}\"", "a: { b: 1, x: \"{{ n }}\" }\n"),
            ("a: {}\n", "a/x", "1", "a: { x: 1 }\n"),
            ("a:   # nothing\nb: 1\n", "a/x", "1", "a: { x: 1 }   # nothing\nb: 1\n"),
            (
                "a:\n    b:\n        c: 1\n", "a/d/e", "1",
                "a:\n    b:\n        c: 1\n    d: { e: 1 }\n"
            ),
            (
                "a:\n  b: |\n    text\n\nc: 1\n", "a/x", "1",
                "a:\n  b: |\n    text\n  x: 1\n\nc: 1\n"
            ),
            ("a: 1", "b", "2", "a: 1\nb: 2"),
            // One kind takes another's place.
            ("a: # c\n  b: 1\n  d: 2 # e\nf: 1\n", "a", "none", "a: none # c\nf: 1\n"),
            ("a: |\n  x\n  y\nb: 1\n", "a", "z", "a: z\nb: 1\n"),
            ("a: x # c\nb: 1\n", "a", "\"p\\nq\\n\"", "a: | # c\n  p\n  q\nb: 1\n"),
            ("- a: 1\n  b: 2\n- c\n", "0/a", "3", "- a: 3\n  b: 2\n- c\n"),
            // Where an alias or a merge key gives a value, it gets a place of its own.
            ("d: &d { x: 1 }\na: *d\n", "a/x", "2", "d: &d { x: 1 }\na: { <<: *d, x: 2 }\n"),
            (
                "d: &d { h: { x: 1, y: 2 } }\na:\n  <<: *d # c\n", "a/h/x", "3",
                "d: &d { h: { x: 1, y: 2 } }\na:\n  <<: *d # c\n  h: { x: 3, y: 2 }\n"
            ),
            ("d: &d x\na: *d\n", "a", "y", "d: &d x\na: y\n"),
        ]
    )
    func sets(text: String, at place: String, value: String, result: String) throws {
        var editor = try #require(YAMLEditor(text))
        let value = try #require(YAMLEditor(value)?.model)
        try editor.set(value, at: path(place))
        #expect(editor.text == result)
    }

    @Test(
        "an entry goes with the comment of its line, and not with its neighbors'",
        arguments: [
            ("a: 1 # a\nb: 2 # b\nc: 3 # c\n", "b", "a: 1 # a\nc: 3 # c\n"),
            ("a: 1\n# of b\nb:\n  c: 1\n# of d\nd: 1\n", "b", "a: 1\n# of b\n# of d\nd: 1\n"),
            ("a: 1\nb: 2", "b", "a: 1"),
            ("a: {b: 1, c: 2, d: 3}\n", "a/b", "a: {c: 2, d: 3}\n"),
            ("a: {b: 1, c: 2, d: 3}\n", "a/c", "a: {b: 1, d: 3}\n"),
            ("a: {b: 1, c: 2, d: 3 }\n", "a/d", "a: {b: 1, c: 2 }\n"),
            ("a: {\n  b: 1, # b\n  c: 2 # c\n}\n", "a/b", "a: {\n  c: 2 # c\n}\n"),
            ("a: {\n  b: 1, # b\n  c: 2 # c\n}\n", "a/c", "a: {\n  b: 1, # b\n}\n"),
            ("- x # x\n- y # y\n", "0", "- y # y\n"),
            ("- a: 1 # a\n  b: 2\n", "0/a", "- b: 2\n"),
            ("a:\r\n- x\r\n- y\r\nb: 1\r\n", "a/1", "a:\r\n- x\r\nb: 1\r\n"),
        ]
    )
    func removes(text: String, at place: String, result: String) throws {
        var editor = try #require(YAMLEditor(text))
        try editor.remove(at: path(place))
        #expect(editor.text == result)
    }

    @Test(
        "a scalar becomes a mapping that has it, as it is written",
        arguments: [
            ("a: GET /x # c\nb: 1\n", "a:\n  request: GET /x # c\nb: 1\n"),
            ("a:   \"GET /{{ x }}\"\n", "a:\n  request: \"GET /{{ x }}\"\n"),
            ("a:\n  GET /x\n", "a:\n  request: GET /x\n"),
            ("{ a: GET /x, b: 1 }\n", "{ a: { request: GET /x }, b: 1 }\n"),
        ]
    )
    func wraps(text: String, result: String) throws {
        var editor = try #require(YAMLEditor(text))
        try editor.wrap(at: path("a"), in: "request")
        #expect(editor.text == result)
    }

    @Test("an entry is put behind another, and an element before one")
    func inserts() throws {
        var editor = try #require(YAMLEditor("a: 1 # a\n# of b\nb: [x]\nc:\n  - y # y\n"))
        try editor.insert(.object([.init("k", .string("v"))]), named: "new", at: path("a"))
        try editor.insert(.string("w"), at: path("b/1"))
        try editor.insert(.string("z"), at: path("c/0"))
        #expect(editor.text == "a: 1 # a\nnew: { k: v }\n# of b\nb: [x, w]\nc:\n  - z\n  - y # y\n")
    }

    @Test("only what differs of two values is written")
    func changes() throws {
        let text =
            "a:\n  x: 1 # x\n  y: [1, 2, 3] # y\n  z:\n    - { k: 1 } # first\n    - { k: 2 }\n"
        var editor = try #require(YAMLEditor(text))
        let new = try #require(
            YAMLEditor("{ x: 1, y: [1, 3], z: [{ k: 1 }, { k: 5 }, { k: 6 }] }")?.model
        )
        try editor.change(at: path("a"), from: editor.value(at: path("a")), to: new)
        #expect(
            editor.text
                == "a:\n  x: 1 # x\n  y: [1, 3] # y\n  z:\n    - { k: 1 } # first\n    - { k: 5 }\n    - { k: 6 }\n"
        )
    }

    @Test("what an anchor gives elsewhere too is refused, and says so")
    func refuses() throws {
        var editor = try #require(YAMLEditor("a: &a { x: 1 }\nb: *a\n"))
        #expect(throws: YAMLEditError.self) { try editor.set(.number("2"), at: path("a/x")) }
        do {
            try editor.set(.number("2"), at: path("a/x"))
        } catch {
            #expect(error.message.hasSuffix("it is used elsewhere as `*a`"))
        }
        #expect(editor.text == "a: &a { x: 1 }\nb: *a\n")
    }

    @Test("long values get lines of their own, as far in as the text's")
    func blocks() throws {
        var editor = try #require(YAMLEditor("t:\n    a: GET /\n"))
        let long = Value.string(String(repeating: "long ", count: 10) + "end")
        try editor.set(
            .object([.init("k", .array([.object([.init("x", long), .init("y", long)]), long]))]),
            at: path("t/b")
        )
        let text = long.scalarText ?? ""
        #expect(
            editor.text
                == "t:\n    a: GET /\n    b:\n        k:\n            - x: \(text)\n              y: \(text)\n            - \(text)\n"
        )
    }

    /// A text of all that people write.
    private struct RandomText {
        var generator: SeededGenerator
        private let scalars = [
            "x", "GET /users", "\"{{ n }}\"", "'it''s'", "1.50", "true", "~", "\"a: b\"", "a#b",
            "https://h:1/p?q=1", "\"é\\t\"", "", "10 s", "|\n", "- x",
        ]

        mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &generator) == 0 }

        mutating func comment() -> String { chance(4) ? " # comment" : "" }

        mutating func flow(_ depth: Int) -> String {
            let count = Int.random(in: 0...3, using: &generator)
            if depth > 0, chance(3) {
                return "[" + (0..<count).map { _ in flow(depth - 1) }.joined(separator: ", ") + "]"
            }
            if depth > 0, chance(2) {
                let open = chance(2) ? "{ " : "{"
                return open
                    + (0..<count).map { "k\($0): " + flow(depth - 1) }.joined(separator: ", ") + "}"
            }
            return ["x", "1", "\"{{ n }}\"", "'q'", "a b", "null"].randomElement(using: &generator)
                ?? "x"
        }

        mutating func block(_ indent: Int, _ depth: Int) -> [String] {
            let margin = String(repeating: " ", count: indent)
            var lines: [String] = []
            let isList = depth < 3 && chance(4)
            for index in 0..<Int.random(in: 1...4, using: &generator) {
                if chance(5) { lines.append(margin + "# a line of its own") }
                if chance(6) { lines.append("") }
                let key = margin + (isList ? "-" : "k\(index):")
                if depth > 0, chance(2) {
                    let inner = block(indent + (chance(3) ? 4 : 2), depth - 1)
                    lines.append(key + comment())
                    lines += inner
                } else if chance(6) {
                    lines.append("\(key) \(chance(2) ? "|" : ">-")")
                    lines += ["\(margin)   some text", "", "\(margin)   # more"]
                } else if chance(3) {
                    lines.append("\(key) \(flow(2))\(comment())")
                } else {
                    let scalar =
                        ["x", "GET /users", "\"{{ n }}\"", "'it''s'", "1.50", "~", ""]
                        .randomElement(using: &generator) ?? ""
                    lines.append(scalar.isEmpty ? key + comment() : "\(key) \(scalar)\(comment())")
                }
            }
            return lines
        }

        mutating func value(_ depth: Int) -> Value {
            switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &generator) {
            case 0: return .number("7")
            case 1: return .boolean(true)
            case 2:
                return .string(
                    ["", "~", "12", "a: b", "#x", "- y", "{{ v }}"].randomElement(using: &generator)
                        ?? ""
                )
            case 3: return .string("two\nlines\n")
            case 4:
                return .string(
                    ["plain", "/path?x=[1]", "it's", "\"q\"", "tab\t", "a, b"].randomElement(
                        using: &generator
                    ) ?? ""
                )
            case 5: return .null
            case 6:
                return .array(
                    (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth - 1) }
                )
            default:
                return .object(
                    (0..<Int.random(in: 0...4, using: &generator)).map {
                        .init("m\($0)", value(depth - 1))
                    }
                )
            }
        }

        mutating func path(in value: Value) -> [YAMLStep] {
            var (path, value): ([YAMLStep], Value) = ([], value)
            while true {
                switch value {
                case .object(let members) where !members.isEmpty:
                    let index = Int.random(in: 0..<members.count, using: &generator)
                    path.append(.key(members[index].name))
                    value = members[index].value
                case .array(let elements) where !elements.isEmpty:
                    let index = Int.random(in: 0..<elements.count, using: &generator)
                    path.append(.index(index))
                    value = elements[index]
                default: return path
                }
                if chance(3) { return path }
            }
        }
    }

    @Test(
        "random edits of random texts say what was asked, and no other line changes",
        arguments: 0..<8
    )
    func random(seed: Int) throws {
        var random = RandomText(generator: SeededGenerator(seed: UInt64(seed)))
        var done = 0
        var refused: [String] = []
        for _ in 0..<120 {
            let isCRLF = random.chance(4)
            let lineBreak = isCRLF ? "\r\n" : "\n"
            let lines = random.block(0, 3)
            // The last line's end is a part of the text under a `|`.
            let isEnded = random.chance(3) ? lines.contains { $0.hasSuffix("|") } : true
            let text = lines.joined(separator: lineBreak) + (isEnded ? lineBreak : "")
            guard var editor = YAMLEditor(text) else { continue }
            for _ in 0..<4 {
                let before = editor.text
                var path = random.path(in: editor.model)
                guard let last = path.last else { continue }
                let value = random.value(2)
                let wanted: Value?
                var operation = 0
                do throws(YAMLEditError) {
                    operation = Int.random(in: 0..<4, using: &random.generator)
                    switch operation {
                    case 0:
                        wanted = editor.model.applying(.remove, at: path[...])
                        try editor.remove(at: path)
                    default:
                        if operation == 1, case .key = last {
                            path[path.count - 1] = .key("added")
                        }
                        wanted = editor.model.applying(.set(value), at: path[...])
                        try editor.set(value, at: path)
                    }
                    done += 1
                } catch {
                    // The last entry of a block cannot be taken away: what is left is nothing. Under a `|` a
                    // comment that stands further in behind it would be a part of the text.
                    let isText = "\(value)".contains("lines")
                    if operation > 0, !isText { refused.append("\(path) \(value)\n\(before)") }
                    #expect(editor.text == before)
                    continue
                }
                #expect(
                    wanted.map { YAMLEditor(editor.text)?.model.isSame(as: $0) } == true,
                    "\(before)\n\(editor.text)"
                )
                expectOthersSame(before, editor.text, around: path)
            }
        }
        #expect(done > 200)
        #expect(refused.isEmpty, "\(refused.joined(separator: "\n----\n"))")
    }

    /// What is around the place of the change is the same in both texts.
    private func expectOthersSame(_ old: String, _ new: String, around path: [YAMLStep]) {
        let oldLines = old.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let newLines = new.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let head = zip(oldLines, newLines).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        let tail = zip(oldLines.reversed(), newLines.reversed()).prefix {
            $0.utf8.elementsEqual($1.utf8)
        }
        .count
        guard var value = try? YAMLValue.parse(old) else { return }
        var first = 1
        for step in path {
            if case .key(let name) = step, case .mapping(let members) = value.content,
                let key = members.first(where: { $0.key.text == name })?.key
            {
                first = key.place.line
            } else if case .index = step {
                first = value.place.line
            } else {
                // Added behind its neighbors.
                break
            }
            guard let next = YAMLLayout.child(step, of: value) else { break }
            value = next
        }
        #expect(head >= min(first - 1, oldLines.count), "before it:\n\(old)\n---\n\(new)")
        let changed = oldLines.count - head - tail
        let own = value.end.line - first + 2
        #expect(changed <= own, "\(changed) lines, \(path):\n\(old)\n---\n\(new)")
    }
}

extension Value {
    /// Whether two say the same, whatever the order of their members.
    fileprivate func isSame(as other: Value) -> Bool {
        switch (self, other) {
        case (.object(let mine), .object(let others)):
            mine.count == others.count
                && mine.allSatisfy { member in
                    others.contains { $0.name == member.name && $0.value.isSame(as: member.value) }
                }
        case (.array(let mine), .array(let others)):
            mine.count == others.count && zip(mine, others).allSatisfy { $0.isSame(as: $1) }
        default: self == other
        }
    }
}
