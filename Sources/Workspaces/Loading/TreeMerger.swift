/// Puts the targets of several files together: groups of one name become one.
struct TreeMerger {
    let log: ProblemLog

    /// Puts the items of all files together, in the order of the files.
    ///
    /// All at once: to put one file after the other into a growing tree takes the square of their
    /// number.
    func merge(_ items: [TreeItem]) -> [TreeItem] {
        var result: [TreeItem] = []
        var places: [String: Int] = [:]
        /// What all groups of a name have, by the group's place.
        var parts: [Int: [TreeItem]] = [:]
        for item in items {
            guard let index = places[name(of: item)] else {
                places[name(of: item)] = result.count
                result.append(item)
                continue
            }
            switch (result[index], item) {
            case (.group(let old), .group(let new)):
                parts[index, default: old.items] += new.items
            default: report(item, besides: result[index])
            }
        }
        for (index, items) in parts.sorted(by: { $0.key < $1.key }) {
            guard case .group(let group) = result[index] else { continue }
            result[index] = .group(
                TargetGroup(id: group.id, name: group.name, items: merge(items))
            )
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
