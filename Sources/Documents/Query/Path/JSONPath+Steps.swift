extension JSONPath {
    /// The names and places that it goes through; nil when it may find more than one value.
    ///
    /// A step of digits in a short path, which may be either, is a name.
    package var steps: [PathStep]? {
        var steps: [PathStep] = []
        for segment in segments {
            guard segment.isSingular || segment.isPlace, let selector = segment.selectors.first
            else { return nil }
            switch selector {
            case .name(let name): steps.append(.name(name.text))
            case .index(let index): steps.append(.index(index))
            case .wildcard, .slice, .filter: return nil
            }
        }
        return steps
    }
}
