/// The workspace that `apus init` writes.
package enum StarterWorkspace {
    /// The name of the schema's file.
    package static let schemaName = "workspace.schema.json"

    /// The first line of a workspace, by which editors find its schema.
    package static let modeline = "# yaml-language-server: $schema=\(schemaName)"

    /// The schema's path beside a workspace file.
    package static func schemaPath(beside file: String) -> String {
        TextFile.resolve(schemaName, besideFile: file)
    }

    /// Writes the schema beside a new workspace file whose first line names it, unless it is there.
    package static func writeSchema(beside file: String, of text: String) {
        guard text.hasPrefix(modeline) else { return }
        // Only editors need it, and the workspace itself is written.
        try? TextFile.create(schemaPath(beside: file), FormatSchema.text + "\n")
    }

    /// The file's text.
    package static func text(baseURL: String) -> String {
        """
        \(modeline)
        # `apus FILE` opens this, `apus check` says what is wrong in it, and `apus help workspace` explains every key.

        # What requests have in common: { timeout, headers, auth, cache … }
        defaults:
          timeout: 30 s

        # The places that they are sent to; `e` in the explorer goes to the next.
        environments:
          local: { baseURL: \(Value.string(baseURL).json) }
          # live: { baseURL: "https://api.example.com", danger: true, auth: { bearer: "{{ token }}" } }

        # Values for {{ name }}; a secret comes from the environment or a file.
        variables:
          id: 1
          # token: { env: API_TOKEN }

        # What can be sent, in groups if you like.
        targets:
          Home: GET /
          Items:
            List: { request: GET /items, query: { page: 1 } }
            Show: "GET /items/{{ id }}"
            Create: { request: POST /items, json: { name: first } }

        # Sent side by side: batches. One after another, each with what the last one said: chains.
        chains:
          Create and show:
            - { step: create, target: Items/Create, capture: { id: $.id } }
            - { step: show, target: Items/Show }

        """
    }
}
