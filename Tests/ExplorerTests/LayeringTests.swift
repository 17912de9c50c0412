import FoundationEssentials
import Testing

@Suite("The explorer's layers")
struct LayeringTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Explorer")

    @Test(
        "what has no screen names no type of one",
        arguments: ["Keys", "Model", "Document", "Catalog", "Layout", "Update", "Effects"]
    )
    func namesNoView(folder: String) throws {
        let views = try Set(
            Self.texts(in: "Screens").flatMap { text in
                text.matches(of: #/(?m)^(?:struct|enum|class|final class) (\w+)/#)
                    .map { String($0.1) }
            }
        )
        #expect(views.count > 20)
        for text in try Self.texts(in: folder) {
            let code = text.replacing(#/(?m)//.*$/#, with: "")
            let named = Set(code.matches(of: #/\w+/#).map { String($0.0) })
            #expect(named.isDisjoint(with: views), "\(named.intersection(views).sorted())")
        }
    }

    private static func texts(in folder: String) throws -> [String] {
        let path = root.appending(path: folder).path
        return try FileManager.default.subpathsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(".swift") }
            .map {
                String(
                    decoding: try Data(contentsOf: URL(filePath: "\(path)/\($0)")),
                    as: UTF8.self
                )
            }
    }
}
