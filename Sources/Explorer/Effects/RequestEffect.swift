import Apus

/// Work on a request that is edited.
enum RequestEffect: Sendable {
    /// Have the catalog take an edited draft back.
    case apply(CatalogID, ticket: Int, CatalogTarget, TargetDraft)
    /// Write an edit to the catalog's file.
    case save(CatalogID, CatalogEdit, CatalogEdit.Destination)
    /// Make what would be sent, for the screen.
    case preview(CatalogID, ticket: Int, ResolvedTarget)
    /// Read a pasted text, and have the catalog take it as a new request.
    case paste(String, Catalog)
    /// Have the catalog, which was read again, take a pasted request again.
    case make(name: String, TargetDraft, Catalog)
    /// Write a body to a file for the editor of the user.
    case beginScratch(CatalogID, text: String, suffix: String)
    /// Read it again.
    case endScratch(CatalogID, path: String)
    /// Give the catalog a value that was missing.
    case supply(name: String, value: String, Catalog)
    /// Change a jar, and list its cookies.
    case cookies(CookieJar, CookieChange?)
    /// Copy a target's request in a language.
    case copy(ResolvedTarget, RequestCode.Language, showsSecrets: Bool)
}

/// A change of a jar.
enum CookieChange: Sendable {
    case set(Cookie)
    case remove(Cookie.ID)
    case removeAll
}

/// What came of it.
enum RequestMessage: Sendable {
    case applied(CatalogID, ticket: Int, Result<CatalogEdit, CatalogProblem>)
    case saved(CatalogID, CatalogEdit.Destination, CatalogProblem?)
    case previewed(CatalogID, ticket: Int, RequestPreview)
    /// A pasted request, and what was ignored of its text.
    case pasted(name: String, TargetDraft, CatalogEdit, notes: [String])
    case pasteFailed(CatalogProblem)
    /// A pasted request, made again.
    case made(name: String, Result<CatalogEdit, CatalogProblem>)
    case scratchBegun(CatalogID, path: String)
    case scratchEnded(CatalogID, text: String)
    case copied(String, what: String)
    /// The cookies of a jar, and why a change of it was refused.
    case cookies(CookieJar, [Cookie], problem: String?)
    /// What could not be done, in words.
    case failed(String)
    case supplied
}
