import FoundationEssentials
import Glibc
import Testing

@testable import Apus

@Suite("whose the cache's folder is")
struct CacheFolderTests {
    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        lstat(path, &status)
        return status.st_mode & 0o777
    }

    @Test("a folder that others may enter is closed to them, with all that is in it")
    func tightened() async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(for: .forever, in: .disk)
        await bench.store("/a", policy: policy)
        await bench.store("/b", body: .bytes(Array(repeating: 1, count: 100_000)), policy: policy)
        await bench.cache.close()
        let all = bench.folder.files + ["bodies", "lent"]
        for name in all { chmod("\(bench.folder.path)/\(name)", 0o777) }
        try Temporary.write("mine", to: "\(bench.folder.path)/notes.txt")
        chmod("\(bench.folder.path)/notes.txt", 0o644)
        chmod(bench.folder.path, 0o777)
        let key = bench.key("/b", policy)
        let hit = await bench.another().lookup(key, policy: policy, for: .cached("/b"))
        #expect(hit.response != nil)
        #expect(Self.mode(bench.folder.path) == 0o700)
        for name in bench.folder.files where name != "notes.txt" {
            #expect(Self.mode("\(bench.folder.path)/\(name)") == 0o600, "\(name)")
        }
        #expect(Self.mode("\(bench.folder.path)/bodies") == 0o700)
        // What is not the cache's stays as it is.
        #expect(Self.mode("\(bench.folder.path)/notes.txt") == 0o644)
    }

    @Test("a link in the place of a file of the cache is not followed")
    func planted() async throws {
        let bench = try CacheBench()
        let victim = "\(bench.folder.path)/victim"
        try Temporary.write("precious", to: victim)
        for name in ["responses.sqlite", "responses.lock", "responses.sqlite-wal"] {
            symlink(victim, "\(bench.folder.path)/\(name)")
        }
        chmod(bench.folder.path, 0o777)
        await bench.store("/a", policy: .keep(in: .disk))
        await bench.cache.close()
        #expect(Temporary.text(victim) == "precious")
        #expect(await bench.lookup("/a", CachePolicy.keep(in: .disk)).response != nil)
    }

    @Test("another user's folder is refused, also by a link, and the cache goes on without disk")
    func foreign() async throws {
        let folder = try CacheFolder()
        try PrivateFiles.makeFolder("\(folder.path)/theirs")
        // Only root can give a folder away; for others, one of root's has to do.
        let isGiven = chown("\(folder.path)/theirs", 12_345, 12_345) == 0
        let theirs = isGiven ? "\(folder.path)/theirs" : "/usr"
        symlink(theirs, "\(folder.path)/link")
        for path in [theirs, "\(folder.path)/link"] {
            let notices = Notices()
            let cache = ResponseCache(
                configuration: .init(directory: path),
                notice: { notices.add($0) }
            )
            let policy = CachePolicy.keep()
            let key = cache.key(for: .cached(), policy: policy)
            guard
                case .stored(.memory, _) = await cache.store(
                    .fromServer(),
                    key: key,
                    policy: policy
                )
            else {
                Issue.record("not in memory alone")
                return
            }
            guard case .writeFailed(let detail) = notices.all.first else {
                Issue.record("\(notices.all)")
                return
            }
            #expect(detail.contains("belongs to another user"), "\(detail)")
        }
    }
}
