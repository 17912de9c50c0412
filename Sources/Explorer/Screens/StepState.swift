import Terminal

/// What became of a step of a chain, in a few columns.
struct StepState {
    let step: ChainRunState.Step
    let now: Duration
    let look: Look

    /// "201 ✓", "⠋ 0.3 s", "✗", "skipped"; nothing while it waits.
    var short: StyledText {
        switch step.state {
        case .waiting: StyledText(String(look.symbols.ellipsis), look[.chainWaiting])
        case .running(let since):
            StyledText(
                "\(look.spinner(at: now)) \(ProgressText.elapsed(now - since).text)",
                look[.chainRunning]
            )
        case .done(let status, _):
            StyledText(
                (status.map { "\($0) " } ?? "") + String(look.symbols.check),
                look[.chainDone]
            )
        case .failed: StyledText(String(look.symbols.crossMark), look[.chainFailed])
        case .skipped: StyledText("skipped", look[.chainSkipped])
        }
    }

    /// How long it took, or why it failed.
    var detail: StyledText {
        switch step.state {
        case .waiting: StyledText("waiting", look[.chainWaiting])
        case .running(let since):
            StyledText(ProgressText.elapsed(now - since).text, look[.chainRunning])
        case .done(_, let duration):
            StyledText(Readable.duration(duration), look[.textMuted])
        case .failed(let text, _): StyledText(text, look[.chainFailed])
        case .skipped(let reason): StyledText(reason ?? "not reached", look[.chainSkipped])
        }
    }

    /// The colour of its box.
    var scope: Scope {
        switch step.state {
        case .waiting: .chainWaiting
        case .running: .chainRunning
        case .done: .chainDone
        case .failed: .chainFailed
        case .skipped: .chainSkipped
        }
    }
}

extension ChainRunState.Step {
    /// Whether its turn has come.
    var isReached: Bool {
        switch state {
        case .running, .done, .failed: true
        case .waiting, .skipped: false
        }
    }
}
