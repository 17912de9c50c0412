import Terminal
import Testing
import TreeView
import Workspaces

@testable import Explorer

@Suite("The pages of the help")
struct HelpPagesTests {
    private static let text = """
        name: Shop
        note: Ask **Ada** for a key.
        targets:
          Users:
            note: These change what all see.
            Show:
              request: GET http://h/7
              note: "See [the manual](https://example.com/pages), and count from 1."
            List: GET http://h/
          Home: GET http://h/home

        """

    private func play(size: Size = Size(columns: 80, rows: 24)) throws -> Play {
        Play(
            size: size,
            catalog: Catalog(try Workspace.parse(text: Self.text, file: "shop.apus.yaml"))
        )
    }

    private func screen(_ play: Play) -> String {
        Grid.rendering(play.model).textRows.joined(separator: "\n")
    }

    @Test("the help of a target with a note begins with it, and the list has a mark")
    func notes() throws {
        var play = try play()
        #expect(screen(play).contains("Show ?") && screen(play).contains("Users ?"))
        #expect(!screen(play).contains("List ?"))
        play.type("?")
        let text = screen(play)
        #expect(text.contains("See the manual <https://example.com/pages>, and count from 1."))
        #expect(text.contains("These change what all see.") && text.contains("Ask Ada for a key."))
        #expect(text.contains("SHOW") && text.contains("USERS") && text.contains("SHOP"))
        #expect(text.contains("Notes · Keys · Workspace · CI · Sharing · Security · Files"))
    }

    @Test("tab and the arrows go through all pages, and around")
    func pages() throws {
        var play = try play()
        var seen: [HelpSubject?] = []
        play.type("?")
        for _ in 0..<8 {
            seen.append(play.model.layers.help?.subject)
            play.type("tab")
        }
        #expect(seen == [.notes, .keys, .workspace, .runs, .sharing, .security, .files, .notes])
        play.type("left")
        #expect(play.model.layers.help?.subject == .notes)
        #expect(
            Play().model.helpSubjects == [.keys, .workspace, .runs, .sharing, .security, .files]
        )
    }

    @Test(
        "a search finds keys by what they do and pages by their words",
        arguments: [
            ("certificate days", "the certificates, and days left"),
            ("forEach", "A captured list: the step is sent for each element"),
            ("mask pin", "Names of fields, parameters and members whose values are masked."),
            ("history.sqlite-key", "keeps masked values from being guessed"),
            ("redirect origin", "takes no body, no client certificate"),
            ("ada key", "Ask Ada for a key."),
        ]
    )
    func search(words: String, found: String) throws {
        var play = try play(size: Size(columns: 120, rows: 40))
        play.type("? /")
        play.write(words)
        #expect(screen(play).contains(found), "\(screen(play))")
        play.type("enter esc")
        #expect(play.model.layers.help?.filter == nil)
        play.type("esc")
        #expect(play.model.layers.help == nil)
    }

    @Test(
        "what is nowhere says so, and a page fits its room in each size",
        arguments: [40, 80, 120]
    )
    func sizes(columns: Int) throws {
        var play = try play(size: Size(columns: columns, rows: 24))
        play.type("? tab tab")
        for line in play.model.layers.help?.lines ?? [] {
            if case .text(let text) = line, text.count > max(20, columns - 3), columns > 60 {
                #expect(text.contains("`") || text.hasPrefix("    "), "\(text)")
            }
        }
        play.type("/")
        play.write("qwertzuiop")
        #expect(screen(play).contains("No key does that. No page says it."))
    }

    @Test("every action of the key table stands in the page of keys")
    func keysPage() {
        let page = KeysPage.page
        for binding in KeyTable.explorer.bindings
        where KeyBinding.Place.ofExplorer.contains(binding.place) {
            #expect(page.contains(binding.help.replacing("|", with: "\\|")))
        }
    }
}
