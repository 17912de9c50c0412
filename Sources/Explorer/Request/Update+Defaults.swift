import Terminal
import TreeView
import Workspaces

/// Sending a request with the workspace's defaults, or as it stands.
extension Model {
    /// What the workspace would add to the selected target, as its request says; empty if nothing.
    var leftOutOfSelected: [String] {
        guard let id = targets.selected?.id, case .success(let resolved)? = view(of: id)?.request
        else {
            return []
        }
        return resolved.leftOut
    }

    /// Whether the selected target was pasted and now takes the workspace's defaults.
    var hasTakenDefaults: Bool {
        guard let id = targets.selected?.id else { return false }
        return request.edited.pasted.contains { $0.target.id == id && $0.draft.takesDefaults }
    }

    /// Has the selected target take the defaults of the workspace and its environment, or go without them.
    mutating func toggleDefaults() -> [Effect] {
        guard let id = targets.selected?.id,
            case .target(let target)? = workspace.catalog?.nodes.node(with: id)
        else { return say("select a target first") }
        if let index = request.edited.pasted.firstIndex(where: { $0.target.id == id }) {
            return toggleDefaults(ofPasted: index)
        }
        let known = request.edited[id]
        let base = known?.base ?? target
        guard let draft = try? workspace.catalog?.source.draft(of: base, in: workspace.environment),
            draft.options.contains(where: { $0.name == TargetDraft.defaultsOption })
        else { return say("the program builds this request: it has no defaults of a workspace") }
        var edited = known ?? EditedRequest(base: base, draft, environment: workspace.environment)
        let takes = edited.edits.draft.takesDefaults
        edited.edits.setTakesDefaults(!takes)
        request.edited[id] = edited
        sayDefaults(taken: !takes)
        return applyEdits(of: id)
    }

    private mutating func toggleDefaults(ofPasted index: Int) -> [Effect] {
        guard let catalog = workspace.catalog else { return [] }
        var pasted = request.edited.pasted[index]
        pasted.draft.takesDefaults.toggle()
        request.edited.pasted[index] = pasted
        sayDefaults(taken: pasted.draft.takesDefaults)
        return [.request(.make(name: pasted.name, pasted.draft, catalog.source))]
    }

    private mutating func sayDefaults(taken: Bool) {
        let names = leftOutOfSelected.joined(separator: ", ")
        let key = keys.hint(for: .takeDefaults, in: [.explorer])?.key ?? ":"
        say(
            taken
                ? "from now on with the workspace's \(names.isEmpty ? "defaults" : names); \(key) leaves them out"
                : "from now on as it stands; \(key) adds the workspace's defaults"
        )
    }
}

extension RequestEdits {
    /// Sets or removes the option that leaves the workspace's defaults out.
    mutating func setTakesDefaults(_ takes: Bool) {
        let index = self[.options].firstIndex { $0.shown.name == TargetDraft.defaultsOption }
        guard let index else { return }
        if takes {
            remove(at: index, of: .options)
        } else {
            set(TargetDraft.defaultsOption, "none", at: index, of: .options)
        }
    }
}
