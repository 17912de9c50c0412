import Documents
import TestSupport
import Testing

@Suite("apus batch --workers, apus work")
struct WorkersCommandTests {
    private let redis: RedisServer
    private let nginx: Nginx

    init() throws {
        (redis, nginx) = (try RedisServer(), try Nginx.shared())
    }

    /// A machine with the workspace.
    private func machine(_ batch: String, extra: String = "") throws -> PrivateFiles {
        let files = PrivateFiles()
        try files.write(
            """
            name: Shop
            \(extra)
            variables: { token: { env: SHOP_TOKEN } }
            environments: { local: { baseURL: "http://\(nginx.plain)" } }
            targets:
              Hit: { request: "GET /x{{ n }}", auth: { bearer: "{{ token }}" }, validate: none }
            batches:
              Many: \(batch)
            """,
            to: "w.apus.yaml"
        )
        return files
    }

    private let one = "[{ target: Hit, set: { n: 1 } }]"

    private static let environment =
        "export TEAM_KEY=0123456789abcdef0123456789abcdef SHOP_TOKEN=sesame-street"

    private func apus(_ arguments: String, on files: PrivateFiles) throws -> PipedProgram {
        try .shell("\(Self.environment); \"$1\" \(arguments)", files: files)
    }

    @Test("ten workers, two of them killed: no target is lost, and secrets stay with the workers")
    func killed() throws {
        let count = 10_000
        let files = try machine("[{ target: Hit, repeat: \(count), set: { n: \"{{ index }}\" } }]")
        let run = try PipedProgram.shell(
            """
            \(Self.environment)
            for i in 1 2 3 4 5 6 7 8 9 10; do
              "$1" work \(redis.url) -w w.apus.yaml --batches 1 --no-history --concurrency 4 2>w$i &
              echo $! >>pids
            done
            until [ "$(cat w* | grep -c 'works on batches')" -eq 10 ]; do sleep 0.01; done
            env -u SHOP_TOKEN "$1" batch Many -w w.apus.yaml --workers \(redis.url) --json >out 2>err &
            batch=$!
            until [ "$(grep -c joined err)" -eq 10 ]; do kill -0 $batch || break; sleep 0.01; done
            kill -9 $(sed -n '3p;7p' pids)
            wait $batch; echo $?
            wait
            """,
            files: files
        )
        #expect(run.output == "0\n")
        let lines = try files.read("out").split(separator: "\n").map {
            try JSON(parsing: String($0))
        }
        let results = lines.dropLast()
        #expect(results.count == count)
        #expect(Set(results.compactMap { $0["index"].int }) == Set(0..<count))
        let summary = try #require(lines.last?["summary"])
        #expect(summary["total"].int == count)
        #expect(summary["notSent"].int == 0)
        #expect(summary["workers"].count == 10)
        // What they had taken was handed out again: at least what they told nothing of.
        #expect(summary["again"].int ?? 0 > 0)
        let ended = summary["workers"].elements.reduce(0) { $0 + $1["ended"].intValue }
        #expect(ended == count)
        // The statuses and the times of all are those of the lines.
        let statuses = Dictionary(grouping: results.compactMap { $0["status"].int }) { $0 }
        for (status, all) in statuses {
            #expect(summary["statuses"]["\(status)"].int == all.count)
        }
        let longest = results.compactMap { $0["timings"]["total"].double }.max() ?? 0
        #expect(abs((summary["latency"]["max"].double ?? 0) - longest) <= longest / 500)
        let errors = try files.read("err")
        #expect(errors.contains("no sign of life"))
        let told = try errors + files.read("out")
        #expect(!told.contains("sesame"))
    }

    @Test("what is wrong is said, with what to do")
    func faults() throws {
        let files = try machine(one)
        let secret = try apus(
            "batch Many --workers \(redis.url) --set token=other-secret",
            on: files
        )
        #expect(secret.errors.contains("the value of “token” is secret"))
        #expect(secret.status == .exited(2))
        let session = try apus("batch Many --workers \(redis.url) --session a", on: files)
        #expect(session.errors.contains("say --session to `apus work`"))
        let environment = try apus("work \(redis.url) -e local", on: files)
        #expect(environment.errors.contains("The environment is that of the batch"))
        let keyless = try PipedProgram.run(["work", redis.url], files: files)
        #expect(keyless.errors.contains("the environment variable TEAM_KEY is not set"))
        let none = try apus("batch Other --workers \(redis.url)", on: files)
        #expect(none.errors.contains("Other"))
        try redis.send("config set requirepass secret")
        for command in ["batch Many --workers", "work"] {
            let refused = try apus("\(command) \(redis.url)", on: files)
            #expect(refused.errors.contains("the server refused the user or the password"))
            #expect(refused.status == .exited(2))
        }
        try redis.kill()
        for command in ["batch Many --workers", "work"] {
            let gone = try apus("\(command) \(redis.url)", on: files)
            #expect(gone.errors.contains("\(redis.url) cannot be used: no connection: "))
            #expect(gone.status == .exited(2))
        }
    }

    @Test("a worker with other files leaves the batch, and says why; one without a secret says so")
    func differing() throws {
        let (mine, other) = (try machine(one), try machine(one, extra: "note: Other"))
        let run = try PipedProgram.shell(
            """
            \(Self.environment)
            "$1" batch Many --workers \(redis.url) >out 2>err &
            batch=$!
            ( cd '\(other.home)' && exec "$1" work \(redis.url) --no-history 2>other ) &
            stranger=$!
            until grep -q 'is not taken' '\(other.home)/other'; do kill -0 $stranger || break; sleep 0.01; done
            env -u SHOP_TOKEN "$1" work \(redis.url) --batches 1 --no-history 2>own
            wait $batch; echo $?
            kill -INT $stranger; wait
            """,
            files: mine
        )
        #expect(run.output == "1\n")
        #expect(try other.read("other").contains("it was started with other files of “Shop”"))
        // The value is missing where the worker is, and that is told where the batch was started.
        #expect(try mine.read("out").contains("SHOP_TOKEN"))
        #expect(try mine.read("err").contains("0 of 1 answered, 1 failed"))
    }
}
