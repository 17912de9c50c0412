import Apus
import FoundationEssentials
import Terminal
import TestSupport
import Testing
import TreeView
import Workspaces

@testable import Explorer

@Suite("Changing a workspace on the screen")
struct ChangingTests {
    private let folder = TemporaryFolder()
    private var path: String { "\(folder.path)/shop.apus.yaml" }
    private var fileText: String {
        get throws { try String(contentsOfFile: path, encoding: .utf8) }
    }

    private func play(_ text: String = Model.changedWorkspace) throws -> Play {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return Play(catalog: Catalog(try Workspace.load(path: path)))
    }

    private func screen(_ play: Play) -> String {
        Grid.rendering(play.model).textRows.joined(separator: "\n")
    }

    @Test("a refused change is asked for again, with what was typed")
    func asksAgain() throws {
        var play = try play()
        play.type("home +")
        play.write("Items")
        play.type("enter")
        play.answerRequests()
        #expect(play.model.notice?.text.contains("there is already a group `Items`") == true)
        #expect(play.model.layers.prompt?.field.text == "Items")
        play.write("/New")
        play.type("enter")
        play.answerRequests()
        #expect(try fileText.contains("New: {}"))
        #expect(play.model.targets.selected?.id == CatalogID("Items/New/"))
    }

    @Test("a folded group stays folded, and the cursor goes with what is renamed")
    func follows() throws {
        var play = try play()
        play.type("home space m")
        #expect(play.model.layers.prompt?.field.text == "Users")
        play.type("ctrl+u")
        play.write("People")
        play.type("enter")
        play.answerRequests()
        #expect(play.model.targets.selected?.id == CatalogID("People/"))
        #expect(play.model.targets.folded == [CatalogID("People/")])
        #expect(play.model.notice?.text == "renamed Users to People; u undoes it")
        play.type("u")
        play.answerRequests()
        #expect(try fileText == Model.changedWorkspace)
        play.type("u")
        play.answerRequests()
        #expect(play.model.notice?.text.hasPrefix("nothing has been written here") == true)
    }

    @Test("the last change is not undone over one that was made elsewhere")
    func keepsOthersChanges() throws {
        var play = try play()
        play.type("+")
        play.write("New group")
        play.type("enter")
        play.answerRequests()
        let other = try fileText + "# mine\n"
        try other.write(toFile: path, atomically: false, encoding: .utf8)
        play.type("u")
        play.answerRequests()
        let notice = play.model.notice?.text
        #expect(notice?.contains("has changed since apus made the group") == true)
        #expect(try fileText == other)
    }

    @Test("only y deletes, and says how many targets a group has")
    func asks() throws {
        var play = try play()
        play.type("home -")
        #expect(screen(play).contains("! Delete the group Users and its 2 targets?"))
        play.type("n")
        #expect(play.model.notice?.text == "nothing was deleted" && play.effects.isEmpty)
        play.type("- y")
        play.answerRequests()
        #expect(try !fileText.contains("Users"))
    }

    @Test("responses go with what is renamed, and back with what is undone")
    func responses() throws {
        var play = try play()
        play.type("home")
        play.move(to: "Show")
        play.type("enter")
        let run = try #require(play.firedRun)
        play.receive(.exchange(run, .response(.sample("of old"))))
        play.receive(.exchange(run, .finished(.sample(.success(.sample("of old"))))))
        #expect(play.model.selectedView?.server.response != nil)
        play.type("m ctrl+u")
        play.write("People/One")
        play.type("enter")
        play.answerRequests()
        #expect(play.model.targets.selected?.id == CatalogID("People/One"))
        #expect(play.model.selectedView?.server.response != nil)
        #expect(play.model.runs.runs.map(\.item) == [CatalogID("People/One")])
        play.type("u")
        play.answerRequests()
        #expect(play.model.targets.selected?.id == CatalogID("Users/Show"))
        #expect(play.model.selectedView?.server.response != nil)
    }

    @Test("an environment that is renamed stays the one in use")
    func environment() throws {
        var play = try play()
        play.type("V end up enter")
        #expect(play.model.workspace.environmentName == "live")
        play.type("m ctrl+u")
        play.write("production")
        play.type("enter")
        play.answerRequests()
        #expect(play.model.workspace.environmentName == "production")
        #expect(play.model.layers.variables?.environment == "production")
        #expect(try fileText.contains("  production:\n    extends: base\n"))
    }

    @Test(
        "a value that comes from elsewhere is set for the environment alone, a secret as it is written"
    )
    func values() throws {
        var play = try play()
        play.type("V end up tab down down down")
        #expect(play.model.layers.variables?.selected?.definition.name == "page")
        play.type("enter")
        #expect(play.model.layers.prompt?.label == "page for live:")
        play.type("ctrl+u")
        play.write("3")
        play.type("enter")
        play.answerRequests()
        #expect(try fileText.contains("{ user: 1, token: { env: SHOP_TOKEN }, page: 3 }"))
        play.type("down down enter")
        #expect(play.model.layers.prompt?.field.text == "{ env: SHOP_TOKEN }")
        #expect(play.model.layers.prompt?.field.isMasked == false)
        play.type("enter")
        #expect(play.model.notice?.text == "nothing has changed")
        play.type("home down down enter")
        play.answerRequests()
        #expect(try !fileText.contains("danger"))
    }

    @Test("a request that is in no file is dropped after a question, and copied")
    func unsaved() throws {
        var play = try play()
        let catalog = try #require(play.model.workspace.catalog)
        let draft = TargetDraft(method: "GET", url: "http://h/")
        let target = try catalog.source.adding(draft, named: "h")
        play.receive(.request(.pasted(name: "h", draft, target, notes: [])))
        play.type("c")
        guard case .request(.begin(draft, _))? = play.effects.first else {
            Issue.record("it is not begun again")
            return
        }
        play.type("-")
        #expect(screen(play).contains("Drop h? It is in no file."))
        play.type("y")
        #expect(play.model.request.edited.pasted.isEmpty && !screen(play).contains("▾ New"))
    }

    @Test("a typed request is sent at once; tab opens it to be edited first")
    func newRequest() throws {
        for key in ["enter", "tab"] {
            var play = try play()
            play.type("N ctrl+u")
            play.write("GET /users/{{ user }}")
            play.type(key)
            guard case .request(.begin(let draft, let catalog))? = play.effects.first else {
                Issue.record("nothing is begun")
                return
            }
            let target = try catalog.source.adding(draft, named: "users")
            play.receive(.request(.pasted(name: "users", draft, target, notes: [])))
            #expect((play.firedRun != nil) == (key == "enter"))
            #expect((play.model.panes.focus == .request) == (key == "tab"))
        }
    }

    @Test("a program's own targets and what is built in say why they cannot be changed")
    func refuses() throws {
        var program = Play(catalog: Catalog(name: "Mine", targets: [PlayTarget()]))
        for key in ["+", "m", "c", "-", "u"] {
            program.type("home \(key)")
            #expect(program.model.notice?.text.contains("change them in its code") == true)
            program.type("esc")
        }
        let text = "targets: { A: GET http://h/ }\nbatches: { B: [A] }\n"
        var built = Play(catalog: Catalog(try Workspace.parse(text: text, file: "demo")))
        built.type("m")
        #expect(built.model.notice?.text.contains("in no file that could be changed") == true)
        var play = try play(text)
        play.type("end m")
        #expect(
            play.model.notice?.text.contains("batches and chains are changed in the file") == true
        )
    }
}
