extension MappingError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch reason {
        case .missing: "\(path) has no value"
        case .mismatch(let expected): "\(path) is no \(expected)"
        case .refused(let name): "\(path) was refused by \(name)"
        case .tooDeep: "\(path) lies deeper than a mapping goes"
        }
    }
}
