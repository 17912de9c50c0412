import Testing

@testable import Terminal

@Suite("Keys")
struct KeyTests {
    @Test(
        "names are keys and keys have names",
        arguments: [
            ("ctrl+c", Key(.character("c"), .control)), ("shift+tab", Key(.tab, .shift)),
            ("f1", Key(.function(1))), ("enter", Key(.enter)), ("space", .character(" ")),
            ("?", .character("?")), ("S", .character("S")), ("+", .character("+")),
            ("ctrl++", Key(.character("+"), .control)), ("alt+left", Key(.left, .alt)),
            ("ctrl+alt+shift+up", Key(.up, [.control, .alt, .shift])), ("esc", Key(.escape)),
            ("pgdn", Key(.pageDown)), ("é", .character("é")),
            ("ctrl+space", Key(.character(" "), .control)),
        ]
    )
    func names(text: String, key: Key) {
        #expect(Key(text) == key)
        #expect(key.description == text)
    }

    @Test(
        "other spellings are read too",
        arguments: [
            ("Ctrl+C", "ctrl+c"), ("escape", "esc"), ("PageDown", "pgdn"), ("shift+s", "S"),
            ("delete", "del"), ("return", "enter"), ("F12", "f12"),
        ]
    )
    func spellings(text: String, name: String) {
        #expect(Key(text)?.description == name)
    }

    @Test(
        "what is no key is none",
        arguments: ["", "ctrl+", "hyper+x", "f0", "f21", "enterr", "c+x"]
    )
    func none(text: String) {
        #expect(Key(text) == nil)
        // A million of them: to look through the rest for each would take minutes.
        #expect(Key(String(repeating: "ctrl+", count: 1 << 20) + text) == nil)
    }

    @Test("only writing keys have text")
    func text() {
        #expect(Key.character("é").text == "é")
        #expect(Key(.character("c"), .control).text == nil)
        #expect(Key(.character("c"), .alt).text == nil)
        #expect(Key(.enter).text == nil)
    }
}
