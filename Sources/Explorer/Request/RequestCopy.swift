import Apus
import FoundationEssentials
import Interchange
import Terminal
import TreeView
import Workspaces

/// A request that is copied for another program.
enum CopiedRequest: Sendable {
    /// A target of a workspace, with its edits.
    case ofWorkspace(ExportableTarget)
    /// A program's own target, and its name.
    case ofProgram(ResolvedTarget, name: String)
}

/// A format that a letter copies a request in.
struct CopyFormat {
    /// The letter; a capital copies secrets, too.
    let key: String
    let exporter: any Exporter.Type
    /// What the footer calls it.
    let title: String

    /// The formats with letters; `C` has all.
    static let all = [
        CopyFormat(key: "c", exporter: CurlExporter.self, title: "curl"),
        CopyFormat(key: "h", exporter: HTTPieExporter.self, title: "HTTPie"),
        CopyFormat(key: "r", exporter: HTTPMessageExporter.self, title: "HTTP"),
        CopyFormat(key: "s", exporter: SwiftExporter.self, title: "Swift"),
        CopyFormat(key: "p", exporter: PythonExporter.self, title: "Python"),
    ]
}

extension EffectRunner {
    /// Copies a request as `apus export` writes it, but as it would be sent now: with its cookies, and with the values
    /// that were supplied.
    func copy(_ request: CopiedRequest, as format: String, keepsSecrets: Bool) {
        guard let exporter = Exporters.named(format) else { return }
        copying?.cancel()
        copying = Task.detached { [mailbox, looking] in
            let result = await request.exported(for: exporter, keepsSecrets, by: looking)
            switch result {
            case .success(let exported):
                let output = exporter.export(exported)
                // A line end would make a shell run what is pasted.
                let text =
                    output.text.hasSuffix("\n") ? String(output.text.dropLast()) : output.text
                let about = Self.about(output, exported, exporter)
                mailbox.send(.history(.copied(text, what: "the request as \(about)")))
            case .failure(let fault):
                let notice = Notice(kind: .failure, text: "not copied: \(fault.description)")
                mailbox.send(.history(.notice(notice)))
            }
        }
    }

    /// What the notice says: the format, what must be set, and what is not there.
    private nonisolated static func about(
        _ output: ExportOutput,
        _ exported: ExportedWorkspace,
        _ exporter: any Exporter.Type
    ) -> String {
        var kinds: [String] = []
        for (_, loss) in output.losses where !kinds.contains(loss.kind) { kinds.append(loss.kind) }
        var words = exporter.name
        if exported.keepsSecrets { words += ", with its secrets" }
        let missing = exported.missingVariables(for: exporter)
        if !missing.isEmpty { words += "; to be set: \(missing.joined(separator: ", "))" }
        if !kinds.isEmpty { words += "; not carried over: \(kinds.joined(separator: ", "))" }
        return words
    }
}

extension CopiedRequest {
    /// The request for an exporter, or why there is none.
    fileprivate func exported(
        for exporter: any Exporter.Type,
        _ keepsSecrets: Bool,
        by provider: AnyProvider
    ) async -> Result<ExportedWorkspace, CatalogError> {
        let variables = ProcessInfo.processInfo.environment
        switch self {
        case .ofWorkspace(let target):
            let reader = ExportReader(
                target.workspace,
                keepsVariables: exporter.keepsVariables,
                keepsSecrets: keepsSecrets,
                copyingWith: variables
            )
            let exported = await reader.read(target.definition)
            guard let fault = exported.losses.first, exported.requests.isEmpty else {
                return .success(exported)
            }
            return .failure(CatalogError(fault.loss.reason))
        case .ofProgram(let resolved, let name):
            do throws(ApusError) {
                let request = try await provider.shownRequest(for: resolved)
                do throws(WorkspaceError) {
                    return .success(
                        try ExportReader.read(
                            request,
                            named: name,
                            keepsSecrets: keepsSecrets,
                            copyingWith: variables
                        )
                    )
                } catch {
                    return .failure(
                        CatalogError(error.problems.map(\.words).joined(separator: "; "))
                    )
                }
            } catch {
                return .failure(CatalogError(error.message.title))
            }
        }
    }
}
