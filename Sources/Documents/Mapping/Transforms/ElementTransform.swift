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

/// Dictionaries by a transform of their values; what it refuses is left out.
struct MemberTransform<Member: ValueTransform>: ValueTransform {
    private let member: Member

    init(_ member: Member) { self.member = member }

    func value(from json: JSON) -> [String: Member.Value]? {
        json.dictionary?.compactMapValues { member.value(from: $0) }
    }

    func json(from value: [String: Member.Value]) -> JSON? {
        JSON(
            members: value.sorted { $0.key < $1.key }.compactMap { key, value in
                member.json(from: value).map { (key: key, value: $0) }
            }
        )
    }
}
