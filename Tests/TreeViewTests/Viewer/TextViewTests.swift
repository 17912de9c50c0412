import Documents
import Terminal
import TestSupport
import Testing

@testable import TreeView

@Suite("A body as text")
struct TextViewTests {
    private static let long = (0..<200).map { "word\($0)" }.joined(separator: " ")

    @Test("JSON is pretty, and a key shows it as it was sent; the cursor stays at its place")
    func pretty() async {
        var play = await ViewerPlay(#"{"a":1.10,"b":[true,null],"c":"x"}"#)
        await play.press("t")
        #expect(play.shows(#"  "a": 1.10,"#) && play.shows("    null"))
        #expect(play.model.pane.body?.rowCount == 8)
        #expect(play.shows("P as sent"))
        await play.press("j j j P")
        #expect(play.shows(#"{"a":1.10,"b":[true,null],"c":"x"}"#))
        #expect(play.shows("P pretty"))
        await play.press("P")
        #expect(play.model.pane.body?.rowCount == 8)
    }

    @Test("a broken body stays as it was sent, and ! goes to the fault in it")
    func broken() async {
        let text = "{\"pad\":\"" + String(repeating: "x", count: 500) + "\",\"a\":NaN}"
        var play = await ViewerPlay(text)
        await play.press("t P")
        #expect(play.shows("not laid out: it has a syntax error"))
        await play.press("t t ! enter")
        #expect(play.model.pane.body?.form == .text)
        // The line is scrolled to the fault.
        #expect(play.shows("NaN}"))
        await play.press("L !")
        #expect(play.shows("NaN}"))
    }

    @Test("long lines wrap with a key: every word is on the screen, and the cursor walks the rows")
    func wrap() async {
        var play = await ViewerPlay(Self.long + "\r\nsecond\n", type: "text/plain")
        #expect(!play.shows("word100"))
        await play.press("L")
        #expect(play.shows("word100") && play.shows("word199"))
        #expect(!play.shows("␍"))
        #expect(play.shows("long lines wrap"))
        let start = play.model.pane.wrapped.row
        await play.press("j j")
        #expect(play.model.pane.scroll.selection == 0)
        #expect(play.model.pane.wrapped.row.offset > start.offset)
        await play.press("k k")
        #expect(play.model.pane.wrapped.row == start)
        await play.press("G")
        #expect(play.model.pane.scroll.selection == 1 && play.shows("2 second"))
        await play.press("up up")
        #expect(play.model.pane.scroll.selection == 0)
        await play.press("g")
        #expect(play.model.pane.wrapped.row == start)
        await play.send(.resize(Size(columns: 30, rows: 12)))
        await play.press("G")
        #expect(play.shows("second"))
        await play.press("L")
        #expect(!play.shows("word9 "))
    }

    @Test("wrapping is asked to be kept, and what was kept is used")
    func kept() async {
        var play = await ViewerPlay(Self.long, type: "text/plain")
        await play.press("L")
        let isKept = play.effects.contains { if case .keepWrap(true) = $0 { true } else { false } }
        #expect(isKept)
        await play.press("L")
        #expect(play.effects.contains { if case .keepWrap(false) = $0 { true } else { false } })
    }

    @Test("a hit far into a long line is shown, wrapped or not, pretty or not")
    func search() async {
        let values = (0..<3000).map { "{\"id\":\($0)}" }.joined(separator: ",")
        let text = "{\"list\":[\(values)],\"needle\":\"here\"}"
        for keys in ["t", "t P", "t P L", "t L"] {
            var play = await ViewerPlay(text)
            await play.press(keys + " /")
            await play.type("needle")
            await play.press("enter")
            #expect(play.shows(#""needle""#) && play.shows("1 of 1"), "\(keys)")
            await play.press("N n")
            #expect(play.shows(#""needle""#), "\(keys)")
        }
        // The hits of a search are those of the text that is shown.
        var play = await ViewerPlay(text)
        await play.press("t P /")
        await play.type("2999")
        await play.press("enter P n")
        #expect(play.shows("2999"))
        var markup = await ViewerPlay(
            "<a>" + String(repeating: "<b>x</b>", count: 300) + "<c>y</c></a>",
            type: "text/xml"
        )
        await markup.press("t /")
        await markup.type("<c>y")
        #expect(markup.shows("1 of 1") && markup.shows("<c>y</c>"))
    }

    @Test("left and right scroll long lines, to their end and no further")
    func sideways() async {
        var play = await ViewerPlay(Self.long, type: "text/plain")
        await play.press("right")
        #expect(!play.shows("word0 ") && play.shows("word10"))
        await play.press("shift+right")
        #expect(play.shows("word199"))
        let end = play.model.pane.textOffset
        await play.press("right right right")
        #expect(play.model.pane.textOffset == end)
        await play.press("left")
        #expect(play.model.pane.textOffset < end)
        await play.press("shift+left")
        #expect(play.model.pane.textOffset == 0 && play.shows("word0 "))
    }

    @Test("one line of 20 MB wraps, ends and is left at once")
    func huge() async {
        let text = String(repeating: "0123456789", count: 2 << 20)
        var play = await ViewerPlay(text + "\nend", type: "text/plain")
        await play.press("L")
        let time = await ContinuousClock().measure {
            await play.press("G k k pgup g pgdn j G g")
            _ = play.screen
        }
        // A debug build on a loaded machine; a row that depended on the line's length would take minutes.
        #expect(time < .seconds(20))
        await play.press("G k")
        #expect(play.model.pane.scroll.selection == 0)
        #expect(play.model.pane.wrapped.row.offset > 20_000_000)
    }

    @Test("the keys of the text say why they do nothing elsewhere")
    func elsewhere() async {
        var play = await ViewerPlay("[1]")
        await play.press("L")
        #expect(play.shows("only a text wraps"))
        await play.press("P")
        #expect(play.shows("only a text can be pretty"))
        var plain = await ViewerPlay("plain words", type: "text/plain")
        await plain.press("P")
        #expect(plain.shows("only JSON, XML and HTML"))
    }
}
