/// Arrays by a transform of their elements; what it refuses is left out.
struct ElementTransform<Element: ValueTransform>: ValueTransform {
    private let element: Element

    init(_ element: Element) { self.element = element }

    func value(from json: JSON) -> [Element.Value]? {
        json.kind == .array ? json.elements.compactMap { element.value(from: $0) } : nil
    }

    func json(from value: [Element.Value]) -> JSON? {
        JSON(value.compactMap { element.json(from: $0) })
    }
}
