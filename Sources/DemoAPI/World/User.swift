/// A person with an account in the demo world.
struct User: Sendable {
    let id: Int
    var name: String
    var email: String
    var role: Role
    var city: String
    var street: String
    var isVerified: Bool
    var balance: Int
    var visits: Int
    var lastSeen: Double
    var tags: [String]
    var avatar: Avatar?

    enum Role: String, CaseIterable, Sendable, Decodable {
        case admin, editor, viewer
    }

    struct Avatar: Sendable {
        let byteCount: Int
        let contentType: String
        let checksum: String
    }
}

extension User {
    var json: JSON {
        [
            "id": .integer(id),
            "name": .string(name),
            "email": .string(email),
            "role": .string(role.rawValue),
            "city": .string(city),
            "verified": .bool(isVerified),
            "balance": .cents(balance),
            "visits": .integer(visits),
            "last_seen": .string(Moment.timestamp(lastSeen)),
            "tags": .array(tags.map(JSON.string)),
            "address": [
                "street": .string(street),
                "postcode": .string("\(10_000 + id * 137)"),
                "city": .string(city),
                "country": Seed.countries[city].map(JSON.string) ?? nil,
            ],
            "avatar": avatar?.json ?? nil,
        ]
    }
}

extension User.Avatar {
    var json: JSON {
        [
            "bytes": .integer(byteCount), "content_type": .string(contentType),
            "crc32": .string(checksum),
        ]
    }
}
