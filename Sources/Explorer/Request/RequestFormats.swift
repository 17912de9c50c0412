public import Workspaces

/// A request that is pasted or typed: a `curl` command, a URL, or the text of an HTTP message.
public typealias RequestText = Workspaces.RequestText

extension CatalogError {
    /// What is wrong with a text that is no request.
    package init(_ error: RequestTextError) { self.init(error.description) }
}
