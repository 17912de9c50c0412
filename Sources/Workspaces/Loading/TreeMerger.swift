/// Puts the targets of several files together: groups of one name become one.
struct TreeMerger {
    let log: ProblemLog

    func merge(_ items: [TreeItem], into tree: [TreeItem]) -> [TreeItem] {
        var result = tree
        var places = Dictionary(
            tree.enumerated().map { (name(of: $1), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        for item in items {
            guard let index = places[name(of: item)] else {
                places[name(of: item)] = result.count
                result.append(item)
                continue
            }
            switch (result[index], item) {
            case (.group(let old), .group(let new)):
                let items = merge(new.items, into: old.items)
                result[index] = .group(TargetGroup(id: old.id, name: old.name, items: items))
            default: report(item, besides: result[index])
            }
        }
        return result
    }

    private func report(_ item: TreeItem, besides old: TreeItem) {
        guard let target = item.targets.first, let first = old.targets.first else { return }
        log.add(target.span, "`\(name(of: item))` is already in \(first.span.location)")
    }

    private func name(of item: TreeItem) -> String {
        switch item {
        case .group(let group): group.name
        case .target(let target): target.name
        }
    }
}
