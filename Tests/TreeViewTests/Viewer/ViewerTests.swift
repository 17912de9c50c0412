import Documents
import Terminal
import Testing

@testable import TreeView

@Suite("Keys in apus view")
struct ViewerTests {
    static let text = """
        {"version": "1.2", "users": [
          {"id": 1, "name": "Ada Lovelace", "city": "London", "note": "one\\ntwo \\u00e9"},
          {"id": 2, "name": "Grace Hopper", "city": "New York", "note": null},
          {"id": 3, "name": "Alan Turing", "city": "London", "tags": ["x", "y"]}
        ]}
        """

    @Test(
        "the cursor goes where keys say",
        arguments: [
            ("", "$"), ("j", "version"), ("j j j", "users[0]"), ("G", "users[2].tags[1]"),
            ("G h", "users[2].tags"), ("G h h", "users[2].tags"), ("G h h h", "users[2]"),
            ("down down right right", "users[0].id"), ("# 1 0 enter", "users[1].id"),
            ("# 3 : 2 0 enter", "users[1].name"), ("- j j", "users"),
        ]
    )
    func moves(keys: String, path: String) async {
        var play = await ViewerPlay(Self.text)
        await play.press(keys)
        #expect(play.path == path)
    }

    @Test(
        "a line and a column lead to the last value that begins there or before, with its key",
        arguments: [
            ("[[1]]", "1:1", "$"), ("[[1]]", "1:2", "[0]"), ("[[1]]", "1:3", "[0][0]"),
            (#"{"a": 1}"#, "1:1", "$"), (#"{"a": 1}"#, "1:2", "a"),
        ]
    )
    func goesTo(text: String, place: String, path: String) async {
        var play = await ViewerPlay(text)
        await play.press("G #")
        await play.type(place)
        await play.press("enter")
        #expect(play.path == path)
    }

    @Test(
        "folds by levels",
        arguments: [("1", 3), ("2", 6), ("3", 18), ("9", 20), ("-", 3), ("- +", 20), ("1 >", 6)]
    )
    func levels(keys: String, rows: Int) async {
        var play = await ViewerPlay(Self.text)
        await play.press(keys)
        #expect(play.model.pane.body?.rowCount == rows)
    }

    @Test("folding keeps the cursor on its value, or on the fold that hides it")
    func foldingKeepsPlace() async {
        var play = await ViewerPlay(Self.text)
        await play.press("G 2")
        #expect(play.path == "users[2]")
        await play.press("+")
        #expect(play.path == "users[2]")
    }

    @Test("depth and query can be asked for at the start")
    func start() async {
        let play = await ViewerPlay(
            Self.text,
            start: ViewerStart(query: "$..city", depth: 1)
        )
        #expect(play.path == "users[0].city")
        #expect(play.shows("$ $..city  1 of 3"))
        #expect(play.model.pane.body?.rowCount == 3 + 3 + 4)
    }

    // MARK: Searching

    @Test("a search goes to the first hit while it is typed, and back when it is given up")
    func searchWhileTyping() async {
        var play = await ViewerPlay(Self.text)
        await play.press("j 1 /")
        await play.type("lond")
        #expect(play.path == "users[0].city")
        #expect(play.shows("1 of 2"))
        await play.type("z")
        #expect(play.shows("no matches"))
        #expect(play.path == "version")
        await play.press("escape")
        #expect(play.path == "version")
        #expect(play.model.pane.body?.rowCount == 3)
        #expect(play.model.pane.findings == nil)
    }

    @Test("n and N walk through the hits and say when they begin again")
    func searchSteps() async {
        var play = await ViewerPlay(Self.text)
        await play.press("/")
        await play.type("london")
        await play.press("enter n")
        #expect(play.path == "users[2].city")
        #expect(play.shows("2 of 2"))
        await play.press("n")
        #expect(play.path == "users[0].city")
        #expect(play.shows("continued from the beginning"))
        await play.press("N")
        #expect(play.path == "users[2].city")
        #expect(play.shows("continued from the end"))
        await play.press("escape n")
        #expect(play.shows("no search yet"))
    }

    @Test("no letter is a command while something is typed")
    func typing() async {
        var play = await ViewerPlay(Self.text)
        await play.press("/")
        await play.type("qjn?$")
        #expect(!play.effects.contains { if case .session(.quit) = $0 { true } else { false } })
        #expect(play.model.pane.prompt?.text == "qjn?$")
        #expect(play.model.help == nil)
    }

    @Test("keys, values or both; text or a regular expression")
    func searchModes() async {
        var play = await ViewerPlay(Self.text)
        await play.press("/")
        await play.type("n")
        await play.press("tab")
        #expect(play.shows("keys"))
        await play.press("ctrl+u ctrl+r")
        await play.type("^n")
        #expect(play.shows("regex"))
        #expect(play.path == "users[0].name")
        await play.press("ctrl+u")
        await play.type("a(")
        #expect(play.shows("✗ column"))
    }

    @Test("up shows what was typed before")
    func history() async {
        var play = await ViewerPlay(Self.text)
        for word in ["ada", "grace"] {
            await play.press("/ ctrl+u")
            await play.type(word)
            await play.press("enter")
        }
        await play.press("/ ctrl+u up up")
        #expect(play.model.pane.prompt?.text == "ada")
        await play.press("down down")
        #expect(play.model.pane.prompt?.text == "")
    }

    // MARK: Querying

    @Test("a query counts its values, walks them and lists them")
    func query() async {
        var play = await ViewerPlay(Self.text)
        await play.press("$")
        await play.type(".users[?@.city=='London'].name")
        #expect(play.shows("1 of 2"))
        await play.press("enter n")
        #expect(play.path == "users[2].name")
        await play.press("m")
        #expect(play.shows("users[0].name     \"Ada Lovelace\""))
        #expect(!play.shows("Grace"))
        await play.press("k enter")
        #expect(play.path == "users[0].name")
        #expect(play.shows("Grace"))
        await play.press("y a")
        #expect(play.copied == "\"Ada Lovelace\"\n\"Alan Turing\"\n")
        await play.press("y A")
        #expect(play.copied == "$['users'][0]['name']\n$['users'][2]['name']\n")
    }

    @Test("a short path is a query too")
    func shortPath() async {
        var play = await ViewerPlay(Self.text)
        await play.press("$ ctrl+u")
        await play.type("users[1].name")
        #expect(play.path == "users[1].name")
    }

    @Test("a mistake in a query is pointed at, and kept until it is put right")
    func queryMistake() async {
        var play = await ViewerPlay(Self.text)
        await play.press("$")
        await play.type(".users[")
        #expect(play.shows("✗ column"))
        await play.press("enter")
        #expect(play.model.pane.isTyping)
        await play.press("escape")
        #expect(!play.model.pane.isTyping)
    }

    // MARK: Copying

    @Test(
        "y and a letter copy",
        arguments: [
            ("y v", #""one\ntwo \u00e9""#), ("y y", #""one\ntwo \u00e9""#), ("y t", "one\ntwo é"),
            ("y p", "$['users'][0]['note']"), ("Y", "$['users'][0]['note']"),
            ("y s", "users[0].note"), ("y k", "note"),
        ]
    )
    func copies(keys: String, text: String) async {
        var play = await ViewerPlay(Self.text)
        await play.press("# 8 enter \(keys)")
        #expect(play.copied == text)
        #expect(play.model.notice?.text.hasPrefix("copied") == true)
    }

    @Test("escape or another letter copies nothing", arguments: ["escape", "w"])
    func copiesNothing(key: String) async {
        var play = await ViewerPlay(Self.text)
        await play.press("y \(key)")
        #expect(play.copied == nil)
        await play.press("j")
        #expect(play.path == "version")
    }

    @Test("what is too long for the clipboard is said")
    func tooLong() async {
        let long = String(repeating: "x", count: DocumentPane.copyLimit + 1)
        var play = await ViewerPlay("[\"\(long)\"]")
        await play.press("j y v")
        #expect(play.copied == nil)
        #expect(play.model.notice?.text.contains("takes at most 1.0 MB") == true)
    }

    // MARK: One value

    @Test("enter shows a string whole and decoded, and closes it again")
    func wholeValue() async {
        var play = await ViewerPlay(Self.text)
        await play.press("# 8 enter enter")
        #expect(play.shows("─ users[0].note ─"))
        #expect(play.shows("│ one "))
        #expect(play.shows("│ two é "))
        await play.press("y")
        #expect(play.copied == "one\ntwo é")
        await play.press("escape")
        #expect(play.shows("version"))
    }

    @Test("a long string is decoded outside, and scrolls to its end and back")
    func longString() async {
        let words = (0..<60_000).map { "word\($0)" }.joined(separator: " ")
        var play = await ViewerPlay("{\"text\": \"\(words)\"}")
        await play.press("j enter")
        #expect(play.shows("word0 word1 "))
        await play.press("G")
        #expect(play.shows("word59999"))
        #expect(play.shows(" end ╯"))
        await play.press("pgup g")
        #expect(play.shows("word0 word1 "))
    }

    // MARK: Faults

    @Test("a broken document shows what came before, where it broke, and goes there")
    func fault() async {
        var play = await ViewerPlay("{\"a\": 1,\n \"list\": [1, 2, {\"deep\": tru}], \"b\": 2}")
        #expect(play.shows("✗ line 2, column 29"))
        await play.press("!")
        #expect(play.path == "list[2]")
        #expect(play.model.notice?.kind == .warning)
    }

    @Test("without a tree there is text to search and to look at as bytes")
    func plainText() async {
        var play = await ViewerPlay("first\nsecond\nthird", type: "text/plain")
        await play.press("/")
        await play.type("sec")
        await play.press("enter")
        #expect(play.shows("1 of 1"))
        #expect(play.model.pane.scroll.selection == 1)
        await play.press("escape t")
        #expect(play.shows("00000000"))
        await play.press("G y y")
        #expect(play.copied == "72 64")
        #expect(play.model.notice?.text == "copied 2 bytes: 72 64")
        await play.press("$")
        await play.type(".a")
        #expect(play.shows("only a tree can be queried"))
    }

    @Test("a document of 1,000,000 levels is walked, folded and searched")
    func deep() async {
        let depth = 1_000_000
        let text = String(repeating: "[", count: depth) + "\"end\""
        var play = await ViewerPlay(text + String(repeating: "]", count: depth))
        await play.press("G")
        #expect(play.model.pane.scroll.selection == depth)
        await play.press("h h - g j +")
        #expect(play.model.pane.body?.rowCount == depth + 1)
        await play.press("g 3 /")
        await play.type("end")
        #expect(play.shows("1 of 1"))
        #expect(play.shows("\"end\""))
    }

    @Test("a long text is not searched for on the screen's thread, and a pasted one is cut")
    func searchesLongTexts() async throws {
        var play = await ViewerPlay(Self.text)
        await play.press("/")
        var model = play.model
        let pasted = update(&model, .paste(String(repeating: "a", count: 65)), at: .seconds(1))
        let isSearched = pasted.contains { if case .tree(.search) = $0 { true } else { false } }
        #expect(isSearched)
        #expect(model.pane.findings?.search?.engine.progress.searchedBytes == 0)
        await play.send(.paste(String(repeating: "a", count: 6000)))
        #expect(play.model.pane.searchRequest.text.utf8.count == 1 << 10)
        #expect(play.model.pane.findings?.search?.engine.progress.isFinished == true)
    }
}
