import Apus
import FoundationEssentials
import Glibc
import HTTPTypes
import Recordings

// What a history costs, and how quick it is when it is large.
//
//     batch URL COUNT CONCURRENCY    a batch without a history and with one, by turns; their ratio, and
//                                    the processor's microseconds for each exchange
//     fill FILE COUNT                records so many exchanges of 500 bytes; microseconds for each
//     look FILE FILTER…              list, page, filters and searches, in milliseconds; what the processor had
//                                    to do for the first stands behind it
//     write FILE SESSION COUNT       records so many, and says after each flush how many are on disk: for
//                                    the tests of what survives a process's end

let arguments = CommandLine.arguments
switch (arguments.count > 1 ? arguments[1] : "", arguments.count) {
case ("batch", 5): try await batches()
case ("fill", 4): try await fill(arguments[2], Int(arguments[3]) ?? 0)
case ("look", 3...): try await look(arguments[2], Array(arguments.dropFirst(3)))
case ("write", 5): await write(arguments[2], arguments[3], Int(arguments[4]) ?? 0)
default:
    print("usage: HistoryBenchmark batch|fill|look …; see its source")
    exit(2)
}

/// A GET of one URL.
struct Get: TargetType {
    let url: String

    var baseURL: URL { URL(string: url) ?? URL(filePath: "/") }
    var path: String { "" }
}

/// The processor time that this process has used.
func processorTime() -> Duration {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let times = [usage.ru_utime, usage.ru_stime]
    return .microseconds(times.reduce(0) { $0 + $1.tv_sec * 1_000_000 + Int($1.tv_usec) })
}

func batches() async throws {
    guard let count = Int(arguments[3]), let concurrency = Int(arguments[4]) else { return }
    let target = Get(url: arguments[2])
    func rate(_ history: History?) async throws -> Double {
        let provider = Provider<Get>(plugins: history.map { [.recording(to: $0)] } ?? [])
        let batch = Batch(concurrency: concurrency, count: count) {
            repeatElement(target, count: count)
        }
        let (start, before) = (ContinuousClock.now, processorTime())
        _ = await provider.run(batch) { _, _ in }
        let rate = Double(count) / (start.duration(to: .now) / .seconds(1))
        try await history?.flush()
        let all = Double(count) / (start.duration(to: .now) / .seconds(1))
        let used = (processorTime() - before) / .microseconds(1) / Double(count)
        let what = history == nil ? "plain" : "recorded"
        print("  \(what) \(Int(rate))/s, \(Int(all))/s until all is synced, \(used) µs each")
        return rate
    }
    var ratios: [Double] = []
    for round in 0..<5 {
        let plain = try await rate(nil)
        let file = "/tmp/apus-history-\(getpid())/\(round)/history.sqlite"
        let history = History(path: file, limits: .init(exchanges: .max))
        let recorded = try await rate(history)
        await history.close()
        ratios.append(recorded / plain)
        print("plain \(Int(plain))/s, ratio \(recorded / plain)")
    }
    print("median ratio \(ratios.sorted()[2])")
    try FileManager.default.removeItem(atPath: "/tmp/apus-history-\(getpid())")
}

func fill(_ path: String, _ count: Int) async throws {
    let history = History(
        path: path,
        limits: .init(exchanges: .max, bytes: .max, age: .seconds(1 << 40))
    )
    let words = (0..<5000).map { _ in
        String(
            (0..<Int.random(in: 4...9)).map { _ in
                "abcdefghijklmnopqrstuvwxyz".randomElement() ?? "a"
            }
        )
    }
    let start = ContinuousClock.now
    for number in 0..<count {
        let request = PreparedRequest(
            head: HTTPRequest(
                method: number % 7 == 0 ? .post : .get,
                scheme: "https",
                authority: "api\(number % 5).example.com",
                path: "/users/\(number)?q=\(words[number % 5000])"
            )
        )
        let text = (0..<40).map { _ in words.randomElement() ?? "" }.joined(separator: " ")
        let response = Response(
            request: request,
            head: HTTPResponse(
                status: .init(
                    code: [200, 200, 200, 200, 201, 304, 404, 500][Int.random(in: 0..<8)]
                ),
                headerFields: [.contentType: "application/json", .server: "nginx"]
            ),
            body: .bytes(
                Array(
                    #"{"id":\#(number),"name":"\#(words[number % 4999])","text":"\#(text)"}"#.utf8
                )
            ),
            source: .server,
            received: Date(),
            metrics: TransferMetrics(bytesReceived: 500, negotiatedVersion: "1.1")
        )
        await history.record(
            ExchangeRecord(
                started: Date(timeIntervalSinceNow: Double(number - count)),
                request: request,
                result: .success(response),
                duration: .milliseconds(12),
                origin: ExchangeOrigin(target: words[number % 30], environment: "local")
            )
        )
    }
    try await history.flush()
    var before = start
    func tell(_ what: String) {
        let now = ContinuousClock.now
        print("\(what): \(before.duration(to: now) / .microseconds(1) / Double(count)) µs each")
        before = now
    }
    tell("written")
    _ = try await history.exchanges(limit: 1)
    tell("taken in")
    _ = try await history.exchanges(matching: HistoryFilter("needle"), limit: 1)
    tell("indexed")
    await history.close()
}

func look(_ path: String, _ filters: [String]) async throws {
    let history = History(
        path: path,
        limits: .init(exchanges: .max, bytes: .max, age: .seconds(1 << 40))
    )
    func measure(_ what: String, _ body: () async throws -> Int) async rethrows {
        var times: [Double] = []
        var used: [Double] = []
        var count = 0
        for _ in 0..<5 {
            let (start, before) = (ContinuousClock.now, processorTime())
            count = try await body()
            times.append(start.duration(to: .now) / .milliseconds(1))
            used.append((processorTime() - before) / .milliseconds(1))
        }
        let (then, last) = (times.dropFirst().sorted()[1], used.dropFirst().sorted()[1])
        print(
            "\(what): first \(times[0]) (\(used[0])) ms, then \(then) (\(last)) ms, \(count) found"
        )
    }
    await measure("open and list") { (try? await history.exchanges(limit: 50).count) ?? 0 }
    let newest = try await history.exchanges(limit: 1).first?.id ?? 0
    try await measure("a page in the middle") {
        try await history.exchanges(before: newest / 2, limit: 50).count
    }
    let standard = [
        "status:5xx", "status:404 method:post", "status:418", "host:api3", "host:nowhere",
        "target:zzzz",
        "env:staging", "method:put", "after:1h", "before:1w", "before:11d",
        "after:9d before:8d status:418",
        "before:1w status:404", "is:marked", "source:cache", "url:/users/7777", "url:nowhere",
        "workspace:nowhere", "note:nothing", "session:none", "users/12345", "body:\"name\"",
        "nginx",
        "qqqqqq", "qzvxjq", "\"id\":777777", "nginxx", "0000000", "api3 nginx json",
    ]
    for filter in filters.isEmpty ? standard : filters {
        try await measure(filter) {
            try await history.exchanges(matching: HistoryFilter(filter), limit: 50).count
        }
    }
    await history.close()
}

func write(_ path: String, _ name: String, _ count: Int) async {
    let history = History(path: path, notice: { say("notice: \($0)") })
    do throws(RecordingError) {
        let session = try await history.session(named: name)
        var number = 0
        while number < count {
            for _ in 0..<Int.random(in: 1...50) where number < count {
                number += 1
                await history.record(exchange(number, of: name), in: session)
            }
            try await history.flush()
            say("\(history.recordedCount)")
        }
    } catch {
        say("stopped: \(error)")
        for number in 0..<100 { await history.record(exchange(number, of: name)) }
        say("lost: \(history.lostCount)")
    }
    await history.close(takingIn: false)
}

func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = Glibc.write(1, bytes, bytes.count)
}

/// An exchange with a secret; the body of every ninth is large, and of every thirtieth a file.
func exchange(_ number: Int, of name: String) -> ExchangeRecord {
    let request = PreparedRequest(
        head: HTTPRequest(
            method: .get,
            scheme: "https",
            authority: "api.example.com",
            path: "/\(name)/\(number)",
            headerFields: [.authorization: "Bearer secret-\(number % 7)"]
        )
    )
    let size = number % 30 == 0 ? 300_000 : number % 9 == 0 ? 20_000 : 300
    let response = Response(
        request: request,
        head: HTTPResponse(status: .ok),
        body: .bytes(Array(repeating: UInt8(truncatingIfNeeded: number), count: size)),
        source: .server,
        received: Date()
    )
    return ExchangeRecord(
        started: Date(),
        request: request,
        result: .success(response),
        duration: .milliseconds(3)
    )
}
