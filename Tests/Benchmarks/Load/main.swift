import Apus
import FoundationEssentials
import Glibc
import Synchronization

// Sends COUNT times a GET to URL, CONCURRENCY at a time, and lets go of each
// answer as curl does: what `throughput` sets beside curl. Prints requests a
// second and the processor's seconds.

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
let target = Get(baseURL: url)
let taken = Atomic(0)
let start = ContinuousClock.now
let good = await withTaskExecutorPreference(transport.executor) {
    await withTaskGroup { group in
        for _ in 0..<concurrency {
            group.addTask {
                var good = 0
                while taken.wrappingAdd(1, ordering: .relaxed).newValue <= count {
                    let response = try? await provider.response(for: target)
                    if response?.status == 200 { good += 1 }
                }
                return good
            }
        }
        var good = 0
        for await part in group { good += part }
        return good
    }
}
let elapsed = (ContinuousClock.now - start) / .seconds(1)
guard good == count else {
    print("only \(good) of \(count) answers were 200")
    exit(1)
}
var time = timespec()
clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
let processor = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
print("\(Int(Double(count) / elapsed)) \(processor)")
