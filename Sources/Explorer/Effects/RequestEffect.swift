import Apus

/// Work on a request that is edited.
enum RequestEffect: Sendable {
    /// Have the catalog make a target of an edited draft.
    case apply(CatalogID, ticket: Int, CatalogTarget, TargetDraft)
    /// Write an edit to the catalog's file.
    case save(CatalogID, CatalogEdit, CatalogEdit.Destination)
    /// Make the preview of what would be sent.
    case preview(CatalogID, ticket: Int, ResolvedTarget)
    /// Read a pasted text, and have the catalog make a new request of it.
    case paste(String, Catalog)
    /// Have the catalog, which was reloaded, make a pasted request again.
    case make(name: String, TargetDraft, Catalog)
    /// Write a body to a file for the user's editor.
    case beginScratch(CatalogID, text: String, suffix: String)
    /// Read that file, and remove it.
    case endScratch(CatalogID, path: String)
    /// Give the catalog a missing value.
    case supply(name: String, value: String, Catalog)
    /// Change a cookie jar, if there is a change, and list its cookies.
    case cookies(CookieJar, CookieChange?)
    /// Copy a target's request as code in a language.
    case copy(ResolvedTarget, RequestCode.Language, showsSecrets: Bool)
}

/// A change of a cookie jar.
enum CookieChange: Sendable {
    case set(Cookie)
    case remove(Cookie.ID)
    case removeAll
}

/// A result of work on a request.
enum RequestMessage: Sendable {
    case applied(CatalogID, ticket: Int, Result<CatalogEdit, CatalogProblem>)
    case saved(CatalogID, CatalogEdit.Destination, CatalogProblem?)
    case previewed(CatalogID, ticket: Int, RequestPreview)
    /// A pasted request, and notes on the parts of its text that are ignored.
    case pasted(name: String, TargetDraft, CatalogEdit, notes: [String])
    case pasteFailed(CatalogProblem)
    /// A pasted request, made again.
    case made(name: String, Result<CatalogEdit, CatalogProblem>)
    case scratchBegun(CatalogID, path: String)
    case scratchEnded(CatalogID, text: String)
    case copied(String, what: String)
    /// The cookies of a jar, and why a change of it was refused.
    case cookies(CookieJar, [Cookie], problem: String?)
    /// A failure, in words.
    case failed(String)
    case supplied
}
