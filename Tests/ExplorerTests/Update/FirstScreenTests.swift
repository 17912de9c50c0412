import Apus
import FoundationEssentials
import Terminal
import Testing
import TreeView

@testable import Explorer

@Suite("What the first screens say")
struct FirstScreenTests {
    private static let sizes = [
        Size(columns: 120, rows: 40), Size(columns: 80, rows: 24), Size(columns: 60, rows: 20),
    ]

    private func rows(_ model: Model) -> [String] { Grid.rendering(model).textRows }

    private func footer(_ model: Model) -> String { rows(model).last ?? "" }

    @Test("the targets' footer says how to see, change and paste a request", arguments: sizes)
    func footer(size: Size) {
        let text = footer(Play(size: size).model)
        for hint in ["enter send", "5 request", "p paste", "? help", "q quit"] {
            #expect(text.contains(hint), "\(hint) in \(text)")
        }
        #expect(text.contains(": commands") || size.columns < 80, "\(text)")
        let wide = footer(Play(size: Size(columns: 140, rows: 40)).model)
        let order = [
            "enter send", "5 request", "p paste", "/ filter", ": commands", "o file", "i headers",
            "tab pane",
        ]
        let places = order.compactMap { wide.firstRange(of: $0)?.lowerBound }
        #expect(places.count == order.count && places == places.sorted(), "\(wide)")
    }

    @Test("every footer of the panes keeps the way out", arguments: ["", "2", "3", "4", "5"])
    func quit(keys: String) {
        for size in Self.sizes + [Size(columns: 100, rows: 30)] {
            var play = Play(size: size, hasHistory: true)
            play.type(keys)
            #expect(footer(play.model).contains("q quit"), "\(size) \(footer(play.model))")
        }
    }

    @Test("tab goes through the request, which opens for it and closes behind it")
    func tab() {
        var play = Play(hasHistory: true)
        play.type("tab")
        #expect(play.model.panes.focus == .request && play.model.showsRequestPane)
        play.type("tab")
        #expect(play.model.panes.focus != .request && play.model.panes.focus != .targets)
        #expect(!play.model.showsRequestPane)
        var seen: [Focus] = []
        for _ in 0..<5 {
            play.type("tab")
            seen.append(play.model.panes.focus)
        }
        #expect(seen.contains(.targets) && seen.contains(.request))
        // One that was opened by its own key stays.
        var open = Play(hasHistory: true)
        open.type("5 tab")
        #expect(open.model.panes.focus != .request && open.model.showsRequestPane)
        open.type("shift+tab")
        #expect(open.model.panes.focus == .request)
        // A group has no request.
        var group = Play()
        group.type("g tab")
        #expect(group.model.panes.focus != .request)
    }

    private func model(keeps: Bool) -> Play {
        let catalog = Catalog.one("a", method: "DELETE") { _ in
            ResolvedTarget(
                target: StoringTarget(cachePolicy: keeps ? .keep(in: .memory) : .none),
                source: nil,
                url: "http://api.test/",
                details: [keeps ? "cached forever in memory" : "not cached"]
            )
        }
        return Play(catalog: catalog)
    }

    @Test("of the cache a target without one says a word, once; its responses come from the server")
    func uncached() {
        for size in Self.sizes {
            var play = model(keeps: false)
            play.send(.resize(size))
            let text = rows(play.model).joined(separator: "\n").lowercased()
            #expect(text.components("not cached") == 1, "\(text)")
            for words in ["policy", "stores no", "not stored", "cache+server", "cache, then"] {
                #expect(!text.contains(words), "\(words)")
            }
            #expect(play.model.selectedSource?.title == "server")
        }
        let kept = rows(model(keeps: true).model)
        #expect(kept[0].contains("responses from: cache, then server"), "\(kept[0])")
    }

    @Test("once the server was asked, a cache without a response has one line")
    func asked() throws {
        var play = model(keeps: true)
        #expect(!play.model.layout.cache.isEmpty)
        play.type("enter")
        _ = try #require(play.firedRun)
        #expect(play.model.layout.cache.isEmpty && play.model.layout.cacheLine.rows == 1)
        #expect(play.model.layout.server.columns == play.model.layout.detail.columns)
        play.type("2")
        #expect(!play.model.layout.cache.isEmpty)
    }

    @Test("a method stands in full where there is room for it")
    func methods() {
        let play = model(keeps: true)
        let row = rows(play.model).first { $0.contains("http://api.test/") } ?? ""
        #expect(row.contains("DELETE  http://api.test/") || row.contains("DELETE http://api.test/"))
        let scene = rows(Scene.fresh.model(120, 40)).joined(separator: "\n")
        #expect(rows(play.model).contains { $0.contains("DELETE a ") })
        #expect(scene.contains("DELETE Delete user") && scene.contains("PATCH Order"), "\(scene)")
        #expect(!scene.contains("PTCH") && !scene.contains("DEL "))
    }

    @Test("a filter without a match says so on both sides")
    func noMatch() {
        var play = Play()
        play.type("/ z z z z")
        let text = rows(play.model).joined(separator: "\n")
        #expect(text.contains("No target matches"))
        #expect(!text.contains("Enter sends the target"))
    }

    @Test("a filter leaves the group for its first match, and folds nothing unseen")
    func filteredGroup() {
        var play = Play()
        play.type("g")
        #expect(play.model.targets.selected?.name == "Users")
        play.type("/ s h o w enter")
        #expect(play.model.targets.selected?.name == "Show user")
        play.type("g")
        #expect(play.model.targets.selected?.name == "Users")
        let folded = play.model.targets.folded
        play.type("enter")
        #expect(play.model.targets.folded == folded)
        #expect(play.model.notice?.text.contains("esc clears it") == true)
    }

    @Test("a long notice is read to its end, above the footer", arguments: sizes)
    func longNotice(size: Size) {
        var play = Play(size: size)
        play.model.notice = Notice(
            kind: .failure,
            text: "story.apus.yaml:12:7: error: unknown key `heders` in a target, which is long "
                + "(the previous version is still in use; o opens the FILE)"
        )
        let text = rows(play.model).joined(separator: "\n")
        #expect(text.contains("FILE)"), "\(text)")
        #expect(footer(play.model).contains("enter send") || size.columns < 100)
    }

    @Test("the list of sources is not cut", arguments: sizes)
    func sources(size: Size) {
        var play = Play(size: size)
        play.type("D")
        let text = rows(play.model).joined(separator: "\n")
        for choice in SourceChoice.allCases {
            #expect(text.contains(choice.explanation), "\(choice.explanation)\n\(text)")
        }
    }

    @Test("switching the environment says which one it is")
    func environment() {
        var play = Play()
        play.type("e")
        #expect(play.model.notice?.text == "environment: staging")
    }

    @Test("a zoomed response says whose it is")
    func zoomed() {
        var play = Play()
        play.type("3 z")
        #expect(
            rows(play.model).contains { $0.contains("Server") && $0.contains("GET List users") }
        )
    }

    @Test("the theme follows the background until one is chosen")
    func follows() throws {
        let white = PixelColor(red: 255, green: 255, blue: 255)
        let black = PixelColor(red: 0, green: 0, blue: 0)
        var play = Play()
        play.model.appearance.followsBackground = true
        play.send(.background(white))
        #expect(loads(play) == ["dawn"])
        play.receive(.theme(.loaded("dawn", .standardLight, warning: nil)))
        #expect(play.model.appearance.theme == .standardLight)
        play.send(.background(white))
        #expect(loads(play) == [])
        play.type("T")
        play.model.layers.picker?.select(.theme("dusk"))
        play.type("enter")
        #expect(loads(play) == ["dusk"])
        play.send(.background(white))
        #expect(loads(play) == [])
        play.type("T")
        play.model.layers.picker?.select(.theme("auto"))
        play.type("enter")
        #expect(loads(play) == ["dawn"])
        #expect(play.effects.contains { if case .keepTheme("auto") = $0 { true } else { false } })
        play.send(.background(black))
        #expect(loads(play) == ["dusk"])
    }

    private func loads(_ play: Play) -> [String] {
        play.effects.compactMap { if case .loadTheme(let name) = $0 { name } else { nil } }
    }
}

extension String {
    /// How often a text is in it.
    fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}

/// A target with a cache policy.
private struct StoringTarget: TargetType {
    var cachePolicy: CachePolicy
    var path: String { "/" }
    var baseURL: URL { PlayTarget().baseURL }
}
