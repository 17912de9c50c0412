import Documents

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
            "id": JSON(id),
            "name": JSON(name),
            "email": JSON(email),
            "role": JSON(role.rawValue),
            "city": JSON(city),
            "verified": JSON(isVerified),
            "balance": .cents(balance),
            "visits": JSON(visits),
            "last_seen": JSON(Moment.timestamp(lastSeen)),
            "tags": JSON(tags.map { JSON($0) }),
            "address": [
                "street": JSON(street),
                "postcode": JSON("\(10_000 + id * 137)"),
                "city": JSON(city),
                "country": Seed.countries[city].map { JSON($0) } ?? nil,
            ],
            "avatar": avatar?.json ?? nil,
        ]
    }
}

extension User.Avatar {
    var json: JSON {
        [
            "bytes": JSON(byteCount), "content_type": JSON(contentType),
            "crc32": JSON(checksum),
        ]
    }
}

/// The data of a user that a client may set.
struct UserDraft: Decodable, Sendable {
    var name: String?
    var email: String?
    var role: User.Role?
    var city: String?
}

extension UserDraft {
    /// What is wrong with the draft, given that a whole user needs a name and an email.
    func problems(isWhole: Bool) -> [Problem.Field] {
        var found: [Problem.Field] = []
        if isWhole, name == nil { found.append(.init("name", "is needed")) }
        if isWhole, email == nil { found.append(.init("email", "is needed")) }
        if let name, name.allSatisfy(\.isWhitespace) {
            found.append(.init("name", "must not be empty"))
        }
        if let email, !Self.looksLikeAddress(email) {
            found.append(.init("email", "must look like name@example.org"))
        }
        return found
    }

    private static func looksLikeAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
            && !text.contains(" ")
    }
}

/// A claim to be a new user, with the code that the user was given.
struct Verification: Decodable, Sendable {
    var userID: Int
    var code: String

    enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case code
    }
}
