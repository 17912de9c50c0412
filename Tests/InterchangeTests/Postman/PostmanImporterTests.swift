import Interchange
import Testing

struct PostmanImporterTests {
    private func file(_ text: String) throws -> ImportedFile {
        try ImportedFile(ImportSource(path: "a.json", bytes: Array(text.utf8)))
    }

    private func collection(_ items: String, _ more: String = "") throws -> ImportedFile {
        try file(
            """
            {"info":{"name":"C",
            "schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
             "item":[\(items)]\(more)}
            """
        )
    }

    @Test func requestWithItsParts() throws {
        let file = try collection(
            """
            {"name":"Folder","item":[{"name":"Show","request":{"method":"GET",
            "description":"One user",
              "header":[{"key":"Accept","value":"application/json"},{"key":"X-Old","value":"1",
              "disabled":true}],
              "url":{"raw":"{{baseUrl}}/users/:id?page=2&off=1","host":["{{baseUrl}}"],
              "path":["users",":id"],
                "query":[{"key":"page","value":"2","description":"from 1"},{"key":"off",
                "value":"1","disabled":true}],
                "variable":[{"key":"id","value":"7"}]}}}]}
            """,
            #","variable":[{"key":"baseUrl","value":"https://api.example"}]"#
        )
        #expect(file.text.contains("request: GET {{ baseUrl }}/users/{{ id }}"))
        #expect(file.text.contains(#"query: { page: "2" }"#))
        #expect(file.text.contains("Accept: application/json"))
        #expect(file.text.contains("baseUrl: https://api.example"))
        #expect(file.text.contains(#"id: "7""#))
        #expect(file.text.contains("Switched off: the header field `X-Old=1`"))
        #expect(file.text.contains("Switched off: the parameter `off=1`"))
        #expect(file.text.contains("`page`: from 1"))
        #expect(file.losses.isEmpty)
    }

    @Test func variableWithoutScheme() throws {
        let file = try collection(
            #"{"name":"A","request":{"url":"{{host}}/a"}},{"name":"B","request":"localhost:1/b"}"#,
            #","variable":[{"key":"host","value":"example.com:80"}]"#
        )
        #expect(file.text.contains("GET http://{{ host }}/a"))
        #expect(file.text.contains("GET http://localhost:1/b"))
    }

    @Test(arguments: [
        (
            #"{"mode":"raw","raw":"{\"a\": \"{{b}}\"}","options":{"raw":{"language":"json"}}}"#,
            #"json: { a: "{{ b }}" }"#
        ),
        (
            #"{"mode":"raw","raw":"{\"a\": {{b}}}","options":{"raw":{"language":"json"}}}"#,
            #"{"a": {{ b }}}"#
        ),
        (
            #"{"mode":"urlencoded","urlencoded":[{"key":"a","value":"1"},{"key":"a","value":"2"}]}"#,
            #"form: { a: ["1", "2"] }"#
        ),
        (
            #"{"mode":"formdata","formdata":[{"key":"f","type":"file","src":"/tmp/x.png"}]}"#,
            "multipart: { f: { file: /tmp/x.png } }"
        ),
        (#"{"mode":"file","file":{"src":"x.bin"}}"#, "upload: x.bin"),
        (
            #"{"mode":"graphql","graphql":{"query":"{ me }","variables":"{\"a\":1}"}}"#,
            "variables: { a: 1 }"
        ),
    ])
    func bodies(body: String, line: String) throws {
        let file = try collection(
            #"{"name":"A","request":{"method":"POST","url":"http://a.example/","body":\#(body)}}"#
        )
        #expect(file.text.contains(line), "\(file.text)")
        #expect(file.losses.isEmpty)
    }

    @Test func inheritedCredentials() throws {
        let file = try collection(
            """
            {"name":"In","request":{"url":"http://a.example/"}},
            {"name":"Out","request":{"url":"http://a.example/","auth":{"type":"noauth"}}},
            {"name":"Own","request":{"url":"http://a.example/","auth":{"type":"basic",
            "basic":{"username":"u","password":"{{p}}"}}}},
            {"name":"Hawk","request":{"url":"http://a.example/","auth":{"type":"hawk","hawk":[]}}}
            """,
            #","auth":{"type":"bearer","bearer":[{"key":"token","value":"{{token}}"}]}"#
        )
        #expect(
            file.text.contains(
                #"In: { request: GET http://a.example/, auth: { bearer: "{{ token }}" } }"#
            )
        )
        #expect(file.text.contains("Out: GET http://a.example/"))
        #expect(file.text.contains(#"basic: { user: u, password: "{{ p }}" }"#))
        #expect(file.losses.map(\.loss.kind) == ["credentials of the kind hawk"])
    }

    @Test func testsBecomeExpectations() throws {
        let file = try collection(
            #"""
            {"name":"Login","event":[{"listen":"test","script":{"exec":[
              "const json = pm.response.json();",
              "pm.test('ok', function () { pm.response.to.have.status(200);",
              "  pm.expect(json.a.b).to.eql('x'); pm.expect(json.list).to.be.an('array'); });",
              "tests['fast'] = responseTime < 500;",
              "pm.environment.set('token', json.data[0].token)",
              "console.log('done');"]}}],
             "request":{"method":"POST","url":"http://a.example/login"}},
            {"name":"Me","request":{"url":"http://a.example/me","auth":{"type":"bearer",
            "bearer":{"token":"{{token}}"}}}}
            """#
        )
        #expect(file.text.contains("status: 200"))
        #expect(file.text.contains("$.a.b: { is: x }"), "\(file.text)")
        #expect(file.text.contains("$.list: { type: array }"))
        #expect(file.text.contains("< 500 ms"))
        #expect(
            file.text.contains("token: { from: Login, capture: \"$.data[0].token\" }"),
            "\(file.text)"
        )
        #expect(file.losses.map(\.loss.text) == ["console.log('done')"])
    }

    @Test func captureOfItself() throws {
        let file = try collection(
            #"""
            {"name":"Refresh","event":[{"listen":"test",
            "script":{"exec":"pm.globals.set('t', pm.response.json().t)"}}],
             "request":{"url":"http://a.example/?t={{t}}"}}
            """#
        )
        #expect(file.losses.map(\.loss.kind) == ["a captured value"])
        #expect(file.text.contains("t: { ask: t }"))
    }

    @Test func savedResponses() throws {
        let file = try collection(
            #"""
            {"name":"A","request":{"url":"http://a.example/"},"response":[
              {"name":"Bad","code":400,"body":"no"},
              {"name":"Good","code":201,"header":[{"key":"Content-Type",
              "value":"application/json"}],"body":"{\"id\":1}"}]}
            """#
        )
        #expect(file.text.contains("status: 201"))
        #expect(file.text.contains("json: { id: 1 }"))
        #expect(file.losses.map(\.loss.kind) == ["a saved response"])
        #expect(file.losses.map(\.loss.line) == [4])
    }

    @Test func environmentAlone() throws {
        let file = try file(
            #"{"name":"Test","values":[{"key":"a.b","value":"1","enabled":true},{"key":"c","value":"2","enabled":false}],"_postman_variable_scope":"environment"}"#
        )
        #expect(file.text.contains(#"Test: { variables: { a_b: "1" } }"#), "\(file.text)")
        #expect(file.text.contains("is switched off: `2`"))
    }

    @Test func versionOne() throws {
        let file = try file(
            #"""
            {"id":"c","name":"Old","order":["2"],"folders":[{"id":"f","name":"F","order":["1"]}],
            "requests":[
             {"id":"1","name":"One","method":"POST","url":"http://a.example/1",
             "headers":"A: b\nC: d\n","dataMode":"urlencoded","data":[{"key":"k","value":"v"}]},
             {"id":"2","name":"Two","method":"GET","url":"http://a.example/2",
             "tests":"tests['s'] = responseCode.code === 200;"},
             {"id":"3","name":"Lost","method":"GET","url":"http://a.example/3"}]}
            """#
        )
        #expect(file.text.contains("form: { k: v }"))
        #expect(file.text.contains("headers: { A: b, C: d }"))
        #expect(file.text.contains("expect: { status: 200 }"))
        #expect(file.text.contains("Lost: GET http://a.example/3"))
    }

    @Test(arguments: [
        #"{"name":null,"request":null}"#, #"{"name":"x","request":{"url":null}}"#, "null", "7",
        #"{"name":"a/b","request":{"url":"://","method":"get it"}}"#,
        #"{"name":"","request":{"url":"{{","header":[{"key":" ","value":null},null],"body":{"mode":"raw","raw":5}}}"#,
        #"{"request":{"url":{"raw":"http://x y/{{a}b}}?","query":null},"auth":{"type":"oauth2"}}}"#,
        #"{"request":{"url":"ftp://a.example/"},"event":[{"listen":"test","script":{"exec":"if (( {"}}]}"#,
    ])
    func oddities(item: String) throws {
        _ = try collection(item)
    }

    @Test func otherFiles() {
        for text in ["", "{}", "[]", #"{"openapi":"3.0.0","info":{"title":"x"}}"#] {
            #expect(throws: ImportError.self) {
                _ = try ImportedFile(
                    ImportSource(path: "a", bytes: Array(text.utf8)),
                    as: PostmanImporter.self
                )
            }
        }
    }
}
