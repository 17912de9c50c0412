import Apus
import Terminal
import Testing
import TreeView

@testable import Explorer

@Suite("A catalog that is read again")
struct CatalogTests {
    private func renamed(_ environments: [String], without name: String? = nil) -> Catalog {
        var catalog = Catalog.sample
        catalog.environments = environments
        catalog.nodes = catalog.nodes.filter {
            if case .group(name, _) = $0 { false } else { true }
        }
        return catalog
    }

    @Test("the environment stays by its name, and the selection on its target")
    func stays() {
        var play = Play()
        play.type("j e")
        #expect(play.model.workspace.environment == 1)
        play.receive(.catalogLoaded(renamed(["new", "local", "staging"])))
        #expect(play.model.workspace.environment == 2)
        #expect(play.model.targets.selected?.name == "Show user")
        play.receive(.catalogLoaded(renamed(["only"])))
        #expect(play.model.workspace.environment == 0)
    }

    @Test("the shown request is made anew, without another look at the first target")
    func resolvesAgain() {
        var play = Play()
        play.type("j")
        play.receive(.catalogLoaded(.sample))
        guard case .peek(let item, _, _)? = play.effects.first else {
            Issue.record("no look into the cache")
            return
        }
        #expect(item == CatalogID("Users/Show user"))
        #expect(play.effects.count == 1)
    }

    @Test("a target that is gone leaves the selection on a line that is there")
    func gone() {
        var play = Play()
        play.type("j")
        play.receive(.catalogLoaded(renamed(["local", "staging"], without: "Users")))
        #expect(play.model.targets.selected != nil)
        #expect(play.model.targets.rows.map(\.name) == ["Orders", "Order", "Warm", "Sign up"])
    }

    @Test("a problem leaves the program at first, and is said afterwards until files are whole")
    func problem() {
        var fresh = Play.unloaded
        fresh.receive(.catalogFailed(CatalogError("broken")))
        #expect(fresh.effects.contains { if case .fail("broken") = $0 { true } else { false } })

        var play = Play()
        let place = FilePlace(file: "a.yaml", line: 3)
        play.receive(.catalogFailed(CatalogError("a.yaml:3:1: error: odd\n 3 | odd", at: place)))
        #expect(play.effects.isEmpty)
        #expect(play.model.workspace.notice?.text.hasPrefix("a.yaml:3:1: error: odd (") == true)
        play.type("j o")
        #expect(play.editing == ["+3", "./a.yaml"])
        play.receive(.catalogLoaded(.sample))
        #expect(play.model.workspace.notice == nil)
    }

    @Test("a problem of what is shown already is said, and goes with the next version")
    func checked() {
        var play = Play()
        let place = FilePlace(file: "a.yaml", line: 3)
        play.receive(.catalogChecked(CatalogError("a.yaml:3:1: error: odd\n 3 | odd", at: place)))
        let text = play.model.workspace.notice?.text
        #expect(text?.hasPrefix("a.yaml:3:1: error: odd (what it concerns cannot be sent") == true)
        play.type("o")
        #expect(play.editing == ["+3", "./a.yaml"])
        play.receive(.catalogFailed(CatalogError("b.yaml:1:1: error: odder")))
        #expect(play.model.workspace.notice?.text.contains("previous version") == true)
        play.receive(.catalogLoaded(.sample))
        #expect(play.model.workspace.notice == nil)
    }

    @Test(
        "editors are given the line as they read it",
        arguments: [
            ([:], "vi", ["+7", "./a.yaml"]),
            (["EDITOR": "nano -l"], "nano -l", ["+7", "./a.yaml"]),
            (["EDITOR": "nano", "VISUAL": "/usr/bin/hx"], "/usr/bin/hx", ["./a.yaml:7"]),
            (["VISUAL": "", "EDITOR": "code"], "code", ["--wait", "--goto", "./a.yaml:7"]),
        ] as [([String: String], String, [String])]
    )
    func editors(environment: [String: String], command: String, arguments: [String]) {
        let editor = Editor(environment)
        #expect(editor.command == command)
        let run = editor.arguments(for: FilePlace(file: "a.yaml", line: 7))
        #expect(run == ["sh", "-c", "exec \(command) \"$@\"", "sh"] + arguments)
    }

    @Test("a file's name is never an option, nor a command", arguments: ["-x.yaml", "+!ls.yaml"])
    func option(name: String) {
        let run = Editor([:]).arguments(for: FilePlace(file: name, line: 1))
        #expect(run.last == "./\(name)")
        let path = Editor([:]).arguments(for: FilePlace(file: "/a/\(name)", line: 1))
        #expect(path.last == "/a/\(name)")
    }
}

extension Play {
    /// Nothing is loaded yet.
    fileprivate static var unloaded: Play {
        var play = Play()
        play.model.workspace.catalog = nil
        return play
    }

    /// What the editor is given.
    fileprivate var editing: [String]? {
        for case .session(.run(let arguments)) in effects { return Array(arguments.dropFirst(4)) }
        return nil
    }
}
