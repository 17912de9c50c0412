import Foundation
import PackagePlugin

/// Makes a source file of each page, see `Extract`.
@main
struct Snippets: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let package = context.package.directoryURL
        let root = package.appending(path: "../..").standardizedFileURL
        let output = context.pluginWorkDirectoryURL
        let files =
            [root.appending(path: "README.md")]
            + Self.files("md", in: root.appending(path: "Sources"))
            + Self.files("swift", in: package.appending(path: "Articles"))
        let isTests = target.name == "ArticleTests"
        let names = Set(files.map { $0.deletingPathExtension().lastPathComponent })
        return [
            .buildCommand(
                displayName: "Taking the code out of the articles",
                executable: try context.tool(named: "Extract").url,
                arguments: (isTests ? ["--tests"] : []) + [output.path] + files.map(\.path),
                inputFiles: files,
                outputFiles: names.sorted().map {
                    output.appending(path: "\($0)\(isTests ? "Tests" : "").swift")
                }
            )
        ]
    }

    private static func files(_ kind: String, in folder: URL) -> [URL] {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (all?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == kind }
            .sorted { $0.path < $1.path }
    }
}
