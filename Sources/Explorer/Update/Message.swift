import Apus
import Documents

/// What work outside of the screen reports.
enum Message: Sendable {
    /// The workspace was read.
    case catalogLoaded(Catalog)
    /// It was not; the text says why and where.
    case catalogFailed(String)
    /// A request moved.
    case exchange(RunID, ExchangeEvent)
    /// A batch moved.
    case batch(RunID, BatchEvent)
    /// A chain moved.
    case chain(RunID, ChainEvent)
    /// A chain whose steps need one another moved.
    case graph(RunID, ChainGraphEvent)
    /// What a chain took out of a step's answer.
    case captured(RunID, step: Int, [ResolvedChain.Capture])
    /// What the cache holds for a target; nil for nothing.
    case peeked(CatalogID, environment: Int, Response?)
    /// A body is open; its first rows can be shown.
    case bodyOpened(PaneAddress, BodyDocument)
    /// A body could not be opened.
    case bodyFailed(PaneAddress, String)
    /// What became of a pane's effect.
    case tree(PaneAddress, TreePaneMessage)
    /// Two bodies were compared.
    case compared(ComparisonAddress, AlignedRows)
    /// The cache has something to say.
    case cacheNotice(String)
}

/// Which answer in which pane.
struct PaneAddress: Hashable, Sendable {
    var item: CatalogID
    var environment: Int
    var side: PaneSide
    var generation: Int
}
