extension JSONAbsence: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch reason {
        case .notAnObject: "\(path) is not there: the value around it is no object"
        case .notAnArray: "\(path) is not there: the value around it is no array"
        case .noSuchMember: "\(path) is not there: the object has no such member"
        case .indexOutOfRange: "\(path) is not there: the array is shorter"
        case .nothingMatches: "\(path) is not there: nothing matches this query"
        }
    }
}
