import Documents

/// Changes values of a YAML text, and leaves every other byte as it is: comments, order, quotes, line ends.
///
///     headers:             # ours                headers:             # ours
///       Accept: "*/*"      # anything     ▶        Accept: "text/xml" # anything
///       X-A: 1                                     X-A: 1
///                                                  X-B: new
///
/// The positions of values come from libyaml's events. After each change the text is read again, and must
/// differ from the old one in that change only, even where the value of an anchor is used elsewhere. A value
/// that comes from an alias or a merge key is written where it is used.
struct YAMLEditor: ValueEditing {
    private(set) var scalars: [Unicode.Scalar]
    /// The text's value, with aliases and merge keys resolved.
    private(set) var model: Value
    private(set) var root: YAMLValue
    /// Whether mappings that are missing on the path of a change have a line for each entry.
    var opensMappings = false

    /// Nil if the text is not YAML, or is empty.
    init?(_ text: String) {
        guard let (root, model) = Self.read(text) else { return nil }
        scalars = Array(text.unicodeScalars)
        self.root = root
        self.model = model
    }

    /// The text as it is now.
    var text: String { Self.text(scalars[...]) }

    func value(at path: [YAMLStep]) -> Value? { model.value(at: path[...]) }
}

// MARK: - One change

extension YAMLEditor {
    static let refusal =
        "this cannot be written to the file without changing something else in it"

    /// Makes one change, and checks that nothing else changed.
    mutating func apply(_ change: ValueChange, at path: [YAMLStep]) throws(YAMLEditError) {
        guard let wanted = model.applying(change, at: path[...]) else {
            throw YAMLEditError(message: Self.refusal)
        }
        guard wanted != model else { return }
        var layout = YAMLLayout(scalars: scalars, root: root, model: model)
        layout.opensMappings = opensMappings
        guard layout.apply(change, at: path), accept(layout.scalars, if: wanted) else {
            throw YAMLEditError(message: advice(at: path))
        }
    }

    /// Takes over a changed text if what is read from it is the wanted value; returns whether it did.
    mutating func accept(_ scalars: [Unicode.Scalar], if wanted: Value) -> Bool {
        guard let (root, model) = Self.read(Self.text(scalars[...])),
            model.sorted == wanted.sorted
        else { return false }
        self.scalars = scalars
        self.root = root
        self.model = model
        return true
    }

    /// Why a change is refused; mentions an anchor on the path, which is often the reason.
    private func advice(at path: [YAMLStep]) -> String {
        var value = root
        for step in path {
            if let anchor = value.anchor { return Self.refusal(anchor) }
            guard let next = YAMLLayout.child(step, of: value) else { break }
            value = next
        }
        return value.anchor.map(Self.refusal) ?? Self.refusal
    }

    private static func refusal(_ anchor: String) -> String {
        "\(refusal): it is used elsewhere as `*\(anchor)`"
    }

    /// Parses a text, with aliases and merge keys resolved and within a workspace's limits; nil for any fault.
    private static func read(_ text: String) -> (YAMLValue, Value)? {
        let log = ProblemLog()
        let source = SourceText(name: "", text: text)
        // The fault itself does not matter: the change is refused.
        guard let root = try? YAMLValue.parse(text),
            let node = YAMLReader(source: source, log: log).read(), log.problems.isEmpty
        else { return nil }
        return (root, Value(node))
    }

    static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
