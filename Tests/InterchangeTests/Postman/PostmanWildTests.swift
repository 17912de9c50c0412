import FoundationEssentials
import Interchange
import Testing

/// What people have in collections beside requests: scripts that set variables, saved responses, old credentials.
struct PostmanWildTests {
    private func file(_ items: String, _ more: String = "") throws -> ImportedFile {
        let text = """
            {"info":{"name":"C",
            "schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
             "item":[\(items)]\(more)}
            """
        return try ImportedFile(ImportSource(path: "a.json", bytes: Array(text.utf8)))
    }

    private func script(_ kind: String, _ lines: String) -> String {
        #""event":[{"listen":"\#(kind)","script":{"exec":["\#(lines)"]}}]"#
    }

    @Test func namesOfTestsAreKept() throws {
        let test = "pm.test('All is well', () => pm.response.to.have.status(200));"
        let old = "tests['Old style'] = responseCode.code === 200;"
        let file = try file(
            #"{"name":"A","request":"https://a.example",\#(script("test", test + old))}"#
        )
        #expect(file.text.contains("- All is well"), "\(file.text)")
        #expect(file.text.contains("- Old style"))
        #expect(file.text.contains("status: 200"))
        #expect(file.losses.isEmpty)
    }

    @Test(arguments: [
        ("pm.environment.set('t', Date.now());", #"t: "{{ now('+0 s', 'unixms') }}""#),
        ("pm.globals.set('t', pm.variables.replaceIn('{{$guid}}'));", #"t: "{{ uuid }}""#),
        ("postman.setGlobalVariable('t', new Date().toISOString());", #"t: "{{ now }}""#),
        ("pm.variables.set('t', 'zq');", "t: zq"), ("pm.variables.set('t', 5);", #"t: "5""#),
    ])
    func scriptsBeforeRequestsSetVariables(statement: String, expected: String) throws {
        let file = try file(
            #"{"name":"A","request":"https://a.example/{{t}}",\#(script("prerequest", statement))}"#
        )
        #expect(file.text.contains(expected), "\(file.text)")
        #expect(file.losses.isEmpty)
    }

    @Test func severalValuesOfScriptsAreListed() throws {
        let items = ["zq1", "zq2"].map { value in
            let set = script("prerequest", "pm.environment.set('t', '\(value)');")
            return #"{"name":"A","request":"https://a.example/{{t}}",\#(set)}"#
        }
        let file = try file(items.joined(separator: ","))
        #expect(
            file.losses.map(\.loss.kind) == [
                "a script before the request", "a script before the request",
            ]
        )
        #expect(file.text.contains("t: { ask: t }"), "\(file.text)")
    }

    @Test func valuesThatResponsesReplaceAreListed() throws {
        let set = script("test", "pm.environment.set('id', pm.response.json().id);")
        let file = try file(
            #"{"name":"A","request":"https://a.example",\#(set)}"#,
            #","variable":[{"key":"id","value":"zq7"}]"#
        )
        #expect(file.text.contains("id: { from: A, capture: $.id }"), "\(file.text)")
        #expect(file.losses.map(\.loss.text) == ["id: zq7"])
    }

    @Test("variables that need each other, or a response that needs them, are asked for")
    func circles() throws {
        let set = script("test", "pm.environment.set('token', pm.response.json().t);")
        let file = try file(
            #"{"name":"A","request":"https://a.example/{{base}}",\#(set)}"#,
            #"""
            ,"variable":[{"key":"a","value":"{{b}}"},{"key":"b","value":"{{a}}"},
             {"key":"base","value":"{{token}}/x"}]
            """#
        )
        #expect(Set(file.losses.map(\.loss.kind)) == ["a variable", "a captured value"])
    }

    @Test func foldersHaveTheirOwnVariables() throws {
        let file = try file(
            #"""
            {"name":"F","variable":[{"key":"base","value":"https://f.example"}],"item":[
             {"name":"A","request":"{{base}}/a"}]},{"name":"B","request":"{{base}}/b"}
            """#,
            #","variable":[{"key":"base","value":"https://a.example"}]"#
        )
        #expect(file.text.contains("GET {{ base_F }}/a"), "\(file.text)")
        #expect(file.text.contains("GET {{ base }}/b"))
        #expect(file.losses.isEmpty)
    }

    @Test func savedResponsesKeepTheirRequests() throws {
        let file = try file(
            #"""
            {"name":"A","request":{"method":"GET","url":"https://a.example/1"},"response":[
             {"name":"Found","code":200,"status":"OK","body":"{}",
              "originalRequest":{"method":"GET","url":"https://a.example/1"}},
             {"name":"Gone","code":404,"status":"Not Found","header":[{"key":"X-Z","value":"zq1"}],
              "cookie":[{"name":"c","value":"zq2"}],"body":"zq3",
              "originalRequest":{"method":"POST","url":{"raw":"https://a.example/zq4"}}}]}
            """#
        )
        #expect(file.text.contains("The sample is the saved response “Found, OK”."), "\(file.text)")
        #expect(file.losses.count == 1)
        let text = file.losses.first?.loss.text ?? ""
        for part in ["404 Not Found", "zq1", "zq2", "zq3", "POST https://a.example/zq4"] {
            #expect(text.contains(part), "\(text)")
        }
    }

    @Test func dynamicVariablesHaveValues() throws {
        let file = try file(
            #"""
            {"name":"A","request":{"method":"POST","url":"https://a.example/{{$randomIP}}",
             "body":{"mode":"raw","raw":"{\"a\":\"{{$randomFirstName}}\",\"b\":\"{{$nonsense}}\"}"}}}
            """#
        )
        #expect(file.text.contains("{{ random(1, 223) }}"), "\(file.text)")
        #expect(file.text.contains("randomFirstName: Ada"))
        #expect(file.text.contains("nonsense: { ask: nonsense }"))
        #expect(file.losses.map(\.loss.text) == ["$randomFirstName: Ada", "$nonsense"])
    }

    @Test func credentialsListWhatHasNoPlace() throws {
        let file = try file(
            #"""
            {"name":"A","request":{"url":"https://a.example","auth":{"type":"ntlm","ntlm":[
             {"key":"username","value":"u"},{"key":"password","value":"p"},
             {"key":"domain","value":"D"},{"key":"workstation","value":"zq1"}]}}},
            {"name":"B","request":{"url":"https://a.example","auth":{"type":"oauth2","oauth2":[
             {"key":"grant_type","value":"implicit"},{"key":"clientId","value":"zq2"}]}}},
            {"name":"C","request":{"url":"https://a.example","auth":{"type":"oauth2","oauth2":[
             {"key":"accessToken","value":"t"},{"key":"headerPrefix","value":"Token"}]}}}
            """#
        )
        #expect(
            file.text.contains(#"user: D\u"#) || file.text.contains(#"user: "D\\u""#),
            "\(file.text)"
        )
        #expect(file.text.contains("value: Token t"))
        let texts = file.losses.map(\.loss.text).joined()
        for part in ["workstation: zq1", "zq2"] { #expect(texts.contains(part)) }
        #expect(file.losses.count == 2)
    }

    @Test func fragmentsAndOtherBodiesAreKept() throws {
        let file = try file(
            #"""
            {"name":"A","request":{"method":"POST","url":"https://a.example/x#zq1",
             "body":{"raw":"zq2"}}},
            {"name":"B","request":{"method":"POST","url":"https://a.example",
             "body":{"mode":"raw","raw":"a","urlencoded":[{"key":"zq3","value":"4"}]}}}
            """#
        )
        #expect(file.text.contains("#zq1"))
        #expect(file.text.contains("body: zq2"), "\(file.text)")
        #expect(file.losses.map(\.loss.kind) == ["a body that is not sent"])
    }

    @Test("a table beside a collection is a batch, if its columns are variables of requests")
    func tablesBesideACollection() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "apus-postman-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [
            "users.csv": "user,age\nada,36\n\"a, b\",7\n", "other.csv": "unknown\n1\n",
            "broken.json": "[{", "list.json": #"[{"user":"zq","age":5}]"#,
            "collection.json": #"""
            {"info":{"name":"C","schema":"https://schema.getpostman.com/json/collection/v2.1.0/"},
             "item":[{"name":"A","request":"https://a.example/{{user}}?age={{age}}"},
              {"name":"B","request":"https://a.example/b"}]}
            """#,
        ]
        for (name, text) in files {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let path = folder.appending(path: "collection.json").path()
        let file = try ImportedFile(try #require(ImportSource(at: path)))
        #expect(file.text.contains("Rows of users.csv:"), "\(file.text)")
        #expect(file.text.contains(#"{ user: ada, age: "36" }"#))
        #expect(file.text.contains("targets: [{ target: A }]"))
        #expect(file.text.contains("Rows of list.json:"))
        #expect(!file.text.contains("other.csv"))
    }
}
