import Apus
import Documents
import Terminal

/// The state of a workspace that the next start restores.
struct KeptState: Equatable, Sendable {
    var environment: String?
    /// The line of the list under the cursor.
    var selected: CatalogID?
    /// The folded groups.
    var folded: Set<CatalogID> = []
    var sizes = PaneSizes()
}

// MARK: In a file

extension KeptState {
    /// Files of other versions are ignored.
    private static let version = 1
    private static let sizeLimit = 1 << 20

    /// The file with the state of a workspace; `source` is the workspace's path, or its name if it has no path.
    static func path(of source: String, in folder: String) -> String {
        "\(folder)/workspaces/\(ContentDigest.hex(of: source).prefix(32)).json"
    }

    /// Reads a file; nil if it is missing or has other content.
    static func read(_ path: String) -> KeptState? {
        // A file that cannot be read must not prevent the start.
        guard let bytes = try? PrivateFiles.readFile(path, upTo: sizeLimit, isOurs: true),
            let json = try? JSON(parsing: bytes), json["version"].int == version
        else { return nil }
        var state = KeptState()
        state.environment = json["environment"].string
        state.selected = json["selected"].string.map { CatalogID($0) }
        state.folded = Set(json["folded"].elements.compactMap { $0.string.map { CatalogID($0) } })
        let sizes = json["sizes"]
        func size(_ name: String) -> Int? {
            // The layout limits it further.
            sizes[name].int.flatMap { 0...10_000 ~= $0 ? $0 : nil }
        }
        state.sizes = PaneSizes(
            targets: size("targets"),
            session: size("session"),
            request: size("request"),
            cache: size("cache")
        )
        return state
    }

    /// Writes the state to a file in one step; if two explorers run, the last to write wins.
    func write(_ path: String) throws(PrivateFileError) {
        var sizes: [(key: String, value: JSON)] = []
        func append(_ name: String, _ size: Int?) {
            if let size { sizes.append((name, JSON(size))) }
        }
        append("targets", self.sizes.targets)
        append("session", self.sizes.session)
        append("request", self.sizes.request)
        append("cache", self.sizes.cache)
        var members: [(key: String, value: JSON)] = [("version", JSON(Self.version))]
        if let environment { members.append(("environment", JSON(environment))) }
        if let selected { members.append(("selected", JSON(selected.description))) }
        let names = folded.map(\.description).sorted()
        members.append(("folded", JSON(names.map { JSON($0) })))
        members.append(("sizes", JSON(members: sizes)))
        let text = JSON(members: members).text(.minified) ?? "{}"
        guard text.utf8.count < Self.sizeLimit else { return }
        try PrivateFiles.replace(path, with: Array("\(text)\n".utf8))
    }
}

// MARK: In the model

extension Model {
    /// Has the state written if it has changed.
    mutating func keepState() -> [Effect] {
        guard let kept = keptState, workspace.catalog != nil else { return [] }
        let state = KeptState(
            environment: workspace.environmentName,
            selected: targets.selected?.id,
            folded: targets.folded,
            sizes: panes.sizes
        )
        guard state != kept else { return [] }
        keptState = state
        return [.keepState(state)]
    }

    /// Sets the first catalog's list and environment as they were when the program last ended.
    mutating func restoreState(in catalog: Catalog) {
        guard let kept = keptState else { return targets.arrange(catalog) }
        panes.sizes = kept.sizes
        if let name = kept.environment,
            let index = catalog.environments.firstIndex(of: name)
        {
            workspace.environment = index
        }
        targets.restore(kept.folded, selecting: kept.selected, in: catalog)
    }
}
