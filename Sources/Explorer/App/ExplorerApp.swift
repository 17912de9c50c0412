import FoundationEssentials
import Terminal

/// Drives the model: events in, frames out, effects to the runner.
@MainActor
final class ExplorerApp: TerminalApp {
    /// The message for the standard error after the terminal is restored; nil if there is none.
    private(set) var problem: String?

    private var model: Model
    private var look: Look
    private let runner: EffectRunner
    private let start = ContinuousClock.now

    init(model: Model, look: Look, runner: EffectRunner) {
        self.model = model
        self.look = look
        self.runner = runner
    }

    func handle(_ event: TerminalEvent<Message>) -> [SessionCommand] {
        let now = Moment(wall: Date(), uptime: .now - start)
        return update(&model, event, at: now).compactMap(perform)
    }

    func render(into grid: inout Grid) -> Point? {
        Screen.render(model, into: &grid, look: look)
    }

    var nextTick: ContinuousClock.Instant? { model.tick.map { .now + $0 } }

    var isBusy: Bool { model.isBusy }

    private func perform(_ effect: Effect) -> SessionCommand? {
        switch effect {
        case .session(let command):
            if case .use(let theme) = command { look.theme = theme }
            return command
        case .fail(let text):
            problem = text
            return .quit(status: 2)
        default:
            runner.perform(effect)
            return nil
        }
    }
}
