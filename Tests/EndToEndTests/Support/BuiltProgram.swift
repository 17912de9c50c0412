import FoundationEssentials
import Glibc

/// The `apus` that these stories are about.
enum BuiltProgram {
    /// `APUS_BINARY`, or the program beside the tests that run.
    static let path: String = {
        if let given = getenv("APUS_BINARY") { return String(cString: given) }
        // Without /proc there are no stories; the empty path then fails each by name.
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return (tests ?? "").split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/apus"
    }()
}
