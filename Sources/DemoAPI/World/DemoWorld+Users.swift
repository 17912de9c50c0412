import Documents

extension DemoWorld {
    func listUsers(_ page: Page, matching text: String, query: String) -> JSON {
        let found = users.values
            .filter {
                text.isEmpty || $0.name.lowercased().contains(text) || $0.email.contains(text)
            }
            .sorted { $0.id < $1.id }
        for id in page.slice(of: found.map(\.id)) { visit(id) }
        return page.answer(found, path: "/users", query: query) { (users[$0.id] ?? $0).json }
    }

    func user(_ id: Int) throws(Problem) -> User {
        visit(id)
        guard let user = users[id] else { throw .notFound("user \(id)") }
        return user
    }

    /// Creates a user, and returns it with its verification code.
    func createUser(_ draft: UserDraft) throws(Problem) -> (user: User, code: String) {
        let problems = draft.problems(isWhole: true)
        guard problems.isEmpty, let name = draft.name, let email = draft.email else {
            throw .invalid(problems)
        }
        let id = nextUser
        nextUser += 1
        let user = User(
            id: id,
            name: name,
            email: email,
            role: draft.role ?? .viewer,
            city: draft.city ?? "Oslo",
            street: "1 Swift Row",
            isVerified: false,
            balance: 0,
            visits: 0,
            lastSeen: clock.now,
            tags: ["new"],
            avatar: nil
        )
        let code = String(Int.random(in: 100_000...999_999, using: &generator))
        users[id] = user
        codes[id] = code
        return (user, code)
    }

    func changeUser(_ id: Int, to draft: UserDraft, isWhole: Bool) throws(Problem) -> User {
        guard var user = users[id] else { throw .notFound("user \(id)") }
        let problems = draft.problems(isWhole: isWhole)
        guard problems.isEmpty else { throw .invalid(problems) }
        user.name = draft.name ?? user.name
        user.email = draft.email ?? user.email
        user.role = draft.role ?? user.role
        user.city = draft.city ?? user.city
        users[id] = user
        return user
    }

    func deleteUser(_ id: Int) throws(Problem) {
        guard users.removeValue(forKey: id) != nil else { throw .notFound("user \(id)") }
        codes[id] = nil
        owners = owners.filter { $0.value != id }
    }

    private func visit(_ id: Int) {
        guard var user = users[id] else { return }
        user.visits += 1
        user.lastSeen = clock.now
        user.balance += Int.random(in: -2_500...2_500, using: &generator)
        users[id] = user
    }
}

extension DemoWorld {
    /// Verifies a user by the code, and returns a new bearer token.
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
