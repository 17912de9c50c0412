import Documents
import Workspaces

extension WorkspaceTarget {
    /// The target's name, method and URL, secrets masked, as a JSON object.
    var requestJSON: JSON {
        JSON(members: [
            ("target", JSON(id.rawValue)), ("method", JSON(display.method)),
            ("url", JSON(display.url)),
        ])
    }
}
