import Apus

/// The names that a template may use, in layers; the first layer that has a name wins.
struct Scope: Sendable {
    enum Binding: Sendable {
        case value(ResolvedValue)
        case variable(Variable)
        /// A value captured from a response.
        case captured(Value, isCredential: Bool, ChainSecrets)
        /// A value captured from a response that is nested too deeply.
        case capturedTooDeep
    }

    enum Layer: Sendable {
        case table([String: Binding])
        /// Names that are looked up one by one, because a table of them would be long and mostly unused.
        case lookup(
            @Sendable (_ name: String) -> Binding?,
            names: @Sendable () -> [String]
        )

        init(_ values: [String: ResolvedValue]) { self = .table(values.mapValues { .value($0) }) }

        fileprivate subscript(name: String) -> Binding? {
            switch self {
            case .table(let bindings): bindings[name]
            case .lookup(let binding, _): binding(name)
            }
        }

        fileprivate var names: [String] {
            switch self {
            case .table(let bindings): Array(bindings.keys)
            case .lookup(_, let names): names()
            }
        }
    }

    private var layers: [Layer]

    init(given: [String: String], workspace: [Variable], environment: [Variable]) {
        layers = [
            Self.layer(environment), Self.layer(workspace),
            Layer(given.mapValues { ResolvedValue(.string($0)) }),
        ]
    }

    subscript(name: String) -> Binding? {
        for layer in layers {
            if let binding = layer[name] { return binding }
        }
        return nil
    }

    /// All names, sorted.
    var names: [String] { Set(layers.flatMap(\.names)).sorted() }

    /// The scope with this layer over all others.
    func overlaid(with layer: Layer?) -> Scope {
        guard let layer else { return self }
        var scope = self
        scope.layers.insert(layer, at: 0)
        return scope
    }

    /// The scope with these values over all others.
    func overlaid(with values: [String: ResolvedValue]) -> Scope {
        overlaid(with: values.isEmpty ? nil : Layer(values))
    }

    private static func layer(_ variables: [Variable]) -> Layer {
        .table(
            Dictionary(
                variables.map { ($0.name, .variable($0)) },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }
}

/// A variable as a workspace or an environment defines it.
struct Variable: Sendable {
    enum Content: Sendable {
        case value(TemplateValue)
        case secret(Secret)
        /// Supplied when a request first needs it.
        case supplied(SupplyOrigin)
    }

    let name: String
    let span: Span
    let content: Content
}
