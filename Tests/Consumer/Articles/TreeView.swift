struct TreeViewArticle {
    //> @MainActor\nfunc show
    //> @MainActor\nfunc view

    @MainActor
    static func run() throws {
        try TreeViewArticle().show(Array(#"{"users":[{"name":"Ada"}],"page":1}"#.utf8))
    }
}
