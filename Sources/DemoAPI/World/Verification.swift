/// The answer to the code that a new user was given.
struct Verification: Decodable, Sendable {
    var userID: Int
    var code: String

    enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case code
    }
}
