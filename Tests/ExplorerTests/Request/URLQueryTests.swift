import Terminal
import Testing
import TreeView
import Workspaces

@testable import Explorer

@Suite("The query in a URL")
struct URLQueryTests {
    private static let urls = [
        "/get?user={{ user }}", "{{ host | raw }}/a?b=c", "http://h/?a=1&a=2&b", "/x?a=b+c&d=%2F",
        "/x?", "/x?&&", "/x?a=1&&b=2&", "/x#top", "/x?a={{ q }}#a?b", "/x?a=\\{{ b }}",
        "/{{ a?b }}?c=d",
        "/x?{{ all | raw }}", "", "/x?=1", "/x?a=%zz&b=ü&c=%C3%BC", "/x?a={{ b", "/x?a=b=c",
    ]

    @Test("a URL that is taken apart is the same when it is put together", arguments: urls)
    func same(url: String) {
        #expect(URLQuery(url).text == url)
        #expect(RequestEdits(TargetDraft(method: "GET", url: url)).url == url)
    }

    private func rows(_ url: String) -> [String] {
        RequestEdits(TargetDraft(method: "GET", url: url))[.url].map {
            "\($0.shown.name)|\($0.shown.value ?? "")"
        }
    }

    @Test("parameters are shown without escapes, with their templates")
    func shown() {
        #expect(
            rows("/x?user={{ user }}&q=a%20b&flag&s=b+c&t=%C3%BC") == [
                "user|{{ user }}", "q|a b", "flag|", "s|b+c", "t|ü",
            ]
        )
        #expect(rows("/x") == [])
        #expect(rows("/x?{{ all | raw }}") == ["{{ all | raw }}|"])
        #expect(rows("/x?a={{ b }}=c") == ["a|{{ b }}=c"])
    }

    @Test(
        "an edited value has the escapes that it needs, and no other parameter changes",
        arguments: [
            ("/x?a=%20&user={{ u }}&b", "q & a", "/x?a=%20&user=q%20%26%20a&b"),
            ("/x?a=1&user=1", "{{ id }} x", "/x?a=1&user={{ id }}%20x"),
            ("/x?a=1&user=b+c", "d+e f", "/x?a=1&user=d+e%20f"),
            ("/x?a=1&user#end", "7", "/x?a=1&user=7#end"),
            ("/x?a=1&user", "", "/x?a=1&user"),
        ]
    )
    func edited(url: String, value: String, expected: String) {
        var edits = RequestEdits(TargetDraft(method: "GET", url: url))
        edits.set("user", value, at: 1, of: .url)
        #expect(edits.draft.url == expected)
        edits.takeBack(1, of: .url)
        #expect(edits.url == url && !edits.isEdited)
    }

    @Test("rows of the URL are added, removed and restored in their place")
    func rows() {
        var edits = RequestEdits(TargetDraft(method: "GET", url: "/x?a=1&b=2"))
        #expect(edits.insert("new", "n w", after: 0, of: .url) == 1)
        #expect(edits.url == "/x?a=1&new=n%20w&b=2")
        edits.remove(at: 2, of: .url)
        #expect(edits.url == "/x?a=1&new=n%20w")
        #expect(edits[.url][2].isRemoved)
        edits.remove(at: 0, of: .url)
        edits.remove(at: 1, of: .url)
        #expect(edits.url == "/x")
        edits.url = "/y?b=3&a=1"
        #expect(edits[.url].map(\.isEdited) == [true, false])
        #expect(edits.url == "/y?b=3&a=1")
    }

    @Test("edits of the URL's query stay over another original")
    func rebased() {
        var edits = RequestEdits(TargetDraft(method: "GET", url: "/x?a=1"))
        edits.set("a", "2", at: 0, of: .url)
        let rebased = edits.rebased(
            onto: TargetDraft(method: "GET", url: "/x?a=1", headers: [.init("A", "b")])
        )
        #expect(rebased.url == "/x?a=2" && rebased.draft.headers.count == 1)
    }
}

@Suite("The name to save a target under")
struct SavePathTests {
    private static let own = CatalogID("New/ip")

    @Test(
        "a slash names the group, without one it is the target's own",
        arguments: [
            ("ip", "New/ip"), ("Users/ip", "Users/ip"), ("A / B / ip ", "A/B/ip"), ("/ip", "ip"),
        ]
    )
    func paths(text: String, id: String) {
        #expect(SavePath(text).target(beside: Self.own) == CatalogID(id))
    }

    @Test("tab puts another group before the name, or completes the one that is begun")
    func completes() {
        func completed(_ text: String, _ count: Int = 1) -> String {
            var prompt = LinePrompt(purpose: .saveAs(Self.own), field: .init(text))
            prompt.groups = ["Users", "Users/Admin", "Orders"]
            for _ in 0..<count { prompt.completeGroup() }
            return prompt.field.text
        }
        #expect(completed("New/ip") == "Users/ip")
        #expect(completed("New/ip", 3) == "Orders/ip" && completed("New/ip", 4) == "Users/ip")
        #expect(completed("or") == "Orders/" && completed("Get ip") == "Users/Get ip")
        #expect(completed("users/ad/x") == "Users/Admin/x")
        #expect(completed("") == "Users/")
    }

    @Test("what saving does is said while the name is typed")
    func words() {
        func words(_ text: String) -> String {
            SavePath(text).words(beside: Self.own, known: ["New", "Users"])
        }
        #expect(words("ip") == "save it in New" && words("Users/ip") == "save it in Users")
        #expect(words("Auth/ip") == "save it in the new group Auth")
        #expect(words("/ip") == "save it outside of the groups")
    }
}
