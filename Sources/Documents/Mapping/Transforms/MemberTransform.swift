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
