import Apus
import FoundationEssentials
import Glibc

/// Sends COUNT times a GET, CONCURRENCY at a time, and lets go of each response as
/// the other programs do.
struct RequestLoad {
    /// Whether the tasks run on the transport's own thread; else on those of
    /// Swift's pool, as in most programs.
    let isOnTransport: Bool
    let url: URL
    let count: Int
    let concurrency: Int

    init?(_ arguments: [String]) {
        guard arguments.count == 5, let url = URL(string: arguments[2]),
            let count = Int(arguments[3]), let concurrency = Int(arguments[4])
        else { return nil }
        isOnTransport = arguments[1] == "requests"
        self.url = url
        self.count = count
        self.concurrency = concurrency
    }

    func run() async {
        // As many connections as the other programs open.
        let configuration = CurlTransport.Configuration(
            maximumConnections: max(256, concurrency),
            connectionsPerHost: max(128, concurrency)
        )
        let transport = CurlTransport(configuration)
        let provider = Provider<Get>(transport: transport)
        let target = Get(baseURL: url)
        let start = ContinuousClock.now
        let executor = isOnTransport ? transport.executor : nil
        let good = await withTaskExecutorPreference(executor) {
            await answers(to: target, of: provider)
        }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        guard good == count else {
            print("only \(good) of \(count) responses were 200")
            exit(1)
        }
        Usage.print(rate: Double(count) / elapsed)
    }

    /// How many responses were 200.
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
}
