import Terminal
import Workspaces

@testable import Explorer

/// The situations in which a workspace is made and changed on the screen.
extension Model {
    /// Shows a workspace of a text, with what some keys do.
    mutating func showWorkspace(_ text: String, keys: String, _ typed: String = "") {
        let file = NewWorkspaceFile(path: "shop.apus.yaml", isNamed: true)
        guard
            let workspace = try? Workspace.new(
                text: text,
                file: "shop.apus.yaml",
                secrets: SecretReader(
                    environmentVariable: { _ in "s3cr3t-t0k3n" },
                    file: { _ in "" }
                )
            )
        else { return }
        var play = Play(size: size, catalog: Catalog(workspace, file: file))
        play.model.workspace.sourceName = "shop.apus.yaml"
        play.type(keys)
        play.write(typed)
        let now = clock.now
        self = play.model
        clock.now = now
    }

    static let changedWorkspace = """
        environments:
          base: { baseURL: "https://shop.example", variables: { user: 0 } }
          local:
            extends: base
            baseURL: http://127.0.0.1:8080
            variables: { user: 7 }
          live:
            extends: base
            danger: true
            variables: { user: 1, token: { env: SHOP_TOKEN } }
        variables:
          page: 1
          title: "Page {{ page }} of all the things that there are in the shop"
        targets:
          Users: { List: GET /users, Show: "GET /users/{{ user }}" }
          Items: { All: "GET /items?page={{ page }}" }

        """
}
