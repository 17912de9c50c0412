import Apus
import Secrets

/// Which targets have to be sent before which, to find those that would have to be sent before themselves.
struct SupplyGraph {
    private struct Edge {
        let target: TargetID
        let variable: String
        let span: Span
    }

    /// Far more than anybody needs; each takes a level of the stack.
    private static let maximumDepth = 256

    private var edges: [TargetID: [Edge]] = [:]

    /// Adds what a target needs, as it was filled in.
    mutating func add(_ resolved: WorkspaceTarget?) {
        guard let resolved, let needs = resolved.supply?.needs else { return }
        edges[resolved.id] = needs.compactMap { need in
            guard case .response(let origin) = need.key.origin else { return nil }
            return Edge(target: origin.target, variable: need.key.name, span: need.span)
        }
    }

    /// Logs each circle once.
    func check(_ log: ProblemLog) {
        var done: Set<TargetID> = []
        for start in edges.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            search(from: start, [], &done, log)
        }
    }

    private func search(
        from target: TargetID,
        _ path: [(target: TargetID, edge: Edge)],
        _ done: inout Set<TargetID>,
        _ log: ProblemLog
    ) {
        guard !done.contains(target), path.count < Self.maximumDepth else { return }
        if let start = path.firstIndex(where: { $0.target == target }) {
            return report(Array(path[start...]), log)
        }
        for edge in edges[target] ?? [] {
            search(from: edge.target, path + [(target, edge)], &done, log)
        }
        done.insert(target)
    }

    private func report(_ circle: [(target: TargetID, edge: Edge)], _ log: ProblemLog) {
        guard let last = circle.last else { return }
        let names = circle.map(\.target.rawValue) + [circle[0].target.rawValue]
        let variable = last.edge.variable
        log.add(
            last.edge.span,
            "`\(last.edge.target)` must be sent to get `\(variable)`, which it needs itself: "
                + names.joined(separator: " → "),
            hint:
                "if the target only inherits it, its own `auth` can be `none`"
        )
    }
}
