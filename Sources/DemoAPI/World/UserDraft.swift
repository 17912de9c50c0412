/// What a client may say about a user.
struct UserDraft: Decodable, Sendable {
    var name: String?
    var email: String?
    var role: User.Role?
    var city: String?
}

extension UserDraft {
    /// What is wrong; name and email must be there when the draft is to be a whole user.
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
