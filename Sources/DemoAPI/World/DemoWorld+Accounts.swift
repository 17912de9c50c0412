extension DemoWorld {
    /// The bearer token of a user who knows the code; every call gives a new token.
    func verify(_ claim: Verification) throws(Problem) -> String {
        guard users[claim.userID] != nil else { throw .notFound("user \(claim.userID)") }
        guard let code = codes[claim.userID], code == claim.code else {
            throw Problem(
                status: 403,
                detail: "The code is not the one that user \(claim.userID) was given."
            )
        }
        users[claim.userID]?.isVerified = true
        let token = "demo-" + String(generator.next(), radix: 36)
        owners[token] = claim.userID
        return token
    }

    func owner(of token: String?) throws(Problem) -> Int {
        guard let token else {
            throw .unauthorized("Bearer", "Send the token that POST /verify gives.")
        }
        guard let id = owners[token] else {
            throw .unauthorized("Bearer", "The token is not one of this server's.")
        }
        return id
    }

    func setAvatar(_ avatar: User.Avatar, of id: Int) {
        users[id]?.avatar = avatar
    }
}
