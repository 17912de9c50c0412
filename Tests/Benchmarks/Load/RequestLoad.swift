import Apus
import FoundationEssentials
import Glibc

/// Sends COUNT times a GET, CONCURRENCY at a time, and lets go of each answer as
/// the other programs do.
struct RequestLoad {
    /// A GET that keeps nothing.
    struct Get: TargetType {
        let baseURL: URL
        let path = ""
        // All bodies in memory: what is compared does the same.
        var options: TransportOptions { TransportOptions(memoryLimit: .max) }
    }

    /// How the requests are sent.
    enum Mode: String {
        /// By tasks on the transport's own thread.
        case requests
        /// By tasks on the threads of Swift's pool, as most programs do.
        case pool
        /// As one batch.
        case batch
    }

    let mode: Mode
    let url: URL
    let count: Int
    let concurrency: Int

    init?(_ arguments: [String]) {
        guard arguments.count == 5, let mode = Mode(rawValue: arguments[1]), let url = URL(string: arguments[2]),
            let count = Int(arguments[3]), let concurrency = Int(arguments[4])
        else { return nil }
        self.mode = mode
        self.url = url
        self.count = count
        self.concurrency = concurrency
    }

    func run() async {
        // As many connections as the other programs open.
        let transport = CurlTransport(
            .init(maximumConnections: max(256, concurrency), connectionsPerHost: max(128, concurrency))
        )
        let provider = Provider<Get>(transport: transport)
        let target = Get(baseURL: url)
        let start = ContinuousClock.now
        let good =
            switch mode {
            case .requests:
                await withTaskExecutorPreference(transport.executor) {
                    await answers(to: target, of: provider)
                }
            case .pool: await answers(to: target, of: provider)
            case .batch:
                await withTaskExecutorPreference(transport.executor) {
                    await batchAnswers(to: target, of: provider)
                }
            }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        guard good == count else {
            print("only \(good) of \(count) answers were 200")
            exit(1)
        }
        Usage.print(rate: Double(count) / elapsed)
    }

    /// How many answers were 200.
    private func answers(to target: Get, of provider: Provider<Get>) async -> Int {
        await withTaskGroup { group in
            for worker in 0..<concurrency {
                let share = (count + concurrency - 1 - worker) / concurrency
                group.addTask {
                    var good = 0
                    for _ in 0..<share {
                        let response = try? await provider.response(for: target)
                        if response?.status == 200 { good += 1 }
                    }
                    return good
                }
            }
            return await group.reduce(0, +)
        }
    }

    private func batchAnswers(to target: Get, of provider: Provider<Get>) async -> Int {
        let batch = Batch(Array(repeating: target, count: count), concurrency: concurrency)
        let results = try? await provider.results(of: batch)
        return results?.count { (try? $0.get())?.status == 200 } ?? 0
    }
}
