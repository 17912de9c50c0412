import Glibc
import TestSupport
import Testing

@testable import Apus

/// The folder of bodies that are too large for memory, and what processes leave of it.
struct SpoolFolderTests {
    private static let name = String(repeating: "0123456789abcdef", count: 2)

    /// A body of the process, and its file.
    private static func spool(_ spool: SpoolFolder) throws -> BodyFile {
        try spool.makeFile().temporaryFile()
    }

    /// A root that is not used, because it is a link.
    private static func foreignRoot() throws -> (place: String, root: String) {
        let place = Temporary.folder()
        try Shell.run("mkdir -m 700 '\(place)/other' && ln -s other '\(place)/spool'")
        return (place, "\(place)/spool")
    }

    @Test(
        "a process that ends removes its folder unless a body is in it",
        arguments: [true, false]
    )
    func leaving(isForeign: Bool) throws {
        let (place, root) = try Self.foreignRoot()
        if !isForeign { unlink(root) }
        let spool = SpoolFolder.at(root)
        var body: BodyFile? = try Self.spool(spool)
        let folder = try #require(body.map { Folders.parent(of: $0.path) })
        #expect(folder.hasPrefix(isForeign ? "\(root)-" : "\(root)/"))
        spool.leave()
        #expect(body.map { Temporary.exists($0.path) } == true)
        body = nil
        spool.leave()
        #expect(!Temporary.exists(folder))
        #expect(!Temporary.names(in: place).contains { $0.hasPrefix("spool-") })
        let next = try Self.spool(spool)
        #expect(Temporary.exists(next.path))
    }

    @Test("a folder beside the root goes when its process is gone, and no other")
    func sweeping() throws {
        let (place, root) = try Self.foreignRoot()
        let left = "\(root)-\(Self.name)"
        let used = "\(root)-\(String(Self.name.reversed()))"
        let others = ["\(root)-mine", "\(place)/copy-\(Self.name)"]
        for folder in [left, used] + others {
            try PrivateFiles.makeFolder(folder)
            try Temporary.write("", to: "\(folder)/lock")
            try Temporary.write("body", to: "\(folder)/1")
        }
        let lock = try #require(FolderLock(trying: "\(used)/lock"))
        _ = try Self.spool(SpoolFolder.at(root))
        #expect(!Temporary.exists(left))
        for folder in [used] + others { #expect(Temporary.exists("\(folder)/1"), "\(folder)") }
        withExtendedLifetime(lock) {}
    }

    @Test("in the root only folders of processes that are gone go, and no link is followed")
    func sweepingRoot() throws {
        let place = Temporary.folder()
        let (root, home) = ("\(place)/spool", "\(place)/home")
        let (left, planted) = ("\(root)/1-\(Self.name)", "\(root)/2-\(Self.name)")
        let others = [home, "\(root)/1-x", "\(root)/notes"]
        for folder in [root, left] + others {
            try PrivateFiles.makeFolder(folder)
            try Temporary.write("", to: "\(folder)/lock")
            try Temporary.write("body", to: "\(folder)/1")
        }
        symlink(home, planted)
        _ = try Self.spool(SpoolFolder.at(root))
        #expect(!Temporary.exists(left))
        for folder in others { #expect(Temporary.exists("\(folder)/1"), "\(folder)") }
    }

    @Test("the lock of a folder goes last, and one without a lock goes when it is old")
    func sweepingOrder() throws {
        let folder = Temporary.folder()
        for name in ["lock", "1"] { try Temporary.write("", to: "\(folder)/\(name)") }
        // What cannot be removed stands for what a killed process did not come to.
        try PrivateFiles.makeFolder("\(folder)/2")
        #expect(!FolderLock.removeAbandoned(folder))
        #expect(Set(Temporary.names(in: folder)) == ["2", "lock"])
        rmdir("\(folder)/2")
        unlink("\(folder)/lock")
        try Temporary.write("body", to: "\(folder)/3")
        #expect(!FolderLock.removeAbandoned(folder))
        try Shell.run("touch -d '2 hours ago' '\(folder)'")
        #expect(FolderLock.removeAbandoned(folder))
        #expect(!Temporary.exists(folder))
    }

    @Test("a lock for all that nobody gives keeps no body from its file")
    func heldLock() throws {
        let root = Temporary.folder() + "/spool"
        try PrivateFiles.makeFolder(root)
        let lock = try #require(FolderLock(trying: "\(root)/lock"))
        let body = try Self.spool(SpoolFolder.at(root))
        #expect(body.path.hasPrefix("\(root)-"))
        withExtendedLifetime(lock) {}
    }
}
