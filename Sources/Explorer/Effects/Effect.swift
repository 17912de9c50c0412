import Apus
import Documents
import Recordings
import Terminal

/// Work outside of the model; its result comes back as a message.
enum Effect: Sendable {
    /// What the terminal is to do.
    case session(SessionCommand)
    /// Leave with a message on the standard error.
    case fail(String)
    /// Read the workspace.
    case loadCatalog
    /// Send one request.
    case send(RunID, CatalogID, environment: Int, ResolvedTarget, DataSource)
    /// Run a batch; its name and environment are for the history.
    case runBatch(RunID, ResolvedBatch, name: String, environment: Int)
    /// Run a chain, or go on with it from what is done.
    case runChain(RunID, ResolvedChain, name: String, environment: Int, resuming: ChainState? = nil)
    /// Send a target again every so often.
    case watch(RunID, CatalogID, environment: Int, ResolvedTarget, WatchPlan)
    /// Send an exchange of the history again as it was; its target has the secrets.
    case sendAgain(RunID, RecordedExchange, ResolvedTarget?)
    /// Copy a target's request as a curl command.
    case copyCommand(ResolvedTarget)
    /// End a run.
    case cancel(RunID)
    /// Look what the cache holds for a target.
    case peek(CatalogID, environment: Int, ResolvedTarget)
    /// Open a body for its pane.
    case openBody(PaneAddress, ResponseBody, contentType: String?)
    /// Save a body to a file; one that is there goes only if `replacing`.
    case saveBody(ResponseBody, path: String, replacing: Bool)
    /// Run a body, or a value of it, through a command.
    case filter(PaneAddress, command: String, FilterInput)
    /// End the command of a pane.
    case endFilter(PaneAddress)
    /// Compare the two bodies of a target.
    case compare(ComparisonAddress, Document, Document)
    /// Stop comparing a target's answers.
    case endComparison(CatalogID)
    /// An effect of a document pane.
    case tree(PaneAddress, DocumentPaneEffect)
    /// Make the targets ready to be searched.
    case indexTargets(Catalog)
    /// Tell the names of the themes.
    case listThemes
    /// Read a theme.
    case loadTheme(String)
    /// Begin with this theme the next time.
    case keepTheme(String)
    /// Find this the next time the workspace is opened.
    case keepState(KeptState)
    /// Read the keys that the user bound.
    case loadKeys
    /// Work on the history.
    case history(HistoryEffect)
    /// Work on a request that is edited.
    case request(RequestEffect)
}
