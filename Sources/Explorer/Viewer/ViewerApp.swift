import Terminal

/// Drives the viewer's model: events in, frames out, effects to where they are done.
@MainActor
final class ViewerApp: TerminalApp {
    private var model: ViewerModel
    private let look: Look
    private let runner: ViewerRunner
    private let start = ContinuousClock.now
    /// At most ten changes a second move without an event.
    private static let tick = Duration.milliseconds(100)

    init(model: ViewerModel, look: Look, runner: ViewerRunner) {
        self.model = model
        self.look = look
        self.runner = runner
    }

    func handle(_ event: TerminalEvent<ViewerMessage>) -> [SessionCommand] {
        update(&model, event, at: .now - start).compactMap(perform)
    }

    func render(into grid: inout Grid) -> Point? {
        ViewerScreen.render(model, into: &grid, look: look)
    }

    var nextTick: ContinuousClock.Instant? {
        model.isMoving ? .now + Self.tick : nil
    }

    private func perform(_ effect: ViewerEffect) -> SessionCommand? {
        switch effect {
        case .quit(let status): return .quit(status: status)
        case .suspend: return .suspend
        case .redraw: return .redraw
        case .copy(let text): return .copy(text)
        case .load: runner.load()
        case .tree(let effect): runner.tree.perform(effect)
        }
        return nil
    }
}
