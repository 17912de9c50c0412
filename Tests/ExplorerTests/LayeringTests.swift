import FoundationEssentials
import Testing
import TreeView

@testable import Explorer

@Suite("The explorer's layers")
struct LayeringTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Explorer").path

    /// The texts of the module's files by path; the program itself, in `App`, names everything.
    private static func texts() throws -> [String: String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root)
            .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("App/") }
        return try Dictionary(
            uniqueKeysWithValues: paths.map { path in
                let data = try Data(contentsOf: URL(filePath: "\(root)/\(path)"))
                return (path, String(decoding: data, as: UTF8.self))
            }
        )
    }

    @Test("a file that draws nothing names no type of a file that draws")
    func namesNoView() throws {
        let texts = try Self.texts()
        let drawing = texts.filter { $0.value.contains("inout Grid") }
        let views = Set(
            drawing.values.flatMap { text in
                text.matches(of: #/(?m)^(?:struct|enum|class|final class) (\w+)/#)
                    .map { String($0.1) }
            }
        )
        #expect(drawing.count > 20 && views.count > 20)
        for (path, text) in texts where drawing[path] == nil {
            let code = text.replacing(#/(?m)//.*$/#, with: "")
            let named = Set(code.matches(of: #/\w+/#).map { String($0.0) })
            #expect(
                named.isDisjoint(with: views),
                "\(path): \(named.intersection(views).sorted())"
            )
        }
    }

    @Test("every action has a key")
    func bindsActions() throws {
        let names = try ["Explorer/Keys/Action+Explorer.swift", "TreeView/Keys/Action.swift"]
            .flatMap { name in
                let file = URL(filePath: "\(Self.root)/../\(name)")
                return String(decoding: try Data(contentsOf: file), as: UTF8.self)
                    .matches(of: #/static let \w+ = Action\("(\w+)"\)/#).map { String($0.1) }
            }
        #expect(names.count > 100)
        let bound = Set(KeyTable.explorer.bindings.map(\.action.description))
        #expect(bound == Set(names))
    }
}
