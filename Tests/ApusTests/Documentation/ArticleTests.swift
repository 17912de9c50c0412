import FoundationEssentials
import Testing

/// The code of the articles is compiled: it stands, character for character but for blanks, in a
/// test of this folder or of another module's Documentation.
@Suite("Articles of the documentation")
struct ArticleTests {
    static let root: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        return parts.joined(separator: "/")
    }()

    static let articles =
        Temporary.names(in: root + "/Sources/Apus/Apus.docc").filter { $0.hasSuffix(".md") }
        .sorted()

    @Test("there are articles to check")
    func articlesAreThere() { #expect(Self.articles.count >= 12) }

    @Test("all code of an article is in a test", arguments: articles)
    func code(article: String) throws {
        let text = try Self.read("/Sources/Apus/Apus.docc/" + article)
        let tests = try Self.tests()
        for block in Self.blocks(of: text) {
            #expect(tests.contains(Self.squeezed(block)), "\(block)")
        }
    }

    private static func tests() throws -> String {
        var all = ""
        for module in ["Apus", "ApusReactive", "Recordings"] {
            let folder = "/Tests/\(module)Tests/Documentation"
            for name in Temporary.names(in: root + folder) { all += try read(folder + "/" + name) }
        }
        return squeezed(all)
    }

    private static func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: root + path)), as: UTF8.self)
    }

    /// What stands between ```swift and ```.
    private static func blocks(of text: String) -> [String] {
        var blocks: [String] = []
        var open: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```swift") {
                open = []
            } else if line.hasPrefix("```"), let lines = open {
                blocks.append(lines.joined(separator: "\n"))
                open = nil
            } else {
                open?.append(line)
            }
        }
        return blocks
    }

    /// Without blanks, and without the commas that the formatter adds at a line's end.
    private static func squeezed(_ text: String) -> String {
        text.filter { !$0.isWhitespace }.replacing(",)", with: ")").replacing(",]", with: "]")
    }
}
