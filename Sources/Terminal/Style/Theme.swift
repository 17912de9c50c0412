/// How everything looks: a table of styles, and which scope has which.
///
/// The table holds the scopes' own styles first and then, for each overlay, all of them again with
/// the overlay upon them: laying a selection over drawn cells is an addition.
package struct Theme: Hashable, Sendable {
    /// The name that people choose it by.
    package let name: String
    /// What `StyleID` points into; the first is plain text.
    package let styles: [Style]

    private let scopes: [StyleID]
    private let named: [String: StyleID]
    private let baseCount: Int

    /// Makes a theme from styles by dotted name; `text` lies under all others.
    package init(name: String, definitions: [String: Style]) {
        self.name = name
        let text = definitions["text"] ?? Style()
        var base = [text]
        var places = [text: StyleID.default]
        var named: [String: StyleID] = [:]
        // Sorted: the same file always makes the same table.
        for (scope, style) in definitions.sorted(by: { $0.key < $1.key }) {
            let full = text.under(style)
            let place = places[full] ?? StyleID(rawValue: UInt16(base.count))
            if places.updateValue(place, forKey: full) == nil { base.append(full) }
            named[scope] = place
        }
        scopes = Scope.allCases.map { Self.lookUp($0.name, in: named) }
        styles =
            base
            + Overlay.allCases.flatMap { overlay in
                let top =
                    definitions[Self.definedName(overlay.scope.name, in: definitions)] ?? Style()
                return base.map { $0.under(top) }
            }
        self.named = named
        baseCount = base.count
    }

    /// The style of a scope.
    package subscript(scope: Scope) -> StyleID { scopes[Int(scope.rawValue)] }

    /// The style of a dotted name: `tree.key.focused`, or else `tree.key`, or `tree`, or plain text.
    package func style(for dotted: String) -> StyleID {
        Self.lookUp(dotted, in: named)
    }

    /// The style with the overlay upon it; a second overlay replaces the first.
    package func overlaid(_ style: StyleID, _ overlay: Overlay) -> StyleID {
        let base = Int(style.rawValue) % baseCount
        return StyleID(rawValue: UInt16(base + baseCount * (1 + overlay.rawValue)))
    }

    /// The scopes that look like this, for tests and snapshots.
    package func description(of style: StyleID) -> String {
        let (block, base) = Int(style.rawValue).quotientAndRemainder(dividingBy: baseCount)
        let names = Scope.allCases.filter { Int(self[$0].rawValue) == base }.map(\.name)
        let upon = block > 0 ? " + \(Overlay.allCases[block - 1].scope.name)" : ""
        return (names.isEmpty ? "style \(base)" : names.joined(separator: ", ")) + upon
    }

    private static func lookUp(_ dotted: String, in named: [String: StyleID]) -> StyleID {
        named[definedName(dotted, in: named)] ?? .default
    }

    /// The longest prefix, at dots, that is defined; empty when none is.
    static func definedName<Value>(_ dotted: String, in table: [String: Value]) -> String {
        var name = Substring(dotted)
        while table[String(name)] == nil {
            guard let dot = name.lastIndex(of: ".") else { return "" }
            name = name[..<dot]
        }
        return String(name)
    }
}
