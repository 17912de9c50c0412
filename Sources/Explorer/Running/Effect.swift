import Apus
import Documents
import Recordings
import Terminal
import TreeView
import Workspaces

/// Work outside of the model; its results come back as messages.
enum Effect: Sendable {
    /// Have the terminal do something.
    case session(SessionCommand)
    /// Exit with a message on standard error.
    case fail(String)
    /// Read the workspace.
    case loadCatalog
    /// Read the workspace again, unless the catalog's source has its files as they are.
    case reloadCatalog(any CatalogSource)
    /// Send one request.
    case send(RunID, CatalogID, environment: Int, ResolvedTarget, DataSource)
    /// Run a batch. Its name and environment go into the history.
    case runBatch(RunID, ResolvedBatch, name: String, environment: Int)
    /// Have workers send a batch.
    case runByWorkers(RunID, WorkersPlan, ServerChoice)
    /// Run a chain, or continue it after the steps that are done.
    case runChain(RunID, ResolvedChain, name: String, environment: Int, resuming: ChainState? = nil)
    /// Send a target repeatedly.
    case watch(RunID, CatalogID, environment: Int, ResolvedTarget, WatchPlan)
    /// Send an exchange of the history again as it was, with the secrets of its target.
    case sendAgain(RunID, RecordedExchange, ResolvedTarget?)
    /// Copy a target's request in a format of another program.
    case copyRequest(CopiedRequest, format: String, keepsSecrets: Bool)
    /// Cancel a run.
    case cancel(RunID)
    /// Look up what the cache holds for a target.
    case peek(CatalogID, environment: Int, ResolvedTarget)
    /// Open a body for its pane.
    case openBody(PaneAddress, ResponseBody, contentType: String?)
    /// Check a response, or what was not accepted as one, that took a time.
    case check(PaneAddress, WorkspaceTarget, Result<Response, ApusError>, after: Duration)
    /// Save a body to a file; an existing one is replaced only if `replacing`.
    case saveBody(ResponseBody, path: String, replacing: Bool)
    /// Run a body, or a value of it, through a command.
    case filter(PaneAddress, command: String, FilterInput)
    /// Cancel the command of a pane.
    case endFilter(PaneAddress)
    /// Compare the two bodies of a target.
    case compare(ComparisonAddress, Document, Document)
    /// Cancel comparing a target's responses.
    case endComparison(CatalogID)
    /// An effect of a document pane.
    case tree(PaneAddress, DocumentPaneEffect)
    /// Build the search index of the targets.
    case indexTargets(Catalog)
    /// List the names of the themes.
    case listThemes
    /// Read a theme.
    case loadTheme(String)
    /// Keep this theme for the next start.
    case keepTheme(String)
    /// Wrap lines of text at the next start, or do not.
    case keepWrap(Bool)
    /// Keep this state for the next time that the workspace is opened.
    case keepState(KeptState)
    /// Read the user's key bindings.
    case loadKeys
    /// Do something with the history.
    case history(HistoryEffect)
    /// Do something with what is shared.
    case sharing(SharingEffect)
    /// Do something with a request that is edited.
    case request(RequestEffect)
    /// Do something for an import.
    case imports(ImportEffect)
    /// Do something with the values that requests need.
    case supply(SupplyEffect)
    /// Do something with a sign-in.
    case signIn(SignInEffect)
}
