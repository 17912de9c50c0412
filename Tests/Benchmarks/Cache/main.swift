import Apus
import FoundationEssentials
import Glibc

// What a hit costs, beside the same read in raw SQLite, and what is asked:
//   CacheBenchmark              all: memory and disk with 20,000 entries of 2 KB, then growth
//   CacheBenchmark memory|disk [COUNT]     one of the two
//   CacheBenchmark growth       from 10,000 to 1,000,000 entries of 200 bytes

var template = Array("/tmp/apus-cache-bench-XXXXXX".utf8CString)
guard mkdtemp(&template) != nil else { exit(1) }
let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
let rounds = 21

func text(_ value: Double) -> String { String((value * 100).rounded() / 100) }

struct MemoryCosts {
    var key = Double.infinity
    var hit = Double.infinity
    var both = Double.infinity
    var dictionary = Double.infinity
}

/// What each round cost; the machine is another in each, so rounds are compared one by one.
struct DiskCosts {
    struct Round {
        let ours: Double
        let rawBody: Double
        let rawBoth: Double
    }

    var rounds: [Round] = []

    func median(_ value: (Round) -> Double) -> Double {
        rounds.map(value).sorted()[rounds.count / 2]
    }
}

func memoryCosts(_ count: Int, _ size: Int) async -> MemoryCosts {
    let run = CacheRun("\(folder)/none-\(count)", count: count, bodySize: size, storage: .memory)
    await run.fill()
    let dictionary = run.dictionary()
    var costs = MemoryCosts()
    var numbers = Numbers()
    for _ in 0..<rounds {
        let requests = run.requests(&numbers)
        costs.dictionary = min(costs.dictionary, run.dictionaryHit(requests, dictionary))
        costs.key = min(costs.key, run.keyCost(requests))
        costs.hit = min(costs.hit, run.memoryHit(requests))
        costs.both = min(costs.both, run.memoryHitFromRequest(requests))
    }
    return costs
}

func diskCosts(_ count: Int, _ size: Int) async -> DiskCosts {
    let run = CacheRun("\(folder)/disk-\(count)", count: count, bodySize: size, storage: .disk)
    await run.fill()
    let raw = RawTable("\(folder)/raw-\(count).sqlite")
    var numbers = Numbers()
    let ids = (0..<count).map { _ in Int64(numbers.next(below: .max)) }
    raw.fill(ids, run.body)
    // In turns, so that all have the same machine.
    var costs = DiskCosts()
    for _ in 0..<rounds {
        costs.rounds.append(
            DiskCosts.Round(
                ours: await run.diskHit(run.requests(&numbers)),
                rawBody: rawHit(ids, &numbers) { raw.readBody($0) },
                rawBoth: rawHit(ids, &numbers) { raw.readBoth($0) }
            )
        )
    }
    await run.cache.close()
    return costs
}

func rawHit(_ ids: [Int64], _ numbers: inout Numbers, _ read: (Int64) -> Int) -> Double {
    let picks = (0..<CacheRun.batch).map { _ in ids[numbers.next(below: ids.count)] }
    let start = ContinuousClock.now
    var bytes = 0
    for pick in picks { bytes += read(pick) }
    let time = (ContinuousClock.now - start) / .microseconds(1) / Double(CacheRun.batch)
    guard bytes > 0 else { fatalError("nothing read") }
    return time
}

func printMemory(_ count: Int) async {
    let costs = await memoryCosts(count, 2048)
    print(
        "memory hit, \(count) entries of 2 KB: \(text(costs.hit)) µs, "
            + "from the request on \(text(costs.both)) µs (its key \(text(costs.key)) µs); "
            + "asked: under 1 µs (a dictionary of bodies: \(text(costs.dictionary)) µs)"
    )
}

func printDisk(_ count: Int) async {
    let costs = await diskCosts(count, 2048)
    print(
        "disk hit, \(count) entries of 2 KB: \(text(costs.median(\.ours))) µs, "
            + "raw SQLite \(text(costs.median(\.rawBoth))) µs: "
            + "\(text(costs.median { $0.ours / $0.rawBoth }))x; asked: at most 1.5x "
            + "(the body alone, in raw SQLite: \(text(costs.median(\.rawBody))) µs, "
            + "\(text(costs.median { $0.ours / $0.rawBody }))x)"
    )
}

func printGrowth() async {
    let counts = [10_000, 100_000, 1_000_000]
    var memory: [MemoryCosts] = []
    var disk: [DiskCosts] = []
    for count in counts {
        memory.append(await memoryCosts(count, 200))
        disk.append(await diskCosts(count, 200))
    }
    print(
        "growth of a hit, entries of 200 bytes: \(counts.map(String.init).joined(separator: ", "))"
    )
    // The logarithm grows from 4 to 6.
    printRow("memory", memory.map(\.hit), asked: "asked: at most 1.5x")
    printRow("  from the request on", memory.map(\.both), asked: "")
    printRow("a dictionary of bodies", memory.map(\.dictionary), asked: "")
    printRow("disk", disk.map { $0.median(\.ours) }, asked: "asked: at most 1.5x")
    printRow("raw SQLite", disk.map { $0.median(\.rawBoth) }, asked: "")
}

func printRow(_ name: String, _ costs: [Double], asked: String) {
    guard let first = costs.first, let last = costs.last else { return }
    let numbers = costs.map { "\(text($0)) µs" }.joined(separator: ", ")
    print("  \(name): \(numbers): \(text(last / first))x \(asked)")
}

let count = CommandLine.arguments.last.flatMap { Int($0) } ?? 20_000
switch CommandLine.arguments.dropFirst().first {
case "memory": await printMemory(count)
case "disk": await printDisk(count)
case "growth": await printGrowth()
default:
    await printMemory(count)
    await printDisk(count)
    await printGrowth()
}
try? FileManager.default.removeItem(atPath: folder)
