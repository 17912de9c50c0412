import Apus
import FoundationEssentials
import Glibc
import Synchronization

/// A batch whose targets are made while it runs, and whose responses nobody keeps.
struct BatchLoad {
    /// How the responses are read.
    enum Reading: String {
        /// `Provider.run`: each result as it ends.
        case run
        /// `Provider.events`: all events, by one reader.
        case events
    }

    let target: Get
    let count: Int
    let concurrency: Int
    let reading: Reading

    init?(_ arguments: [String]) {
        guard arguments.count == 6, let url = URL(string: arguments[2]),
            let count = Int(arguments[3]), let concurrency = Int(arguments[4]),
            let reading = Reading(rawValue: arguments[5])
        else { return nil }
        target = Get(baseURL: url)
        self.count = count
        self.concurrency = concurrency
        self.reading = reading
    }

    /// Prints what all modes print, and the resident memory in KiB when a tenth had
    /// ended and at the end.
    func run() async {
        let provider = Provider<Get>()
        let target = target
        let batch = Batch(concurrency: concurrency, count: count) { [count] in
            repeatElement(target, count: count)
        }
        let good = Atomic(0)
        let early = Atomic(0)
        let tenth = count / 10
        let note: @Sendable (Bool) -> Void = { isGood in
            guard isGood else { return }
            let ended = good.wrappingAdd(1, ordering: .relaxed).newValue
            if ended == tenth { early.store(Self.residentKibibytes, ordering: .relaxed) }
        }
        let start = ContinuousClock.now
        switch reading {
        case .run:
            _ = await provider.run(batch) { _, result in note((try? result.get())?.status == 200) }
        case .events:
            for await event in provider.events(for: batch) {
                guard case .ended(_, let summary, _) = event else { continue }
                note((try? summary.result.get())?.status == 200)
            }
        }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let ended = good.load(ordering: .relaxed)
        guard ended == count else {
            print("only \(ended) of \(count) responses were 200")
            exit(1)
        }
        Usage.print(rate: Double(count) / elapsed)
        print(early.load(ordering: .relaxed), Self.residentKibibytes)
    }

    /// The second number of `/proc/self/statm`, in pages.
    private static var residentKibibytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let words = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * Int(getpagesize()) / 1024 : 0
    }
}
