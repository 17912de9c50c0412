import Apus
import Synchronization

/// What a transfer said of its progress.
final class Told: Sendable {
    private let progress = Mutex<[TransferProgress]>([])

    var all: [TransferProgress] { progress.withLock { $0 } }
    func add(_ step: TransferProgress) { progress.withLock { $0.append(step) } }
}
