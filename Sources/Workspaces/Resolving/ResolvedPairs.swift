import Apus

/// Names and values of a query or a form, and the same as they may be shown.
struct ResolvedPairs {
    private(set) var parameters: [Parameter] = []
    private(set) var shown: [(name: String, value: String)] = []

    mutating func append(_ name: String, _ value: String, shown: String) {
        parameters.append(Parameter(name, .string(value)))
        self.shown.append((name, shown))
    }

    /// The query as it is shown behind a path, which may have one already.
    func shown(after path: String) -> String {
        guard !shown.isEmpty else { return "" }
        let text = shown.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return (path.contains("?") ? "&" : "?") + text
    }
}
