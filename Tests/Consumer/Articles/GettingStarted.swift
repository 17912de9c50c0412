//> enum GitHub
//> struct User
//> @MainActor\nfinal class UserScreen
//> @MainActor\nfinal class UserModel

enum GettingStartedArticle {
    static func run() async throws {
        let transport = Canned()
        let provider = Provider<GitHub>(transport: transport, cache: temporaryCache())
        do {
            //> let user = try await provider.value
            check(user == User(login: "ada", id: 7))
        }
        //> let response
        check(response.status == 200)
        //> let name
        check(name == "ada")
        //> for await event
        //> let users
        check(transport.sent.all.count == 4)
        //> do {
        try await withServer(answering: #"{"login":"ada","id":7}"#) { url in
            //> let user = try await Requests
            check(user.id == 7)
        }
        let search = try await provider.response(for: .search("a b"))
        check(search.request.url == "https://api.github.com/search/users?q=a%20b")
        check(
            try await provider.response(for: .createIssue(title: "T")).request.head.method == .post
        )
        await onScreen(provider)
    }

    @MainActor
    private static func onScreen(_ provider: Provider<GitHub>) async {
        let screen = UserScreen(provider)
        screen.load()
        await wait { screen.login == "ada" }
        let model = UserModel(provider)
        model.load()
        await wait { model.login == "ada" }
    }
}
