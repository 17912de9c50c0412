import Apus
import Documents
import Terminal
import Testing
import TreeView
import Workspaces

@testable import Explorer

@Suite("The request in hand")
struct RequestPaneTests {
    private func draft(of play: Play) -> TargetDraft? {
        play.model.request.edited[EditableCatalog.item]?.edits.draft
    }

    @Test("a header is edited and sent in five keys and the text")
    func editsHeader() {
        var play = Play.editing()
        play.type("H j c")
        play.write("blue")
        play.type("enter")
        #expect(draft(of: play)?.headers[1] == TargetDraft.Row("X-Tenant", "blue"))
        // The key that sends waits for the catalog.
        play.model.request.edited[EditableCatalog.item]?.applied = nil
        let apply = play.effects
        play.type("r")
        #expect(play.firedRun == nil)
        play.receiveAnswers(to: apply)
        #expect(play.firedRun != nil)
    }

    @Test("a query value is changed and sent in four keys and the text")
    func changesQuery() {
        var play = Play.editing()
        play.type("Q c")
        play.write("7")
        play.type("enter")
        play.answerRequests()
        play.type("r")
        guard case .send(_, _, _, let resolved, _)? = play.effects.first(where: \.isSend) else {
            Issue.record("nothing was sent")
            return
        }
        #expect(resolved.url.hasSuffix("?page=7&size=20"))
        #expect(play.model.selectedView?.server.content.isWaiting == true)
    }

    @Test("a value of the JSON body is edited and sent in four keys, every other byte stays")
    func editsBody() {
        var play = Play.editing()
        play.type("B c")
        play.write("Grace")
        play.type("alt+enter")
        let old = EditableCatalog.draft.body.text ?? ""
        #expect(draft(of: play)?.body == .json(old.replacing("\"Ada\"", with: "\"Grace\"")))
        play.answerRequests()
        #expect(play.firedRun != nil || play.model.runs.running.count == 1)
    }

    @Test(
        "rows are added, taken away and struck out",
        arguments: [
            ("H n", "X-Trace:on", "enter", ["Accept", "X-Trace", "X-Tenant", "X-API-Key"]),
            ("H j x", "", "", ["Accept", "X-API-Key"]),
            ("H x", "", "", ["Accept=nil", "X-Tenant", "X-API-Key"]),
            ("Q n", "sort=name", "enter", ["page", "sort", "size"]),
            ("Q n", "", "enter", ["page", "size"]), ("Q n", "sort=", "esc", ["page", "size"]),
        ]
    )
    func rows(keys: String, text: String, end: String, names: [String]) throws {
        var play = Play.editing()
        play.type(keys)
        play.write(text)
        play.type(end)
        let all = RequestEdits(EditableCatalog.draft).draft
        let now = draft(of: play) ?? all
        let rows = keys.hasPrefix("H") ? now.headers : now.query
        #expect(rows.map { $0.value == nil ? "\($0.name)=nil" : $0.name } == names)
    }

    private func playing(_ draft: TargetDraft) -> Play {
        var play = Play(catalog: EditableCatalog().catalog(draft))
        play.type("j k")
        return play
    }

    @Test("the Query tab shows what stands in the URL, and edits it there")
    func queryOfURL() {
        var play = playing(
            TargetDraft(
                method: "GET",
                url: "/get?user={{ tenant }}&q=a%20b",
                query: [.init("page", "1")]
            )
        )
        play.type("Q")
        let lines = play.model.request.lines
        #expect(lines.map(\.name) == ["user", "q", "page"])
        #expect(lines.map(\.value) == ["{{ tenant }}", "a b", "1"])
        #expect(lines.map(\.remark) == ["= acme", "in the URL", ""])
        #expect(Grid.rendering(play.model).textRows.contains { $0.contains("Query 3") })
        play.type("c")
        play.write("7 8")
        play.type("enter j n")
        play.write("new=x y")
        play.type("enter")
        #expect(draft(of: play)?.url == "/get?user=7%208&q=a%20b&new=x%20y")
        #expect(play.model.request.selected?.name == "new")
        play.type("ctrl+r")
        #expect(draft(of: play)?.url == "/get?user=7%208&q=a%20b")
        play.type("g x")
        #expect(draft(of: play)?.url == "/get?q=a%20b")
        #expect(play.model.request.lines.first?.mark == .removed)
    }

    @Test("a header that is typed as it goes over the wire has no blanks at its ends")
    func trimsHeaders() {
        var play = Play.editing()
        play.type("H n")
        play.write("X-Foo : bar  ")
        play.type("enter")
        let row = draft(of: play)?.headers.first { $0.name == "X-Foo" }
        #expect(row?.value == "bar")
        play.type("n")
        play.send(.paste("X-Bar: a b "))
        play.type("enter")
        #expect(draft(of: play)?.headers.contains(TargetDraft.Row("X-Bar", "a b")) == true)
    }

    @Test("a row that is added stands where it is sent: behind what is inherited, beside its name")
    func addsInOrder() {
        let rows = [
            TargetDraft.Row("X-All", "a", inheritedFrom: "defaults"),
            TargetDraft.Row("Accept", "b", inheritedFrom: "defaults"),
            TargetDraft.Row("X-A", "1"), TargetDraft.Row("X-B", "1"),
        ]
        var edits = RequestEdits(TargetDraft(method: "GET", url: "/", headers: rows))
        #expect(edits.insert("X-New", "1", after: 0, of: .headers) == 2)
        #expect(edits.insert("x-a", "2", after: 4, of: .headers) == 4)
        #expect(
            edits.draft.headers.map(\.name) == ["X-All", "Accept", "X-New", "X-A", "x-a", "X-B"]
        )
    }

    @Test("the Auth tab says what is inherited, and Options what holds by itself")
    func inherited() {
        var draft = TargetDraft(
            method: "GET",
            url: "/",
            options: [
                .init("redirects", nil, standard: "10"), .init("timeout", "5 s", standard: "60 s"),
            ]
        )
        draft.inheritedAuthorization = .init(.bearer("{{ token }}"), from: "environment local")
        var play = playing(draft)
        play.type("5 l l l")
        #expect(play.model.request.tab == .authorization)
        #expect(
            play.model.request.lines.first?.remark
                == "bearer {{ token }} from environment local"
        )
        play.type("l")
        #expect(play.model.request.lines.map(\.value) == ["10", "5 s"])
        #expect(play.model.request.lines.map(\.remark) == ["default", ""])
        draft.inheritedAuthorization = .init(.bearer("s3cr3t-t0k3n"), from: "defaults")
        #expect(!remark(of: draft).contains("s3cr3t"))
        draft.inheritedAuthorization = nil
        #expect(remark(of: draft).hasPrefix("nothing"))
        let bar = RequestTabBar(edits: RequestEdits(draft), chosen: .body)
        let labels = bar.fitting(Rect(x: 0, y: 0, columns: 100, rows: 1))
        #expect(labels.first { $0.tab == .authorization }?.count == "")
    }

    private func remark(of draft: TargetDraft) -> String {
        RequestLines(RequestEdits(draft), variables: []).lines(of: .authorization)[0].remark
    }

    @Test("a description is shown in the request, open and closed, and found")
    func description() {
        var catalog = EditableCatalog().catalog()
        guard case .group(let name, let nodes) = catalog.nodes[0],
            case .target(var target) = nodes[0]
        else {
            Issue.record("no target")
            return
        }
        target.summary = "Registers somebody new."
        catalog.nodes[0] = .group(name: name, [.target(target)] + nodes.dropFirst())
        var play = Play(catalog: catalog)
        play.type("j k")
        func shows() -> Bool {
            Grid.rendering(play.model).textRows.contains { $0.contains("Registers somebody new.") }
        }
        #expect(shows())
        play.type("5")
        #expect(shows())
        var picker = Picker(.palette, [], targets: TargetIndex(catalog), height: 10)
        picker.field.text = "somebody"
        picker.search()
        #expect(picker.shown.map(\.name) == ["Users/Create user"])
        #expect(picker.shown.first?.detail.contains("Registers somebody new.") == true)
        play.type("5 / ")
        play.write("registers")
        #expect(play.model.targets.selected?.id == EditableCatalog.item)
    }

    @Test("ctrl+r takes the row's edit back, and pressed again all of them")
    func takesBack() {
        var play = Play.editing()
        play.type("H j c")
        play.write("blue")
        play.type("enter Q c")
        play.write("7")
        play.type("enter")
        play.answerRequests()
        #expect(play.model.request.edited.isEdited(EditableCatalog.item))
        play.type("ctrl+r")
        #expect(draft(of: play)?.query == EditableCatalog.draft.query)
        #expect(draft(of: play)?.headers[1].value == "blue")
        play.type("ctrl+r")
        #expect(!play.model.request.edited.isEdited(EditableCatalog.item))
        #expect(draft(of: play) == EditableCatalog.draft)
    }

    @Test("edits stay while another target is looked at, and when the files are read again")
    func stays() {
        let catalog = EditableCatalog()
        var play = Play.editing(catalog)
        play.type("Q c")
        play.write("7")
        play.type("enter esc j")
        play.answerRequests()
        #expect(play.model.request.edited.isEdited(EditableCatalog.item))
        var changed = EditableCatalog.draft
        changed.query[1].value = "50"
        play.receive(.catalogLoaded(catalog.catalog(changed)))
        play.answerRequests()
        #expect(draft(of: play)?.query.map(\.value) == ["7", "50"])
        // What the file says by itself now is no edit any more.
        changed.query[0].value = "7"
        play.receive(.catalogLoaded(catalog.catalog(changed)))
        #expect(!play.model.request.edited.isEdited(EditableCatalog.item))
        play.receive(.catalogLoaded(catalog.catalog(hasTarget: false)))
        #expect(play.model.targets.selected?.name == "Other")
    }

    @Test("another environment shows its own rows, under the same edits")
    func environment() {
        var play = Play.editing()
        play.type("H j c")
        play.write("blue")
        play.type("enter")
        play.answerRequests()
        play.type("e")
        let names = play.model.request.lines.map(\.name)
        #expect(names == ["X-Stage", "Accept", "X-Tenant", "X-API-Key"])
        #expect(draft(of: play)?.headers[2].value == "blue")
    }

    @Test("S saves in place and reads the files again; A saves as a new target")
    func saves() {
        let catalog = EditableCatalog()
        var play = Play.editing(catalog)
        play.type("Q c")
        play.write("7")
        // Pressed before the catalog is through: it waits for it.
        play.type("enter")
        let apply = play.effects
        play.type("S")
        #expect(catalog.saves.isEmpty)
        play.receiveAnswers(to: apply)
        play.answerRequests()
        #expect(catalog.saves.map(\.destination) == [.inPlace])
        #expect(!play.model.request.edited.isEdited(EditableCatalog.item))
        play.type("Q c")
        play.write("8")
        play.type("enter")
        play.answerRequests()
        play.type("A")
        play.write("Eighth page")
        play.type("enter")
        play.answerRequests()
        #expect(catalog.saves.last?.destination == .beside(name: "Users/Eighth page"))
        #expect(catalog.saves.last?.draft.query[0].value == "8")
    }

    @Test("what a save gives back is shown, and the files are not loaded again because of it")
    func loadsNothing() {
        let catalog = EditableCatalog()
        var play = Play.editing(catalog)
        play.type("Q c")
        play.write("7")
        play.type("enter")
        play.answerRequests()
        func loads() -> Bool {
            play.effects.contains { if case .loadCatalog = $0 { true } else { false } }
        }
        var saved = EditableCatalog.draft
        saved.query[0].value = "7"
        let result = Result<Catalog?, CatalogError>.success(catalog.catalog(saved))
        play.receive(.request(.saved(EditableCatalog.item, .inPlace, result)))
        #expect(!loads() && draft(of: play) == saved)
        #expect(!play.model.request.edited.isEdited(EditableCatalog.item))
        // The watch tells of what was saved too.
        play.receive(.catalogChanged)
        #expect(play.effects.contains { if case .reloadCatalog = $0 { true } else { false } })
        #expect(!loads())
        // Files that could not be read are read whatever they are.
        play.receive(.catalogFailed(CatalogError("broken")))
        play.receive(.catalogChanged)
        #expect(loads())
    }

    @Test("what the catalog refuses is said, and not sent")
    func refuses() {
        var play = Play.editing()
        play.type("H n")
        play.write("a b:c")
        play.type("enter")
        play.answerRequests()
        #expect(play.model.notice?.text == "a header's name has no blanks")
        play.type("r")
        #expect(play.firedRun == nil)
        #expect(play.model.notice?.text == "a header's name has no blanks")
    }

    @Test("q with edits that are in no file leaves only when it is pressed again")
    func leaves() {
        var play = Play.editing()
        play.type("Q c")
        play.write("7")
        play.type("enter")
        play.answerRequests()
        play.type("q")
        #expect(play.effects.isEmpty)
        #expect(play.model.notice?.text.contains("q again quits") == true)
        play.type("j q")
        #expect(play.effects.isEmpty)
        play.type("q")
        #expect(play.effects.contains { if case .session(.quit(0)) = $0 { true } else { false } })
    }

    @Test(
        "ctrl+c tells of edits that are in no file in a filter and in the palette too",
        arguments: ["1 /", ":"]
    )
    func leavesWhileTyping(keys: String) {
        var play = Play.editing()
        play.type("Q c")
        play.write("7")
        play.type("enter")
        play.answerRequests()
        play.type("\(keys) ctrl+c")
        #expect(play.effects.isEmpty)
        #expect(play.model.notice?.text == "a request has unsaved edits: q again quits, S saves")
        play.type("ctrl+c")
        #expect(play.effects.contains { if case .session(.quit(0)) = $0 { true } else { false } })
    }

    @Test("no letter is a command while a value is typed, and what is typed can be taken back")
    func typing() {
        var play = Play.editing()
        play.type("Q c")
        play.write("qxrS")
        #expect(play.model.request.field?.value.text == "qxrS")
        play.type("ctrl+z")
        #expect(play.model.request.field?.value.text.isEmpty == true)
        play.send(.paste("a\nb"))
        #expect(play.model.request.field?.value.text == "a b")
        play.type("esc")
        #expect(play.model.request.field == nil)
        #expect(draft(of: play) == EditableCatalog.draft)
        #expect(play.model.panes.focus == .request)
    }

    @Test("tab completes names of fields, their values, and variables")
    func completes() {
        var play = Play.editing()
        play.type("H n")
        play.write("if-n")
        play.type("tab")
        #expect(play.model.request.field?.name.text == "If-None-Match")
        play.type("enter")
        play.write("{{ t")
        play.type("tab")
        #expect(play.model.request.field?.value.text == "{{ tenant }}")
        play.type("tab")
        #expect(play.model.request.field?.value.text == "{{ token }}")
        play.type("tab ctrl+u")
        play.write("*")
        play.type("enter")
        #expect(draft(of: play)?.headers[1] == TargetDraft.Row("If-None-Match", "*"))
    }

    @Test("credentials that are written out are masked; names in braces are told, but not secrets")
    func masks() {
        var play = Play.editing()
        play.type("H")
        let headers = play.model.request.lines
        #expect(headers[1].remark == "= acme")
        #expect(headers[2].value == "••••••")
        play.type("j j enter")
        #expect(play.model.request.field?.value.isMasked == true)
        play.type("esc B")
        let body = play.model.request.lines
        #expect(body.first { $0.name == "password" }?.value == "••••••")
        for size in [Size(columns: 140, rows: 40), Size(columns: 80, rows: 24)] {
            play.send(.resize(size))
            for tab in RequestTab.allCases {
                _ = play.model.show(tab)
                let screen = Grid.rendering(play.model).textRows.joined()
                for secret in ["s3cr3t", "hunter22", "t0k3n"] {
                    #expect(!screen.contains(secret), "\(secret) in \(tab)")
                }
            }
        }
    }

    @Test("credentials and the body change their kind")
    func kinds() {
        var play = Play.editing()
        play.type("B t")
        #expect(draft(of: play)?.body == .form([]))
        play.type("n")
        play.write("a=b")
        play.type("enter")
        #expect(draft(of: play)?.body == .form([TargetDraft.Row("a", "b")]))
        play.type("t t t t t")
        #expect(draft(of: play)?.body == TargetDraft.Body.none)
        play.type("t")
        #expect(draft(of: play)?.body == EditableCatalog.draft.body)
    }

    @Test("the method and the URL are edited in one line")
    func editsURL() {
        var play = Play.editing()
        play.type("5 u ctrl+u")
        play.write("put /users/7")
        play.type("enter")
        #expect(draft(of: play)?.method == "PUT")
        #expect(draft(of: play)?.url == "/users/7")
    }

    @Test("a target that the program makes is not edited, and what would be sent is shown")
    func closed() {
        var play = Play()
        play.type("j H n")
        #expect(play.model.request.field == nil)
        #expect(play.model.request.problem != nil)
        play.type("h h")
        #expect(play.model.request.tab == .preview)
        #expect(play.effects.contains { if case .request(.preview) = $0 { true } else { false } })
    }

    @Test(
        "5 opens the pane and closes it, escape too; in a small terminal a response takes its room"
    )
    func opens() {
        var play = Play.editing(size: Size(columns: 80, rows: 24))
        play.type("5")
        #expect(play.model.panes.focus == .request)
        #expect(play.model.layout.server.isEmpty)
        play.type("5")
        #expect(play.model.panes.focus == .targets)
        play.type("5 esc")
        #expect(!play.model.request.isOpen)
        play.type("5 r")
        #expect(play.model.panes.focus == .server)
        #expect(!play.model.layout.server.isEmpty)
        play.type("5")
        #expect(play.model.panes.focus == .request)
    }

    @Test("values of the body fold and unfold; an edit leaves the others folded")
    func folds() {
        var play = Play.editing()
        play.type("5")
        let names = play.model.request.lines.map(\.name)
        #expect(names == ["", "name", "email", "age", "roles", "0", "1", "password"])
        // From a value in it, too.
        play.type("j j j j space")
        #expect(play.model.request.selected?.name == "roles")
        #expect(play.model.request.selected?.fold == .closed)
        #expect(play.shownNames == ["", "name", "email", "age", "roles", "password"])
        play.type("k c")
        play.write("37")
        play.type("enter")
        #expect(play.shownNames == ["", "name", "email", "age", "roles", "password"])
        play.type("j enter j")
        #expect(play.shownNames == names && play.model.request.selected?.name == "0")
        play.type("-")
        #expect(play.model.request.selected?.name == "roles")
        #expect(play.shownNames.count == 6)
        play.type("g space")
        #expect(play.shownNames == [""])
        // What is added to it is seen.
        play.type("n")
        #expect(play.shownNames.count == 6)
        play.type("esc =")
        #expect(play.shownNames == names)
    }

    @Test("/ finds in a tab, also in what is folded; n and N go on, escape ends it, then closes")
    func finds() {
        var play = Play.editing()
        play.type("5 - /")
        play.write("EDI")
        #expect(play.model.request.selected?.value == "\"editor\"")
        play.type("enter")
        #expect(play.shownNames.contains("1"))
        play.type("/ ctrl+u")
        play.write("a")
        play.type("enter")
        var found: [String] = []
        for _ in 0..<5 {
            found.append(play.model.request.selected?.name ?? "")
            play.type("n")
        }
        #expect(found == ["password", "name", "email", "age", "0"])
        play.type("N")
        #expect(play.model.request.selected?.name == "0")
        play.type("esc n")
        #expect(play.model.request.field?.isNew == true)
        play.type("esc")
        play.type("H /")
        play.write("tenant")
        play.type("esc")
        #expect(play.model.request.scroll.selection == 0)
        play.type("/")
        play.write("nothing such")
        play.type("enter n")
        #expect(play.model.notice?.text.hasPrefix("no matches for nothing such") == true)
        play.type("esc esc esc")
        #expect(!play.model.request.isOpen)
    }

    @Test(
        "all tabs are there at 80 columns, and the chosen one at the fewest",
        arguments: [80, 40]
    )
    func tabs(columns: Int) {
        var play = Play.editing(size: Size(columns: columns, rows: 24))
        play.type("5")
        let count = columns == 80 ? 7 : 1
        for tab in RequestTab.allCases {
            let row = play.model.layout.requestParts.tabs
            let labels = play.model.requestTabs.fitting(row)
            #expect(labels.count >= count && labels.contains { $0.tab == tab })
            #expect(labels.allSatisfy { $0.place.maxX <= row.maxX })
            play.type("l")
        }
    }

    @Test("a click chooses a tab, and a second one on a line edits it")
    func mouse() throws {
        var play = Play.editing()
        play.type("5")
        let parts = play.model.layout.requestParts
        let label = play.model.requestTabs.fitting(parts.tabs).first { $0.tab == .query }
        let place = try #require(label?.place)
        play.click(place.x, place.y)
        #expect(play.model.request.tab == .query)
        play.click(parts.rows.x + 3, parts.rows.y + 1)
        #expect(play.model.request.scroll.selection == 1)
        play.click(parts.rows.x + 3, parts.rows.y + 1)
        #expect(play.model.request.field?.value.text == "20")
    }
}

extension Play {
    /// Takes the catalog's word to effects of before.
    mutating func receiveAnswers(to effects: [Effect]) {
        for case .request(let request) in effects {
            if let message = request.answer { receive(.request(message)) }
        }
    }

    fileprivate var shownNames: [String] { model.request.lines.map(\.name) }

    fileprivate mutating func click(_ x: Int, _ y: Int) {
        send(.mouse(MouseEvent(kind: .press, position: Point(x: x, y: y))))
    }
}

extension Effect {
    fileprivate var isSend: Bool { if case .send = self { true } else { false } }
}

extension ResponseState.Content {
    fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
