import Apus
import Explorer
import Foundation
import HTTPTypes

/// The screen needs a terminal: its code is compiled, and says that there is none.
struct ExploringTargetsArticle {
    //> enum Shop
    //> @MainActor\nfunc explore()
    //> @MainActor\nfunc exploreMore()

    static func run() async throws {
        guard isatty(STDOUT_FILENO) == 0 || isatty(STDIN_FILENO) == 0 else { return }
        do {
            try await ExploringTargetsArticle().explore()
            check(false, "there is no terminal")
        } catch let error as ExplorerError {
            check("\(error)".contains("not a terminal"))
        }
    }
}
