/// The names that a template may use, in layers; the first layer that has a name wins.
struct Scope: Sendable {
    enum Binding: Sendable {
        case value(ResolvedValue)
        case variable(Variable)
    }

    private(set) var layers: [[String: Binding]]

    init(_ layers: [[String: Binding]]) {
        self.layers = layers
    }

    init(given: [String: String], workspace: [Variable], environment: [Variable]) {
        self.init([
            Self.layer(environment), Self.layer(workspace),
            given.mapValues { .value(ResolvedValue(.string($0))) },
        ])
    }

    subscript(name: String) -> Binding? {
        for layer in layers {
            if let binding = layer[name] { return binding }
        }
        return nil
    }

    /// All names, sorted.
    var names: [String] { Set(layers.flatMap(\.keys)).sorted() }

    /// The scope with these values over all others.
    func overlaid(with values: [String: ResolvedValue]) -> Scope {
        values.isEmpty ? self : Scope([values.mapValues { .value($0) }] + layers)
    }

    private static func layer(_ variables: [Variable]) -> [String: Binding] {
        Dictionary(
            variables.map { ($0.name, .variable($0)) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
