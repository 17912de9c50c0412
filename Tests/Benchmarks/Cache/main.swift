import Apus
import FoundationEssentials
import Glibc

// What a hit costs, beside the same read in raw SQLite:
//   CacheBenchmark [COUNT]      memory and disk with COUNT entries (20,000), bodies of 2 KB
//   CacheBenchmark growth       10,000 to 1,000,000 entries, bodies of 200 bytes

var template = Array("/tmp/apus-cache-bench-XXXXXX".utf8CString)
guard mkdtemp(&template) != nil else { exit(1) }
let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)

func text(_ value: Double) -> String { String((value * 100).rounded() / 100) }

func measureDisk(_ count: Int, _ size: Int) async {
    let disk = CacheRun("\(folder)/disk-\(count)", count: count, bodySize: size, storage: .disk)
    let keys = await disk.fill()
    let raw = RawTable("\(folder)/raw-\(count).sqlite")
    var numbers = Numbers()
    let ids = (0..<count).map { _ in Int64(numbers.next(below: .max)) }
    raw.fill(ids, disk.body)
    // In turns, so that both have the same machine.
    var ours = Double.infinity
    var theirs = Double.infinity
    for _ in 0..<5 {
        ours = min(ours, await disk.lookup(keys, rounds: 1))
        theirs = min(theirs, rawLookup(raw, ids))
    }
    print(
        "disk hit, \(size) bytes, \(count) entries: \(text(ours)) µs; "
            + "raw SQLite \(text(theirs)) µs; \(text(ours / theirs))x"
    )
    await disk.cache.close()
}

func rawLookup(_ raw: RawTable, _ ids: [Int64], each: Int = 20_000) -> Double {
    var numbers = Numbers()
    let picks = (0..<each).map { _ in numbers.next(below: ids.count) }
    let start = ContinuousClock.now
    var bytes = 0
    for pick in picks { bytes += raw.body(ids[pick]).count }
    let time = (ContinuousClock.now - start) / .microseconds(1) / Double(each)
    guard bytes > 0 else { fatalError("nothing read") }
    return time
}

func measureMemory(_ count: Int, _ size: Int) async {
    let memory = CacheRun("\(folder)/none-\(count)", count: count, bodySize: size, storage: .memory)
    let keys = await memory.fill()
    print(
        "memory hit, \(count) entries: \(text(memory.memoryLookup(keys))) µs, "
            + "awaited \(text(await memory.lookup(keys))) µs; "
            + "key \(text(memory.keyCost())) µs"
    )
}

switch CommandLine.arguments.dropFirst().first {
case "growth":
    for count in [10_000, 100_000, 1_000_000] {
        await measureMemory(count, 200)
        await measureDisk(count, 200)
    }
case let argument:
    let count = argument.flatMap { Int($0) } ?? 20_000
    await measureMemory(count, 2048)
    await measureDisk(count, 2048)
}
try? FileManager.default.removeItem(atPath: folder)
