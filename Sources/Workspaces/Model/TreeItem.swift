/// A group or a target.
package indirect enum TreeItem: Sendable {
    /// A group.
    case group(TargetGroup)
    /// A target.
    case target(TargetDefinition)

    /// The targets in it, in order.
    var targets: [TargetDefinition] {
        switch self {
        case .group(let group): group.items.flatMap(\.targets)
        case .target(let target): [target]
        }
    }
}
