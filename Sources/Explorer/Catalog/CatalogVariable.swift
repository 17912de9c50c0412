/// A variable that `{{ name }}` in a request can use, in one environment.
public struct CatalogVariable: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its value, for the screen; nil if it is a secret or not known yet.
    public var value: String?
    /// Whether its value must not be shown.
    public var isSecret: Bool

    /// Makes a variable.
    public init(name: String, value: String?, isSecret: Bool = false) {
        self.name = name
        self.value = isSecret ? nil : value
        self.isSecret = isSecret
    }
}

/// A value that a request needs and nothing provides: a variable, or a secret whose source is empty.
public struct MissingValue: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Whether it must not be shown or recorded.
    public var isSecret: Bool

    /// Makes a missing value.
    public init(name: String, isSecret: Bool) {
        self.name = name
        self.isSecret = isSecret
    }
}
