import Terminal
import TreeView
import Workspaces

/// A workspace without a file, and requests without a text: what is there from the start.
extension Model {
    // MARK: The file

    /// Makes the file of a workspace that has none, for what is to be written; asks for its name.
    mutating func makeFile(_ file: CatalogNewFile, for use: LinePrompt.FileUse) -> [Effect] {
        guard file.isNamed else {
            layers.prompt = LinePrompt(
                purpose: .newFile(use),
                field: TextField(file.name, placeholder: "name.apus.yaml", limit: 1024)
            )
            return []
        }
        return makeFile(named: file.name, for: use)
    }

    mutating func makeFile(
        named typed: String,
        for use: LinePrompt.FileUse
    ) -> [Effect] {
        let name = CatalogNewFile.fileName(typed)
        guard !name.isEmpty, let source = workspace.catalog?.source else { return [] }
        switch use {
        case .save, .change, .importing: request.edited.namedFile = name
        case .edit, .keep: break
        }
        return [.request(.makeFile(source, name: name, use))]
    }

    /// Opens the file that was made, now that it is read.
    mutating func openMadeFile() -> [Effect] {
        guard let file = request.edited.openedFile else { return [] }
        request.edited.openedFile = nil
        let place = selectedPlace ?? FilePlace(file: file, line: 1)
        return [.session(.run(workspace.editor.arguments(for: place)))]
    }

    // MARK: A new request

    /// Asks for the method and the URL of a new request.
    mutating func startRequest() {
        guard let catalog = workspace.catalog else {
            say("no request can be added to \(workspace.sourceName)")
            return
        }
        layers.prompt = LinePrompt(
            purpose: .newRequest,
            field: TextField(
                catalog.hasPaths ? "GET /" : "GET https://",
                placeholder: "GET https://example.com/users"
            )
        )
    }

    /// Adds the request that was typed as a method and a URL; sends it, or opens it to be edited first.
    mutating func addRequest(
        _ typed: String,
        _ prompt: LinePrompt,
        isSent: Bool
    ) -> [Effect] {
        let text = typed.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard let catalog = workspace.catalog, !text.isEmpty else { return [] }
        var line = RequestEdits(TargetDraft(method: "GET", url: ""))
        line.accept(RequestField(.request), name: "", value: Self.withoutOfferedStart(text))
        let isPath = line.url.hasPrefix("/") || line.url.hasPrefix("{{")
        let url = isPath || line.url.isEmpty ? line.url : RequestText.withScheme(line.url)
        guard !url.isEmpty, !url.hasSuffix("://") else {
            let example = "a request needs a method and a URL, as in GET https://example.com/"
            return ask(again: prompt, example)
        }
        if !isPath, !url.contains("{{"), let fault = URLFault.words(for: url) {
            return ask(again: prompt, fault)
        }
        var draft = TargetDraft(method: line.method, url: "")
        draft.takeURL(url)
        request.edited.pasting = .init(isSent: isSent, isTyped: true)
        return [.request(.begin(draft, catalog))]
    }

    /// Drops the start that the prompt offers, if what was typed or pasted after it has its own:
    /// `GET https://http://h/`, `GET /POST /users`.
    private static func withoutOfferedStart(_ text: String) -> String {
        for start in ["GET https://", "GET /"] where text.hasPrefix(start) {
            let rest = text.dropFirst(start.count)
            let head = rest.prefix { !"/?#".contains($0) }
            let word = head.prefix { $0 != " " }
            if word.count < head.count, word.allSatisfy(\.isUppercase) { return String(rest) }
            if head.hasSuffix(":"), rest[head.endIndex...].hasPrefix("//") { return "GET \(rest)" }
        }
        return text
    }
}

extension Catalog {
    /// The groups of targets by their paths, in order; not those of batches and chains.
    var targetGroups: [String] { Self.groups(in: nodes, path: "") }

    private static func groups(in nodes: [CatalogNode], path: String) -> [String] {
        nodes.flatMap { node -> [String] in
            guard case .group(let name, let children) = node else { return [] }
            let isOfTargets = !children.contains { child in
                switch child {
                case .batch, .chain: true
                case .group, .target: false
                }
            }
            guard isOfTargets else { return [] }
            return ["\(path)\(name)"] + groups(in: children, path: "\(path)\(name)/")
        }
    }

    /// Whether a target has a path rather than a whole URL, so that there is a base URL.
    var hasPaths: Bool { Self.hasPath(nodes) }

    private static func hasPath(_ nodes: [CatalogNode]) -> Bool {
        nodes.contains { node in
            switch node {
            case .group(_, let children): hasPath(children)
            case .target(let target): target.path.hasPrefix("/")
            case .batch, .chain: false
            }
        }
    }
}
