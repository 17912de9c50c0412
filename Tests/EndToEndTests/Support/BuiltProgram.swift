import FoundationEssentials
import Glibc

/// The `apus` that these stories are about.
enum BuiltProgram {
    /// `APUS_BINARY`, or the program beside the tests that run.
    static let path = getenv("APUS_BINARY").map { String(cString: $0) } ?? "\(folder)/apus"

    /// The example of a program that opens the explorer on its own targets; there is none of the release.
    static let example = "\(folder)/ExplorerExample"

    private static let folder: String = {
        // Without /proc there are no stories; the empty path then fails each by name.
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return (tests ?? "").split(separator: "/").dropLast().map { "/" + $0 }.joined()
    }()
}
