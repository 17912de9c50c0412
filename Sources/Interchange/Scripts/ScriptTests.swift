import Workspaces

/// The tests in scripts that handle responses: `test("it is there", () => { … })`, `client.test(…)`.
enum ScriptTests {
    /// Their names as a paragraph of a note, which says what is expected; nil if there is none.
    static func note(of scripts: [String]) -> String? {
        let names = scripts.flatMap { script -> [String] in
            let tokens = ScriptTokens(script).tokens
            return tokens.indices.dropLast(2).compactMap { index in
                guard tokens[index].isName("test"), tokens[index + 1].isSign("("),
                    case .text(let name) = tokens[index + 2].kind
                else { return nil }
                return name.inOneLine
            }
        }
        guard !names.isEmpty else { return nil }
        return "Its tests:\n\n" + names.map { "- \($0)" }.joined(separator: "\n")
    }
}
