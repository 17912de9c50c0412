import Glibc
import TestSupport
import Testing

@Suite("Copying")
struct ClipboardStory {
    @Test("a program for the clipboard gets the text, and the screen says which")
    func copies() throws {
        let folder = TemporaryFolder()
        let path = try folder.write("#!/bin/sh\ncat >'\(folder.path)/got'\n", to: "pbcopy")
        chmod(path, 0o755)
        let explorer = try TerminalProcess.demo(environment: [
            "PATH": "\(folder.path):/usr/bin:/bin", "DISPLAY": "", "WAYLAND_DISPLAY": "",
            "TMUX": "",
        ])
        try explorer.send("jC")
        try explorer.waitFor("Copy the request as")
        try explorer.send("\r")
        try explorer.waitFor("copied to pbcopy: the request as curl")
        let file = try #require(fopen("\(folder.path)/got", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 5)
        #expect(fread(&bytes, 1, 5, file) == 5)
        #expect(String(decoding: bytes, as: UTF8.self) == "curl ")
        explorer.signal(SIGTERM)
        _ = try explorer.waitForExit()
    }

    @Test("where nothing takes it, the screen says that it may not have been copied")
    func unknown() throws {
        let folder = TemporaryFolder()
        let explorer = try TerminalProcess.demo(environment: [
            "PATH": folder.path, "DISPLAY": "", "WAYLAND_DISPLAY": "", "TMUX": "",
        ])
        try explorer.send("jC")
        try explorer.waitFor("Copy the request as")
        try explorer.send("\r")
        try explorer.waitFor("perhaps copied")
        explorer.signal(SIGTERM)
        _ = try explorer.waitForExit()
    }
}
