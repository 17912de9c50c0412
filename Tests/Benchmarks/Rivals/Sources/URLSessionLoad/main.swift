import Foundation
import FoundationNetworking
import Synchronization

// What LoadBenchmark does, with URLSession: COUNT GETs of URL, CONCURRENCY at a time.

guard CommandLine.arguments.count == 4, let url = URL(string: CommandLine.arguments[1]),
    let count = Int(CommandLine.arguments[2]), let concurrency = Int(CommandLine.arguments[3])
else {
    print("usage: URLSessionLoad URL COUNT CONCURRENCY")
    exit(2)
}
let configuration = URLSessionConfiguration.ephemeral
configuration.httpMaximumConnectionsPerHost = concurrency
configuration.urlCache = nil
let session = URLSession(configuration: configuration)
let taken = Atomic(0)
let start = ContinuousClock.now
let good = try await withThrowingTaskGroup { group in
    for _ in 0..<concurrency {
        group.addTask {
            var good = 0
            while taken.wrappingAdd(1, ordering: .relaxed).newValue <= count {
                let (_, response) = try await session.data(from: url)
                if (response as? HTTPURLResponse)?.statusCode == 200 { good += 1 }
            }
            return good
        }
    }
    var good = 0
    for try await part in group { good += part }
    return good
}
let elapsed = (ContinuousClock.now - start) / .seconds(1)
guard good == count else {
    print("only \(good) of \(count) responses were 200")
    exit(1)
}
var time = timespec()
clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
var usage = rusage()
getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
print(
    Double(count) / elapsed,
    Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
    usage.ru_maxrss * 1024
)
