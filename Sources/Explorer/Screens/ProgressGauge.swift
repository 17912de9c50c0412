import Apus
import Terminal

/// A transfer's gauge: it fills when the total is known and moves when it is not.
struct ProgressGauge {
    let progress: TransferProgress
    let now: Duration

    func draw(in rect: Rect, into grid: inout Grid, look: Look) {
        if let fraction = ProgressText.fraction(progress) {
            Gauge.draw(fraction: fraction, in: rect, into: &grid, look: look)
        } else {
            Gauge.drawUnknown(phase: now.motionPhase, in: rect, into: &grid, look: look)
        }
    }
}
