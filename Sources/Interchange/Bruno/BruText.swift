import Documents

/// The blocks of a `.bru` file.
struct BruText {
    /// A line `name: value` of a block.
    struct Entry {
        let name: String
        let value: String
        var isEnabled = true
        var description: String?
        var line = 0
    }

    /// A block: `name { … }` or `name [ … ]`.
    struct Block {
        let name: String
        let lines: [String]
        let line: Int
        let isList: Bool

        /// The text of the block without its indentation.
        var text: String {
            lines.map {
                $0.hasPrefix("  ")
                    ? String($0.dropFirst(2)) : $0.hasPrefix("\t") ? String($0.dropFirst()) : $0
            }
            .joined(separator: "\n")
        }
    }

    private(set) var blocks: [Block] = []
    /// Lines outside of blocks.
    private(set) var others: [(text: String, line: Int)] = []

    init(_ text: String) {
        let lines = SourceText.lines(text)
        var index = 0
        while index < lines.count {
            let line = lines[index].trimmingBlanks
            index += 1
            guard !line.isEmpty else { continue }
            let start = index
            guard let open = line.last, open == "{" || open == "[", !lines[index - 1].hasPrefix(" ")
            else {
                if line.hasSuffix("{}") || line.hasSuffix("[]") { continue }
                others.append((line, index))
                continue
            }
            let close: Character = open == "{" ? "}" : "]"
            var content: [String] = []
            var isClosed = false
            while index < lines.count, !isClosed, !Self.beginsBlock(lines[index]) {
                isClosed = lines[index].first == close && lines[index].trimmingBlanks.count == 1
                if !isClosed { content.append(lines[index]) }
                index += 1
            }
            // What is never closed ends before the next block, which is not lost with it.
            if !isClosed { others.append(("\(line) (never closed)", start)) }
            blocks.append(
                Block(
                    name: line.dropLast().trimmingBlanks,
                    lines: content,
                    line: start,
                    isList: open == "["
                )
            )
        }
    }

    private static let blockNames: Set<Substring> = [
        "meta", "get", "post", "put", "patch", "delete", "head", "options", "trace", "connect",
        "http", "grpc", "ws", "params", "headers", "metadata", "auth", "body", "vars",
        "assert", "script", "tests", "docs", "settings", "example",
    ]

    /// Whether a line begins a block, which none does within another: it is not indented.
    private static func beginsBlock(_ line: String) -> Bool {
        guard line.hasSuffix(" {") || line.hasSuffix(" [") else { return false }
        return blockNames.contains(line.dropLast(2).prefix { $0 != ":" })
    }

    /// The block of a name; nil if there is none.
    func block(_ name: String) -> Block? { blocks.first { $0.name == name } }

    /// The entries of a block; empty without it.
    func entries(_ name: String) -> [Entry] { block(name)?.entries ?? [] }

    /// The text of a block; nil without it, or if it is empty.
    func text(_ name: String) -> String? {
        guard let text = block(name)?.text, !text.trimmingBlanks.isEmpty else { return nil }
        return text
    }

    /// The value of a name in a block; nil if it has none.
    func value(_ name: String, in block: String) -> String? {
        entries(block).first { $0.name == name && $0.isEnabled }?.value
    }
}

extension BruText.Block {
    var entries: [BruText.Entry] {
        if isList {
            return lines.flatMap { $0.split(separator: ",") }.map(\.trimmingBlanks).filter {
                !$0.isEmpty
            }.map { name in
                name.hasPrefix("~")
                    ? BruText.Entry(name: String(name.dropFirst()), value: "", isEnabled: false)
                    : BruText.Entry(name: name, value: "")
            }
        }
        var entries: [BruText.Entry] = []
        var description: String?
        var index = 0
        while index < lines.count {
            var text = lines[index].trimmingBlanks
            let number = line + index + 1
            index += 1
            guard !text.isEmpty else { continue }
            if text.hasPrefix("@"), !text.contains(":") || text.hasPrefix("@description") {
                if text.hasPrefix("@description(") {
                    while text.ranges(of: "'''").count == 1, index < lines.count {
                        text += "\n" + lines[index].trimmingBlanks
                        index += 1
                    }
                    description =
                        text.dropFirst(13).trimmingBlanks.filter { !"\"')".contains($0) }
                        .trimmingBlanks
                }
                continue
            }
            var isEnabled = true
            if text.hasPrefix("~") {
                isEnabled = false
                text = String(text.dropFirst())
            }
            if text.hasPrefix("@") { text = String(text.dropFirst()) }
            var name: String
            var rest: String
            if text.hasPrefix("\""), let close = text.dropFirst().firstIndex(of: "\"") {
                name = String(text[..<close].dropFirst())
                rest = String(text[close...].dropFirst()).trimmingBlanks
                guard rest.hasPrefix(":") else { continue }
                rest = String(rest.dropFirst()).trimmingBlanks
            } else if let colon = Self.colon(text) {
                name = text[..<colon].trimmingBlanks
                rest = String(text[colon...].dropFirst()).trimmingBlanks
            } else {
                (name, rest) = (text, "")
            }
            if rest.hasPrefix("'''") {
                var content: [String] = []
                let first = String(rest.dropFirst(3))
                if let end = first.firstRange(of: "'''") {
                    content = [String(first[..<end.lowerBound])]
                } else {
                    if !first.isEmpty { content.append(first) }
                    while index < lines.count {
                        let next = lines[index]
                        index += 1
                        if let end = next.firstRange(of: "'''") {
                            let last = next[..<end.lowerBound].trimmingBlanks
                            if !last.isEmpty { content.append(last) }
                            break
                        }
                        content.append(
                            next.hasPrefix("    ") ? String(next.dropFirst(4)) : next.trimmingBlanks
                        )
                    }
                }
                rest = content.joined(separator: "\n")
            }
            entries.append(
                BruText.Entry(
                    name: name,
                    value: rest,
                    isEnabled: isEnabled,
                    description: description,
                    line: number
                )
            )
            description = nil
        }
        return entries
    }

    /// The colon after a name; one in `{{ … }}` is part of it.
    private static func colon(_ text: String) -> String.Index? {
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case "{": depth += 1
            case "}": depth -= 1
            case ":" where depth <= 0: return index
            default: break
            }
        }
        return nil
    }
}
