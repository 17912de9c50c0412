import FoundationEssentials
import TestSupport
import Testing

@Suite("What a target of Moya has left over")
struct MoyaLeftoversTests {
    private let folder = TemporaryFolder()

    /// The warnings and errors of the compiler about a file, as its user gets them.
    private func diagnostics(of text: String, mode: Int) throws -> [String] {
        let path = "\(folder.path)/left.swift"
        try TemporaryFolder.write(text.utf8, to: path)
        let tests = try #require((#filePath as String).firstRange(of: "/Tests/"))
        let root = (#filePath as String)[..<tests.lowerBound]
        let program = CommandLine.arguments[0]
        let products = program[..<(program.lastIndex(of: "/") ?? program.startIndex)]
        try Shell.run(
            """
            flags="-I \(products)/Modules"
            for map in $(find \(root)/Sources -name module.modulemap) \
            \(products)/C*.build/module.modulemap; do
                flags="$flags -Xcc -fmodule-map-file=$map"
            done
            for folder in \(root)/Sources/C*/include; do flags="$flags -Xcc -I$folder"; done
            swiftc -typecheck -diagnostic-style llvm -swift-version \(mode) $flags \(path) \
                >\(folder.path)/said 2>&1 || true
            """
        )
        let output = try #require(Temporary.text("\(folder.path)/said"))
        return output.split(separator: "\n").filter { $0.hasPrefix(path) }.map(String.init)
            .filter { $0.contains(": warning: ") || $0.contains(": error: ") }
    }

    @Test("the compiler lists it, and says what to write", arguments: [5, 6])
    func listed(mode: Int) throws {
        let found = try diagnostics(
            of: """
                import Apus
                import Foundation
                import HTTPTypes

                enum InExtension { case user }
                extension InExtension: TargetType {
                    var baseURL: URL { URL(filePath: "/") }
                    var path: String { "user" }
                    var headers: [String: String]? { ["Accept": "text/csv"] }
                    var sampleData: Data { Data() }
                    var validationType: ValidationType { .successCodes }
                }
                struct InType: TargetType {
                    var baseURL: URL { URL(filePath: "/") }
                    var path: String { "user" }
                    var headers: [String: String]?
                }
                """,
            mode: mode
        )
        func count(_ line: Int, _ words: String...) -> Int {
            found.count { text in
                text.contains("left.swift:\(line):") && words.allSatisfy { text.contains($0) }
            }
        }
        #expect(count(6, "`headers` is not read", "headerFields") == 1, "\(found)")
        #expect(count(6, "`sampleData` is not read", "StubResponse") == 1, "\(found)")
        #expect(count(6, "`validationType` is not read", "validation") == 1, "\(found)")
        #expect(count(11, "'ValidationType' is deprecated: renamed to 'Validation'") == 1)
        #expect(count(13, "`headers` is not read") == 1, "\(found)")
        #expect(found.count == 5 && !found.contains { $0.contains("error") }, "\(found)")
    }

    @Test("properties of the same names that are not Moya's are nobody's business")
    func ownProperties() throws {
        let found = try diagnostics(
            of: """
                import Apus
                import Foundation
                import HTTPTypes

                public struct Own: TargetType {
                    private let headers: HTTPFields = [:]
                    private var sampleData: [UInt8] { [] }
                    public var baseURL: URL { URL(filePath: "/") }
                    public var path: String { "user" }
                    public var headerFields: HTTPFields { headers }
                }
                struct Wrapper<Base: TargetType>: TargetWrapper {
                    var base: Base
                    var wrapped: any TargetType { base }
                }
                func all(_ target: some TargetType) -> [any TargetType] {
                    [target, Wrapper(base: target), MultiTarget(Own())]
                }
                """,
            mode: 6
        )
        #expect(found == [])
    }
}
