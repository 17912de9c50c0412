import Interchange
import Workspaces

/// A workspace in a format of another program: no secret that it reads leaves, and the same workspace gives the same
/// bytes.
func fuzzExports(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let secret = "q7Zk~vault.19x"
    guard !text.contains(secret) else { return }
    let secrets = SecretReader(
        environmentVariable: { _ in secret },
        file: { (_: String) throws(Workspaces.FileReadError) -> String in secret }
    )
    guard
        let workspace = try? Workspace.parse(text: text, file: "a.apus.yaml", secrets: secrets),
        workspace.targets.count <= 8, workspace.environments.count <= 3,
        let environment = workspace.environments.first
    else { return }
    let named = NamedWorkspace(workspace: workspace, environment: environment.name)
    // One for an input, for all of them together take too long for a promise of a second.
    let exporter = Exporters.all[input.count % Exporters.all.count]
    let isCopied = input.count % 3 == 0
    let output = exported(named, exporter, isCopied)
    // `file('…')` is for texts that are no secrets, and shown.
    let shows = ["file", "cookie"].contains { text.contains($0) }
    for written in [output.text] + output.files.map(\.text) where !shows {
        expect(!written.contains(secret), "no secret leaves as \(exporter.name)")
    }
    for (_, loss) in output.losses {
        expect(!loss.reason.isEmpty, "why something is not carried over is said")
        expect(!loss.text.contains(secret) || shows, "a loss names no secret")
    }
    guard !["uuid", "now", "random"].contains(where: { text.contains($0) }) else { return }
    let again = exported(named, exporter, isCopied)
    expect(again.text == output.text, "the same workspace gives the same bytes")
}

private func exported(
    _ named: NamedWorkspace,
    _ exporter: any Exporter.Type,
    _ isCopied: Bool
) -> ExportOutput {
    let reader = ExportReader(
        named,
        keepsVariables: exporter.keepsVariables,
        copyingWith: isCopied ? ["OTHER": "another value"] : nil
    )
    let output = result {
        let first = isCopied ? named.workspace.targets.first : nil
        guard let first else { return exporter.export(await reader.read()) }
        return exporter.export(await reader.read(first))
    }
    return output ?? ExportOutput(text: "")
}
