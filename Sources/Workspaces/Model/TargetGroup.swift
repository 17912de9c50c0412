/// Targets and groups under one name, in the file's order.
package struct TargetGroup: Sendable {
    /// The names of the groups around it and its own, joined by `/`.
    package let id: String
    /// Its name.
    package let name: String
    /// What is in it.
    package let items: [TreeItem]
}
