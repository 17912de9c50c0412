import Apus
import Terminal
import TreeView

/// Where every part of the screen stands, for a size of the terminal.
///
/// ```
/// wide (100 columns and more)      stacked (60 and more)      single (less)
/// ┌ header ──────────────────┐     ┌ header ─────────────┐    pane
/// │targets│ request          │     │targets│ cache       │    pane
/// │       ├───────┬──────────┤     │       ├─────────────┤    footer
/// │       │ cache │ server   │     │       │ server      │
/// ├ progress ────────────────┤     ├ progress ───────────┤
/// └ footer ──────────────────┘     └ footer ─────────────┘
/// ```
struct Layout: Equatable {
    /// How the panes are arranged.
    enum Arrangement: Equatable {
        /// Cache and server side by side.
        case wide
        /// Cache above server.
        case stacked
        /// Only the pane with the focus.
        case single
    }

    /// How much room the cache's response gets.
    enum CacheRoom: Equatable {
        case half
        /// One line: the target is not cached, or the cache has no response beside or above the server's.
        case line
        /// None: what is shown did not ask the cache.
        case none
    }

    var arrangement: Arrangement
    var header = Rect.empty
    var targets = Rect.empty
    /// The method, URL and details of the selected request; without a frame when stacked.
    var request = Rect.empty
    var cache = Rect.empty
    /// One row in place of the cache's pane; empty while that is shown.
    var cacheLine = Rect.empty
    var server = Rect.empty
    /// Request, cache and server together: where a batch or a chain is shown.
    var detail = Rect.empty
    var progress = Rect.empty
    /// One row for the notice; the footer's row if there is none to spare.
    var notice = Rect.empty
    var footer = Rect.empty
    /// Whether panes have a border; in tiny terminals they only have a title row.
    var isFramed: Bool { arrangement != .single }
    /// Whether the progress pane has a border.
    var progressIsFramed = false
    /// Whether the request is a pane rather than a strip.
    var requestIsOpen = false

    /// The fewest rows of an open request next to the responses.
    private static let leastRequestRows = 9

    /// Lays out a screen.
    init(
        size: Size,
        focus: Focus,
        isZoomed: Bool,
        cacheRoom: CacheRoom = .half,
        showsRequest: Bool = false,
        sizes: PaneSizes = PaneSizes()
    ) {
        arrangement = Self.arrangement(of: size)
        let isTiny = arrangement == .single
        var rest = Rect(size: size)
        (rest, footer) = rest.splitBottom(1)
        notice = footer
        if isTiny {
            fill(rest, focus)
            return
        }
        if arrangement == .wide { (rest, notice) = rest.splitBottom(1) }
        (header, rest) = rest.splitTop(1)
        if isZoomed {
            fill(rest, focus)
            return
        }
        rest = placeProgress(in: rest, isFocused: focus == .progress, rows: sizes.session)
        (targets, rest) = rest.splitLeft(
            Self.fitting(
                sizes.targets ?? (arrangement == .wide ? 32 : 26),
                in: rest.columns,
                .targets
            )
        )
        detail = rest
        let besideRows =
            sizes.request.map { Self.fitting($0, in: rest.rows, .request) } ?? rest.rows / 2
        if showsRequest, focus == .request || arrangement == .wide {
            requestIsOpen = true
            guard arrangement == .wide, rest.rows / 2 >= Self.leastRequestRows else {
                request = rest
                return
            }
        }
        let rows = arrangement == .wide ? (requestIsOpen ? besideRows : 4) : 1
        (request, rest) = rest.splitTop(rows)
        placeResponses(in: rest, cacheRoom, share: sizes.cache)
    }

    /// Divides the rest between the two responses; unless the cache's gets half, it gets a line or nothing.
    private mutating func placeResponses(in rest: Rect, _ cacheRoom: CacheRoom, share: Int?) {
        guard cacheRoom == .half else {
            (cacheLine, server) = rest.splitTop(cacheRoom == .line ? 1 : 0)
            return
        }
        if arrangement == .wide {
            (cache, server) = rest.splitLeft(Self.cachePart(share, of: rest.columns, least: 16))
        } else {
            (cache, server) = rest.splitTop(Self.cachePart(share, of: rest.rows, least: 4))
        }
    }

    /// How the panes of a terminal of this size are arranged.
    static func arrangement(of size: Size) -> Arrangement {
        guard size.hasRoomForFrames else { return .single }
        return size.columns >= 100 && size.rows >= 24 ? .wide : .stacked
    }

    /// Places the session at the bottom, with the user's number of rows if there is one; returns the rest.
    private mutating func placeProgress(
        in rest: Rect,
        isFocused: Bool,
        rows wanted: Int?
    ) -> Rect {
        progressIsFramed = arrangement == .wide || isFocused
        // At most a third of the height, including the frame's two rows; half of it with the focus.
        let own = isFocused ? rest.rows / 2 : min(progressIsFramed ? 8 : 4, rest.rows / 3)
        let rows = wanted.map { Self.fitting($0, in: rest.rows, .session) } ?? own
        let (above, below) = rest.splitBottom(rows)
        progress = below
        return above
    }

    /// The pane with the focus takes all the room.
    private mutating func fill(_ rest: Rect, _ focus: Focus) {
        switch focus {
        case .targets: targets = rest
        case .request:
            request = rest
            detail = rest
            requestIsOpen = true
        case .cache:
            cache = rest
            detail = rest
        case .server:
            server = rest
            detail = rest
        case .progress:
            progress = rest
            progressIsFramed = isFramed
        }
    }

    /// Whether the responses are visible while the request is open.
    var showsResponsesBesideRequest: Bool { requestIsOpen && !server.isEmpty }

    /// The parts of an open request: the row of its method and URL, the row of its tabs, its lines.
    var requestParts: (line: Rect, tabs: Rect, rows: Rect) {
        let inside = inside(request).inset(left: isFramed ? 1 : 0, right: isFramed ? 1 : 0)
        return (inside.row(0), inside.row(1), inside.inset(top: 2))
    }

    /// The number of rows for the lines of an open request.
    var requestRows: Int { max(1, requestParts.rows.rows) }

    /// The number of rows of the session.
    var sessionRows: Int {
        let hasTitle = progressIsFramed || !isFramed
        return max(1, progress.rows - (progressIsFramed ? 2 : hasTitle ? 1 : 0))
    }

    /// The first row of the session.
    var sessionTop: Int { progress.y + (progressIsFramed || !isFramed ? 1 : 0) }

    /// The number of rows for earlier values, below their summary.
    var pastValueRows: Int { max(1, valueRoom.rows - PastValues.headRows) }

    /// Whether there is only room for one response.
    var showsOneResponse: Bool { cache.isEmpty || server.isEmpty }

    /// Where one value is shown in full: over request, cache and server.
    var value: Rect { detail }

    /// The room for the text of one value.
    var valueRoom: Size { value.textArea(isFramed: isFramed).size }

    func pane(_ side: PaneSide) -> Rect { side == .cache ? cache : server }

    /// What is inside a pane's border, or below its title row.
    func inside(_ pane: Rect) -> Rect {
        guard !pane.isEmpty else { return pane }
        return isFramed ? pane.inset(by: 1) : pane.inset(left: 0, top: 1, right: 0, bottom: 0)
    }

    /// Whether a response's pane has room for a row about freshness and size.
    func showsFacts(in pane: Rect) -> Bool { inside(pane).rows >= 4 }

    /// Whether a pane has room for the tabs: above that row for the body, in its place for another tab.
    func showsTabs(of response: ResponseState, in pane: Rect) -> Bool {
        guard response.hasResponse else { return false }
        return response.tab == .body ? inside(pane).rows >= 10 : showsFacts(in: pane)
    }

    /// The row of the tabs; empty if they are not shown.
    func tabs(of response: ResponseState, in pane: Rect) -> Rect {
        guard showsTabs(of: response, in: pane) else { return .empty }
        let row = inside(pane).row(0)
        return isFramed ? row.inset(left: 1, right: 1) : row
    }

    /// The row about freshness and size; empty if it is not shown.
    func facts(of response: ResponseState, in pane: Rect) -> Rect {
        guard response.tab == .body, showsFacts(in: pane) else { return .empty }
        let row = inside(pane).row(showsTabs(of: response, in: pane) ? 1 : 0)
        return isFramed ? row.inset(left: 1, right: 1) : row
    }

    /// The lines of a tab other than the body.
    func page(of response: ResponseState, in pane: Rect) -> Rect {
        let inside = inside(pane).inset(top: showsFacts(in: pane) ? 1 : 0)
        return isFramed ? inside.inset(left: 1, right: 1) : inside
    }
}

extension Layout {
    /// The rows of a body in a response's pane, below the text of a failure.
    func body(of response: ResponseState, in pane: Rect) -> Rect {
        let body = words(of: response, in: pane)
        return body.inset(top: failureRows(of: response, in: body))
    }

    /// The rows below tabs and facts.
    func words(of response: ResponseState, in pane: Rect) -> Rect {
        let isTabbed = response.tab == .body && showsTabs(of: response, in: pane)
        return inside(pane).inset(top: (isTabbed ? 1 : 0) + (showsFacts(in: pane) ? 1 : 0))
    }

    /// The number of rows for the text of a failure above a partial body.
    func failureRows(of response: ResponseState, in body: Rect) -> Int {
        guard case .failed(let error) = response.content else { return 0 }
        let columns = body.columns - (isFramed ? 2 : 0)
        let rows = error.paneTexts.reduce(0) {
            $0 + Paragraph.wrap($1, columns: columns, rows: body.rows).count
        }
        // If both do not fit, each gets half.
        guard response.document.body != nil else { return min(rows, body.rows) }
        return min(rows + 1, max(1, body.rows / 2))
    }
}

extension Model {
    /// The layout for the present state.
    var layout: Layout {
        Layout(
            size: size,
            focus: panes.focus,
            isZoomed: panes.isZoomed,
            cacheRoom: cacheRoom,
            showsRequest: showsRequestPane,
            sizes: panes.sizes
        )
    }

    /// How much room the cache's response needs; with the focus it always has its pane.
    var cacheRoom: Layout.CacheRoom {
        if responses.openedPart != nil { return .none }
        guard responses.showsSelection, panes.focus != .cache,
            case .target? = targets.selected?.kind,
            let view = selectedView, view.comparison == nil, view.cache.response == nil,
            view.cache.failure == nil, case .success(let resolved)? = view.request
        else { return .half }
        // Once the server was asked, half of the room would stay empty.
        let wasAsked = if case .empty = view.server.content { false } else { true }
        let keepsNothing = resolved.target.cachePolicy.storage == .none
        return keepsNothing || wasAsked || Layout.arrangement(of: size) == .stacked ? .line : .half
    }
}
