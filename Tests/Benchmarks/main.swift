import Apus
import FoundationEssentials
import Glibc

// Sends COUNT times a GET to URL, CONCURRENCY at a time, as a batch: what
// `throughput` sets beside curl. Prints requests a second and the processor's
// seconds.

/// A GET that keeps nothing.
struct Get: TargetType {
    let baseURL: URL
    let path = ""
}

guard CommandLine.arguments.count == 4, let url = URL(string: CommandLine.arguments[1]),
    let count = Int(CommandLine.arguments[2]), let concurrency = Int(CommandLine.arguments[3])
else {
    print("usage: Benchmarks URL COUNT CONCURRENCY")
    exit(2)
}

let transport = CurlTransport()
let provider = Provider<Get>(transport: transport)
let batch = Batch(
    Array(repeating: Get(baseURL: url), count: count),
    concurrency: concurrency,
    mode: .all
)
let start = ContinuousClock.now
let results = try await withTaskExecutorPreference(transport.executor) {
    try await provider.results(of: batch)
}
let elapsed = (ContinuousClock.now - start) / .seconds(1)
guard results.allSatisfy({ (try? $0.get().status) == 200 }) else {
    print("not every answer was 200")
    exit(1)
}
var time = timespec()
clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
let processor = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
print("\(Int(Double(count) / elapsed)) \(processor)")
