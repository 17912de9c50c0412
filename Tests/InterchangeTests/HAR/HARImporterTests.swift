import Interchange
import Testing

struct HARImporterTests {
    private func file(_ entries: String) throws -> ImportedFile {
        let text =
            #"{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[\#(entries)]}}"#
        return try ImportedFile(ImportSource(path: "a.har", bytes: Array(text.utf8)))
    }

    @Test func entry() throws {
        let file = try file(
            #"""
            {"request":{"method":"POST","url":"https://a.example/p?q=a%20b&api_key=s3cr3tkey",
            "headers":[
               {"name":"Host","value":"a.example"},{"name":":authority","value":"a.example"},
               {"name":"Content-Length","value":"9"},
               {"name":"Accept","value":"*/*"},{"name":"Authorization",
               "value":"Bearer abcdefgh12345"},{"name":"Cookie","value":"sid=verysecretvalue"}],
              "postData":{"mimeType":"application/json","text":"{\"a\":\"{{x\"}"}},
             "response":{"status":200,"statusText":"OK","headers":[{"name":"Content-Type",
             "value":"text/plain"}],"content":{"text":"hello"}},"comment":"hi"}
            """#
        )
        #expect(file.text.contains("POST https://a.example/p"))
        #expect(file.text.contains("q: a b"))
        #expect(file.text.contains(#"Accept: "*/*""#), "\(file.text)")
        #expect(file.text.contains("body: hello"))
        #expect(file.text.contains("hi"))
        for secret in [
            "s3cr3tkey", "abcdefgh12345", "verysecretvalue", ":authority", "Content-Length",
        ] {
            #expect(!file.text.contains(secret), "\(file.text)")
        }
        #expect(file.losses.isEmpty)
    }

    @Test func groupsAndDuplicates() throws {
        let file = try file(
            #"""
            {"request":{"method":"GET","url":"https://a.example/"}},{"request":{"method":"GET",
            "url":"https://a.example/"}},
            {"request":{"method":"GET","url":"https://b.example/"}},{"request":{"method":"GET",
            "url":"wss://b.example/"}},
            {"request":{"method":"POST","url":"https://b.example/f",
            "postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"a",
            "value":"1"}]}}}
            """#
        )
        #expect(file.text.contains("a.example:"))
        #expect(file.text.contains("(2):"))
        #expect(file.text.contains(#"form: { a: "1" }"#))
        #expect(file.losses.map(\.loss.kind) == ["a WebSocket request"])
    }

    @Test(arguments: [
        "", "null", "{}", #"{"request":{"url":7,"headers":{}},"response":{"status":"x"}}"#,
    ])
    func oddities(entries: String) throws {
        _ = try file(entries)
    }
}
