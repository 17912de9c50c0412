import Terminal
import TreeView

/// The sizes that the user gave to panes; nil where the layout decides.
struct PaneSizes: Equatable, Sendable {
    /// The columns of the targets.
    var targets: Int?
    /// The rows of the session.
    var session: Int?
    /// The rows of an open request next to its responses.
    var request: Int?
    /// The cache's share of the room for responses, in thousandths.
    var cache: Int?
}

/// A border between two panes that can be moved.
enum PaneBorder: Equatable, CaseIterable {
    /// At the right of the targets.
    case targets
    /// Above the session.
    case session
    /// Below an open request.
    case request
    /// Between the cache's response and the server's.
    case responses
}

extension Layout {
    /// Whether the cache's response stands beside the server's rather than above it.
    var responsesAreBeside: Bool { cache.y == server.y }

    /// The position of a border: a column if it is vertical, a row if not; nil if it is not shown.
    func position(of border: PaneBorder) -> Int? {
        guard isFramed else { return nil }
        switch border {
        case .targets: return targets.isEmpty || detail.isEmpty ? nil : targets.maxX - 1
        case .session: return progress.isEmpty || targets.isEmpty ? nil : progress.y
        case .request: return showsResponsesBesideRequest ? request.maxY - 1 : nil
        case .responses:
            if cache.isEmpty || server.isEmpty { return nil }
            return responsesAreBeside ? cache.maxX - 1 : cache.maxY - 1
        }
    }

    /// The border at a point, and the point's distance from it; it is two cells wide, a frame of each pane.
    func border(at point: Point) -> (border: PaneBorder, distance: Int)? {
        for border in PaneBorder.allCases {
            guard let position = position(of: border) else { continue }
            switch border {
            case .targets where point.y >= targets.y && point.y < targets.maxY:
                if position...position + 1 ~= point.x { return (border, point.x - position) }
            case .session where point.y == position || point.y == position - 1:
                return (border, point.y - position)
            case .request where request.x..<request.maxX ~= point.x:
                if position...position + 1 ~= point.y { return (border, point.y - position) }
            case .responses where responsesAreBeside && cache.y..<cache.maxY ~= point.y:
                if position...position + 1 ~= point.x { return (border, point.x - position) }
            case .responses where !responsesAreBeside && cache.x..<cache.maxX ~= point.x:
                if position...position + 1 ~= point.y { return (border, point.y - position) }
            default: break
            }
        }
        return nil
    }

    /// The sizes after moving a border to a position, limited so that both sides keep some room.
    func sizes(_ sizes: PaneSizes, moving border: PaneBorder, to position: Int) -> PaneSizes {
        var sizes = sizes
        switch border {
        case .targets:
            let columns = position - targets.x + 1
            sizes.targets = Self.fitting(columns, in: targets.columns + detail.columns, .targets)
        case .session:
            let rows = progress.maxY - position
            sizes.session = Self.fitting(rows, in: progress.rows + targets.rows, .session)
        case .request:
            let rows = position - request.y + 1
            sizes.request = Self.fitting(rows, in: request.rows + server.rows, .request)
        case .responses:
            let (part, total) =
                responsesAreBeside
                ? (position - cache.x + 1, cache.columns + server.columns)
                : (position - cache.y + 1, cache.rows + server.rows)
            guard total > 0 else { break }
            sizes.cache = min(1000, max(0, (part * 1000 + total / 2) / total))
        }
        return sizes
    }

    /// Limits a size so that both panes keep their minimum.
    static func fitting(_ size: Int, in room: Int, _ border: PaneBorder) -> Int {
        let (own, other): (Int, Int) =
            switch border {
            case .targets: (14, 30)
            case .session: (3, 9)
            case .request: (5, 6)
            case .responses: (0, 0)
            }
        return max(own, min(size, room - other))
    }

    /// The cache's part of `total`; both responses keep at least `least`.
    static func cachePart(_ share: Int?, of total: Int, least: Int) -> Int {
        guard let share, total >= 2 * least else { return (total + 1) / 2 }
        return max(least, min(total - least, (total * share + 500) / 1000))
    }
}

extension Model {
    /// Moves a border of the focused pane by columns or by rows.
    mutating func resize(_ action: Action) -> [Effect] {
        guard !panes.isZoomed else { return say("this pane is zoomed; z shows all panes") }
        let isAcross = action == .wider || action == .narrower
        let grows = action == .wider || action == .higher
        let layout = layout
        guard let (border, sign) = border(isAcross: isAcross, in: layout),
            let position = layout.position(of: border)
        else { return say("there is no border to move that way") }
        let step = (isAcross ? 2 : 1) * (grows ? sign : -sign)
        panes.sizes = layout.sizes(panes.sizes, moving: border, to: position + step)
        fitPanes()
        if self.layout.position(of: border) == position {
            say("this border cannot be moved any further")
        }
        return []
    }

    /// The border that resizes the focused pane.
    ///
    /// With a sign of 1 the pane grows when the border moves right or down, with -1 when it moves left or up.
    private func border(isAcross: Bool, in layout: Layout) -> (PaneBorder, sign: Int)? {
        // A batch and a chain have one pane in position of the two responses.
        let hasResponses =
            layout.position(of: .responses) != nil && !isBatchSelected && !isChainSelected
        switch (panes.focus, isAcross) {
        case (.targets, true): return (.targets, 1)
        case (.cache, true) where hasResponses && layout.responsesAreBeside: return (.responses, 1)
        case (.server, true) where hasResponses && layout.responsesAreBeside:
            return (.responses, -1)
        case (.cache, true), (.server, true), (.request, true): return (.targets, -1)
        case (.progress, true): return nil
        case (.progress, false): return (.session, -1)
        case (.cache, false) where hasResponses && !layout.responsesAreBeside:
            return (.responses, 1)
        case (.server, false) where hasResponses && !layout.responsesAreBeside:
            return (.responses, -1)
        case (.request, false) where layout.position(of: .request) != nil: return (.request, 1)
        case (.targets, false), (.cache, false), (.server, false), (.request, false):
            return (.session, 1)
        }
    }
}
