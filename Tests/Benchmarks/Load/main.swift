import Apus
import FoundationEssentials
import Glibc
import Synchronization

// Sends COUNT times a GET to URL, CONCURRENCY at a time, and lets go of each
// answer as curl does: what `throughput` sets beside curl. Prints requests a
// second and the processor's seconds. With a fourth argument it is a batch whose
// targets are made while it runs: see `BatchLoad`.

guard (4...5).contains(CommandLine.arguments.count),
    let url = URL(string: CommandLine.arguments[1]),
    let count = Int(CommandLine.arguments[2]), let concurrency = Int(CommandLine.arguments[3])
else {
    print("usage: LoadBenchmark URL COUNT CONCURRENCY [run|events]")
    exit(2)
}

let transport = CurlTransport()
let provider = Provider<Get>(transport: transport)
let target = Get(baseURL: url)
if let reading = CommandLine.arguments.dropFirst(4).first.flatMap(BatchLoad.Reading.init) {
    let load = BatchLoad(
        transport: transport,
        target: target,
        count: count,
        concurrency: concurrency,
        reading: reading
    )
    exit(await load.measure() ? 0 : 1)
}
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
print("\(Int(Double(count) / elapsed)) \(processorSeconds())")
