import Apus
import Terminal
import Testing
import TreeView
import Workspaces

@testable import Explorer

@Suite("What the palette finds")
struct PaletteTests {
    private func play(_ keys: String = "") -> Play {
        var play = Play(hasHistory: true)
        play.type(keys)
        play.type(":")
        play.receive(.targetsIndexed(TargetIndex(.sample)))
        return play
    }

    private func names(_ play: Play) -> [String] {
        play.model.layers.picker?.shown.map(\.name) ?? []
    }

    private func names(typing text: String, after keys: String = "") -> [String] {
        var play = play(keys)
        for letter in text {
            play.send(.key(letter == " " ? Key("space") ?? Key(.tab) : .character(letter)))
        }
        return names(play)
    }

    @Test(
        "the words that people search for find what there is, from any pane",
        arguments: [
            ("cert", "TLS certificate"), ("tls", "TLS certificate"),
            ("certificate", "TLS certificate"), ("ssl", "TLS certificate"), ("timing", "timing"),
            ("history", "session pane"), ("new", "paste request"), ("import", "paste request"),
            ("jq", "run through a command"), ("headers", "response headers"),
            ("headers", "request headers"), ("batches", "batch/Warm"), ("chains", "chain/Sign up"),
            ("duplicate", "save as new target"), ("exit", "quit"), ("shortcuts", "help"),
            ("export", "copy as"), ("download", "save response"), ("colours", "theme"),
            ("raw", "raw trace"), ("stop", "cancel"), ("parameters", "request query"),
            ("vim", "edit in $EDITOR"), ("collapse", "fold all"), ("poll", "watch"),
            ("resend", "send again"), ("form", "request body"),
        ]
    )
    func words(text: String, name: String) {
        for keys in ["", "4", "2", "3", "5"] {
            // What has no file offers no editor.
            let found = names(typing: text, after: keys)
            #expect(found.contains(name), "\(text) after \(keys): \(found.prefix(8))")
        }
    }

    @Test(
        "no two entries have the same name, in any pane",
        arguments: ["", "4", "2", "3", "5", "3 i"]
    )
    func distinct(keys: String) {
        let names = names(play(keys)).map { $0.lowercased() }
        #expect(names.count > 40)
        #expect(Set(names).count == names.count, "\(names.sorted())")
    }

    @Test(
        "a target has its method before its name, and what is said of it after; a batch has no method"
    )
    func tags() throws {
        let workspace = try Workspace.new(
            text: """
                targets: { Users: { request: GET https://a.test/, description: Lists them all } }
                batches: { Users too: { description: Fills the cache, targets: [Users] } }
                """,
            file: "a.apus.yaml"
        )
        let catalog = Catalog(workspace)
        var play = Play(catalog: catalog)
        play.type(":")
        play.receive(.targetsIndexed(TargetIndex(catalog)))
        play.write("users")
        let rows = Grid.rendering(play.model).textRows
        let target = try #require(rows.first { $0.contains("Lists them all") })
        #expect(target.contains("GET     Users") && target.contains(" target"), "\(target)")
        let batch = try #require(rows.first { $0.contains("batch/Users too") })
        #expect(batch.contains("Fills the cache") && !batch.contains("FILLS"), "\(batch)")
    }

    @Test("items of the same name say what they are")
    func sameNames() {
        func item(_ name: String, _ choice: Picker.Choice, _ note: String) -> Picker.Item {
            Picker.Item(choice: choice, name: name, detail: "", note: note)
        }
        let items = Picker.Item.distinct([
            item("cache", .action(.focusCache, Key(.tab)), "2"),
            item("Cache", .source(.cache), "source"), item("x", .theme("x"), "theme"),
            item("save", .action(.save, Key(.tab)), "S"),
            item("save", .action(.saveBody, Key(.tab)), "W"),
        ])
        #expect(items.map(\.name) == ["cache", "Cache (source)", "x", "save", "save (W)"])
    }

    @Test(
        "the name itself is first, then what begins with it, then where a word does, then the rest"
    )
    func order() {
        var index = FuzzyIndex()
        for text in [
            "Bodies/50 MB", "Bodies/5 MB", "Errors/Upstream refused", "Errors/Refused",
            "TLS/TLS to plain", "TLS/Plain to TLS", "Refuse", "unrefused",
        ] { index.append(text) }
        func found(_ text: String) -> [Int] { index.search(text).best.map(\.index) }
        #expect(found("5 MB").first == 1)
        #expect(found("5 mb ").first == 1)
        #expect(found("refused") == [3, 2, 7])
        #expect(found("plain to tls").first == 5)
        #expect(found("tls to plain").first == 4)
        #expect(found("refuse").prefix(3) == [6, 3, 2])
        // Words that more is known by come last.
        var more = FuzzyIndex()
        more.append("watch", "poll")
        more.append("poll")
        more.append("polling")
        #expect(more.search("poll").best.map(\.index) == [1, 2, 0])
    }

    @Test(
        "what is done elsewhere is done there: in the response, once there is one, and in the request"
    )
    func elsewhere() {
        var play = play()
        play.type("j s o n p a t h enter")
        #expect(play.model.notice?.text.contains("no response yet") == true)
        var request = self.play()
        for letter in "edit url" {
            request.send(.key(letter == " " ? .character(" ") : .character(letter)))
        }
        request.type("enter")
        #expect(request.model.panes.focus == .request)
        #expect(request.model.showsRequestPane)
    }

    @Test("the help can be searched, by keys, by texts and by other words")
    func help() {
        var play = Play()
        play.type("? /")
        #expect(play.model.layers.help?.filter.isTyping == true)
        play.type("j q")
        #expect(play.model.layers.help?.filter?.text == "jq")
        func text(_ model: Model) -> String {
            Grid.rendering(model).textRows.joined(separator: "\n")
        }
        #expect(text(play.model).contains("run the response through a command"))
        #expect(!text(play.model).contains("the targets"))
        play.type("x x x")
        #expect(text(play.model).contains("No key does that."))
        // Escape clears the search, and again closes the help.
        play.type("esc")
        #expect(play.model.layers.help != nil && play.model.layers.help?.filter == nil)
        #expect(text(play.model).contains("the targets"))
        play.type("/ c u r l enter")
        #expect(play.model.layers.help?.filter.isTyping == false)
        #expect(play.model.layers.help?.filter?.text == "curl")
        play.type("esc")
        #expect(play.model.layers.help != nil)
        play.type("esc")
        #expect(play.model.layers.help == nil)
    }
}
