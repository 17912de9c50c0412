import FoundationEssentials
import Testing

@Suite("Articles")
struct PublicTypeTests {
    @Test(
        "every public type is named in an article of its module",
        arguments: ["Apus", "ApusReactive", "Documents", "Explorer", "Recordings", "TreeView"]
    )
    func named(_ module: String) throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let sources = try texts(in: "\(root)/Sources/\(module)", endingWith: ".swift")
        let articles = try texts(in: "\(root)/Sources/\(module)/\(module).docc", endingWith: ".md")
        let words = Set(
            articles.flatMap { $0.split { !($0.isLetter || $0.isNumber || $0 == "_") } }
        )
        let declaration =
            /(?m)^public (?:final |indirect )*(?:struct|enum|class|actor|protocol|typealias) (\w+)/
        let types = sources.flatMap { $0.matches(of: declaration).map(\.1) }
        #expect(types.count >= 5)
        #expect(types.filter { !words.contains($0) } == [])
    }

    private func texts(in folder: String, endingWith ending: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(ending) }
            .map { try String(contentsOf: URL(filePath: "\(folder)/\($0)"), encoding: .utf8) }
    }
}
