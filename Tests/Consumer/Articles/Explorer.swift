import Apus
import Foundation

struct ExplorerArticle {
    //> @MainActor\nfunc browse
    //> func catalog

    /// Shows nothing: that takes the terminal.
    static func run() {
        let catalog = ExplorerArticle().catalog()
        check(catalog.nodes.count == 2 && catalog.environments == ["staging"])
        guard case .group("Many", let nodes) = catalog.nodes.last,
            case .batch(let users) = nodes.first
        else { return check(false, "a batch") }
        check((try? users.resolve(0))?.titles.first == "users/ada")
    }
}
