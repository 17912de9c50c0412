import Documents

/// Looks up the targets that batches and chains name.
struct ReferenceLinker {
    private var targets: [String: TargetDefinition]
    /// The ids of all targets, in the order of the files.
    private let names: [String]
    private let isWhole: Bool
    private let log: ProblemLog

    /// Unless the tree `isWhole`, a target that it lacks may be in what could not be read, and is not reported.
    init(tree: [TreeItem], isWhole: Bool, log: ProblemLog) {
        let all = tree.flatMap(\.targets)
        names = all.map(\.id.rawValue)
        targets = Dictionary(
            all.map { ($0.id.rawValue, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        self.isWhole = isWhole
        self.log = log
    }

    /// The tree with what each target is `like` looked up; what is not there, or leads back to itself, is logged.
    mutating func link(_ tree: [TreeItem]) -> [TreeItem] {
        guard targets.values.contains(where: { $0.like != nil }) else { return tree }
        for name in names { linkBase(of: name, []) }
        return relinked(tree)
    }

    /// Logs the targets that variables name and that are not there.
    func check(_ referred: ReferredTargets) {
        for (name, span) in referred.all where isWhole && targets[name] == nil {
            report(name, span)
        }
    }

    private mutating func linkBase(of name: String, _ path: [String]) {
        guard let target = targets[name], let like = target.like, target.base == nil else { return }
        guard !path.contains(name), path.count < 64 else {
            let circle = (path.drop { $0 != name } + [name]).joined(separator: " → ")
            return log.add(like.span, "`\(name)` is like itself: \(circle)")
        }
        guard targets[like.name] != nil else {
            if isWhole { report(like.name, like.span) }
            return
        }
        linkBase(of: like.name, path + [name])
        if let base = targets[like.name] { targets[name] = target.like(base) }
    }

    private func relinked(_ items: [TreeItem]) -> [TreeItem] {
        items.map { item in
            switch item {
            case .target(let target): return .target(targets[target.id.rawValue] ?? target)
            case .group(let group):
                var linked = TargetGroup(
                    id: group.id,
                    name: group.name,
                    items: relinked(group.items)
                )
                (linked.defaults, linked.note) = (group.defaults, group.note)
                return .group(linked)
            }
        }
    }

    func link(_ draft: UnlinkedBatch) -> BatchDefinition {
        let entries = draft.entries.compactMap { entry in
            target(entry.target).map {
                BatchDefinition.Entry(
                    target: $0,
                    repeatCount: entry.repeatCount,
                    values: entry.values
                )
            }
        }
        return BatchDefinition(
            name: draft.name,
            summary: draft.summary,
            concurrency: draft.concurrency,
            rate: draft.rate,
            mode: draft.mode,
            source: draft.source,
            expectations: draft.expectations,
            location: draft.location,
            entries: entries
        )
    }

    func link(_ draft: UnlinkedChain) -> ChainDefinition {
        let steps = draft.steps.enumerated().map { index, step in
            ChainStepDefinition(
                name: step.name,
                target: target(step.target) ?? unknown(step),
                needs: draft.needs(of: index),
                join: step.join,
                condition: step.condition?.test,
                forEach: step.forEach?.each,
                captures: step.captures,
                span: step.span,
                values: step.values,
                expectations: step.expectations
            )
        }
        return ChainDefinition(
            name: draft.name,
            summary: draft.summary,
            source: draft.source,
            steps: steps,
            location: draft.location
        )
    }

    /// Stands for a target that is unknown, which is logged, so that its step keeps its captures.
    private func unknown(_ step: UnlinkedChain.Step) -> TargetDefinition {
        let node = YAMLNode(content: .scalar("", isPlain: true), span: step.span)
        let line = TargetDecoder.unreadable(node)
        return TargetDefinition(
            id: TargetID(step.name),
            name: step.name,
            summary: nil,
            method: line.method,
            span: step.span,
            path: line.path,
            settings: RequestSettings(),
            body: .none,
            download: nil
        )
    }

    private func target(_ reference: TargetReference) -> TargetDefinition? {
        switch reference {
        case .inline(let target): return target
        case .named(let name, let span):
            if let target = targets[name] { return target }
            if isWhole { report(name, span) }
            return nil
        }
    }

    private func report(_ name: String, _ span: Span) {
        guard !log.isFull else { return log.cut() }
        let inGroup = names.filter { $0.hasPrefix("\(name)/") }
        guard inGroup.isEmpty else {
            return log.add(
                span,
                "`\(name)` is a group, not a target",
                expected: Self.list(inGroup)
            )
        }
        let sameName = targets.keys.filter { $0.hasSuffix("/\(name)") }.min()
        let hint =
            sameName.map { "did you mean `\($0)`?" }
            ?? Suggestion.hint(for: name, among: targets.keys)
        log.add(
            span,
            "unknown target `\(name)`",
            expected: hint == nil ? "\(Self.list(names)), or `METHOD path`" : nil,
            hint: hint
        )
    }

    /// The first of some names.
    private static func list(_ names: [String]) -> String {
        let first = names.prefix(6).map { "`\($0)`" }.joined(separator: ", ")
        let rest = names.count > 6 ? " and \(names.count - 6) more" : ""
        return names.isEmpty ? "`Group/Target`" : "one of \(first)\(rest)"
    }
}

/// A target that a batch or a step refers to: by name, or written in place.
enum TargetReference {
    case named(String, Span)
    case inline(TargetDefinition)

    /// Reads a reference; `id` is that of a target that is written in place.
    init?(_ node: YAMLNode, id: String, _ log: ProblemLog) {
        switch node.content {
        case .scalar(let text, _) where !node.isNull && !TargetDecoder.isRequestLine(text):
            self = .named(text, node.span)
        case .sequence:
            log.add(node.span, "a target cannot be a list", expected: "a target's name")
            return nil
        default:
            var name = id
            if case .scalar(let text, _) = node.content { name = text }
            let target = TargetDecoder(log: log).target(node, name: name, id: id, span: node.span)
            guard let target else { return nil }
            self = .inline(target)
        }
    }
}
