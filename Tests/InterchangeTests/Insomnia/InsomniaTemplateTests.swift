import Interchange
import Testing

/// Templates, environments and folders of Insomnia.
struct InsomniaTemplateTests {
    private func file(_ resources: String, data: String = "{}") throws -> ImportedFile {
        let text = #"""
            {"_type":"export","__export_format":4,"resources":[
             {"_id":"wrk_1","_type":"workspace","name":"API"},
             {"_id":"env_1","_type":"environment","parentId":"wrk_1","data":\#(data)},
             \#(resources)]}
            """#
        return try ImportedFile(ImportSource(path: "a", bytes: Array(text.utf8)))
    }

    private func header(_ template: String) throws -> ImportedFile {
        try file(
            """
            {"_id":"req_1","_type":"request","parentId":"wrk_1","name":"A","url":"https://a.example",
             "parameters":[{"name":"p","value":"7"}],
             "headers":[{"name":"X-A","value":"\(template)"}]}
            """,
            data: #"{"user":"ada"}"#
        )
    }

    @Test(arguments: [
        ("{% uuid 'v4' %}", "{{ uuid }}"), ("{% now 'unix', '' %}", "{{ now('+0 s', 'unix') }}"),
        ("{% now 'millis' %}", "{{ now('+0 s', 'unixms') }}"),
        ("{% now 'custom', 'yyyy-MM-dd' %}", "{{ now('+0 s', '%Y-%m-%d') }}"),
        ("{% base64 'encode', 'normal', _.user %}", "{{ user | base64 }}"),
        ("{% base64 'encode', 'normal', 'ada' %}", "YWRh"),
        ("{% hash 'sha256', 'hex', _.user %}", "{{ user | sha256 }}"),
        ("{{ _.user | upper }}", "{{ user | upper }}"),
        ("{{ _['user'] }}", "{{ user }}"),
        ("{% faker 'randomEmail' %}", "user{{ random }}@example.com"),
        ("{% request 'parameter', 'p', 0 %}", "X-A: \"7\""),
    ])
    func template(text: String, expected: String) throws {
        let file = try header(text)
        #expect(file.text.contains(expected), "\(file.text)")
        #expect(file.losses.isEmpty, "\(file.losses)")
    }

    @Test(arguments: [
        "{% hash 'md5', 'hex', _.user %}", "{% cookie 'https://a.example', 'sid' %}",
        "{% myplugin 'zq' %}", "{{ _.user + 1 }}", "{% now 'custom', 'Do' %}",
        "{% response 'body', 'req_nowhere', 'b64::JC5h::46b', 'never', 60 %}",
    ])
    func templateWithoutFunctionIsListed(text: String) throws {
        let file = try header(text)
        #expect(file.losses.contains { $0.loss.text.contains(text) }, "\(file.losses)")
    }

    @Test func promptsAskAsTheyDid() throws {
        let file = try header("{% prompt 'One-time code', 'From the app', '000', '', true, true %}")
        #expect(file.text.contains("One-time code: From the app"), "\(file.text)")
        #expect(file.text.contains("secret: true"))
        #expect(file.text.contains(#"default: "000""#))
    }

    @Test func responsesExpire() throws {
        let file = try file(
            """
            {"_id":"req_1","_type":"request","parentId":"wrk_1","name":"Login",
             "url":"https://a.example/login"},
            {"_id":"req_2","_type":"request","parentId":"wrk_1","name":"Me",
             "url":"https://a.example/{{ _.tok }}"}
            """,
            data: #"""
                {"tok":"{% response 'body', 'req_1', 'b64::JC50b2tlbg==::46b', 'when-expired', 90 %}"}
                """#
        )
        #expect(
            file.text.contains("{ from: Login, capture: $.token, expires: 90 s }"),
            "\(file.text)"
        )
        #expect(file.losses.isEmpty)
    }

    @Test("a request that needs its own response through another variable is listed")
    func circle() throws {
        let file = try file(
            """
            {"_id":"req_1","_type":"request","parentId":"wrk_1","name":"Login",
             "url":"https://a.example/login?t={{ _.tok }}"}
            """,
            data: #"""
                {"tok":"{% response 'body', 'req_1', 'b64::JC50b2tlbg==::46b', 'never', 60 %}"}
                """#
        )
        #expect(file.losses.map(\.loss.kind) == ["a captured value"])
    }

    @Test func foldersHaveTheirOwnValues() throws {
        let file = try file(
            """
            {"_id":"fld_1","_type":"request_group","parentId":"wrk_1","name":"Admin",
             "environment":{"base":"https://admin.example","only":"1"},
             "headers":[{"name":"X-F","value":"{{ _.base }}"},
              {"name":"X-O","value":"off","disabled":true}]},
            {"_id":"req_1","_type":"request","parentId":"fld_1","name":"A","url":"{{ _.base }}/a"},
            {"_id":"req_2","_type":"request","parentId":"wrk_1","name":"B","url":"{{ _.base }}/b"}
            """,
            data: #"{"base":"https://a.example"}"#
        )
        #expect(file.text.contains("GET {{ base_Admin }}/a"), "\(file.text)")
        #expect(file.text.contains("GET {{ base }}/b"))
        #expect(file.text.contains("base_Admin: https://admin.example"))
        #expect(file.text.contains(#"X-F: "{{ base_Admin }}""#))
        #expect(file.text.contains("Switched off: the header field `X-O=off`"))
        #expect(file.losses.isEmpty)
    }

    @Test func environmentsWithoutAWorkspaceAreRead() throws {
        let text = #"""
            {"_type":"export","__export_format":4,"resources":[
             {"_id":"env_1","_type":"environment","name":"Base","data":{"a":"1"}},
             {"_id":"env_2","_type":"environment","parentId":"env_1","name":"Dev",
              "data":{"a":"2"},
              "kvPairData":[{"name":"old","value":"9","enabled":false}]},
             {"_id":"env_3","_type":"environment","parentId":"env_2","name":"Deep",
              "data":{"b":"3"}}]}
            """#
        let file = try ImportedFile(ImportSource(path: "a", bytes: Array(text.utf8)))
        #expect(file.text.contains(#"variables: { a: "1" }"#) || file.text.contains(#"a: "1""#))
        #expect(file.text.contains(#"Dev: { variables: { a: "2" } }"#), "\(file.text)")
        #expect(file.text.contains(#"Deep: { variables: { a: "2", b: "3" } }"#), "\(file.text)")
        #expect(file.text.contains("The variable `old` of Dev is switched off: `9`"))
    }

    @Test("what stands in something that is no folder is listed")
    func innerResources() throws {
        let file = try file(
            """
            {"_id":"uts_1","_type":"unit_test_suite","parentId":"wrk_1","name":"Suite"},
            {"_id":"ut_1","_type":"unit_test","parentId":"uts_1","name":"Works","code":"let a = 1"},
            {"_id":"mock_1","_type":"mock","parentId":"wrk_1","name":"M"},
            {"_id":"mr_1","_type":"mock_route","parentId":"mock_1","name":"/x","body":"zq"},
            {"_id":"ws-req_1","_type":"websocket_request","parentId":"wrk_1","name":"W"},
            {"_id":"ws-payload_1","_type":"websocket_payload","parentId":"ws-req_1","value":"hello"}
            """
        )
        let texts = file.losses.map(\.loss.text).joined()
        for text in ["let a = 1", "zq", "hello"] { #expect(texts.contains(text)) }
        #expect(file.losses.count == 6)
    }

    @Test func credentialsKeepTheirSettings() throws {
        let file = try file(
            """
            {"_id":"req_1","_type":"request","parentId":"wrk_1","name":"A",
             "url":"https://a.example","authentication":{"type":"oauth2",
             "grantType":"client_credentials","accessTokenUrl":"https://a.example/t",
             "clientId":"me","clientSecret":"s","resource":"zq1","state":"zq2",
             "responseType":"id_token","usePkce":true}},
            {"_id":"req_2","_type":"request","parentId":"wrk_1","name":"B",
             "url":"https://a.example",
             "authentication":{"type":"basic","username":"zq3","password":"zq4","disabled":true}},
            {"_id":"req_3","_type":"request","parentId":"wrk_1","name":"C",
             "url":"https://a.example","authentication":{"type":"netrc"}}
            """
        )
        #expect(file.text.contains("parameters: { resource: zq1 }"), "\(file.text)")
        #expect(file.text.contains("netrc: true"))
        let texts = file.losses.map(\.loss.text)
        #expect(texts.contains("state: zq2"))
        #expect(texts.contains { $0.contains("zq3") && $0.contains("zq4") })
    }

    @Test func bodiesThatAreNotRenderedStayAsTheyAre() throws {
        let file = try file(
            """
            {"_id":"req_1","_type":"request","parentId":"wrk_1","name":"A","method":"POST",
             "url":"https://a.example","settingDisableRenderRequestBody":true,
             "body":{"mimeType":"text/plain","text":"a {{ _.b }}"}}
            """
        )
        #expect(file.text.contains(#"\{{ _.b }}"#), "\(file.text)")
        #expect(file.losses.isEmpty)
    }

    @Test(arguments: [
        "type: mcpClient.insomnia/5.0\nname: M\nmcpRequest: { url: https://zq.example }\n",
        "type: mock.insomnia.rest/5.0\nname: M\nroutes: [{ name: /zq, body: b }]\n",
        "__export_format: 4\nresources: [{ _type: zq }]\n",
    ])
    func otherFiles(text: String) throws {
        let file = try ImportedFile(ImportSource(path: "a.yaml", bytes: Array(text.utf8)))
        #expect(file.losses.contains { $0.loss.text.contains("zq") })
    }

    @Test func itemsOfVersion5StandInTheirOrder() throws {
        let text = """
            type: collection.insomnia.rest/5.0
            collection:
              - { name: Second, url: "https://a.example", method: GET, meta: { sortKey: -1 } }
              - { name: First, url: "https://a.example", method: GET, meta: { sortKey: -2 } }
            """
        let file = try ImportedFile(ImportSource(path: "a.yaml", bytes: Array(text.utf8)))
        let first = try #require(file.text.firstRange(of: "First"))
        let second = try #require(file.text.firstRange(of: "Second"))
        #expect(first.lowerBound < second.lowerBound)
    }
}
