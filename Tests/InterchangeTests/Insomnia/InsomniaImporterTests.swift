import Interchange
import Testing

struct InsomniaImporterTests {
    private func file(_ text: String) throws -> ImportedFile {
        try ImportedFile(ImportSource(path: "a", bytes: Array(text.utf8)))
    }

    @Test func version4() throws {
        let file = try file(
            #"""
            {"_type":"export","__export_format":4,"resources":[
             {"_id":"req_2","_type":"request","parentId":"fld_1","name":"Me","method":"GET",
             "url":"{{ _.base }}/me","metaSortKey":2,
              "authentication":{"type":"bearer",
              "token":"{% response 'body', 'req_1', 'b64::JC50b2tlbg==::46b', 'never', 60 %}"},
              "parameters":[{"name":"a","value":"1"},{"name":"b","value":"2","disabled":true}]},
             {"_id":"req_1","_type":"request","parentId":"fld_1","name":"Login","method":"POST",
             "url":"{{ base }}/login","metaSortKey":1,
              "body":{"mimeType":"application/json","text":"{\"id\":\"{% uuid 'v4' %}\"}"}},
             {"_id":"fld_1","_type":"request_group","parentId":"wrk_1","name":"Users",
             "environment":{}},
             {"_id":"wrk_1","_type":"workspace","parentId":null,"name":"API"},
             {"_id":"env_1","_type":"environment","parentId":"wrk_1","name":"Base",
             "data":{"base":"https://a.example","api":{"key":"k"}}},
             {"_id":"env_2","_type":"environment","parentId":"env_1","name":"Test",
             "data":{"base":"https://t.example"}},
             {"_id":"greq_1","_type":"grpc_request","parentId":"wrk_1","name":"G",
             "url":"grpc://a"}]}
            """#
        )
        #expect(file.text.contains("name: API"))
        #expect(file.text.contains("GET {{ base }}/me"))
        #expect(file.text.contains(#"json: { id: "{{ uuid }}" }"#), "\(file.text)")
        #expect(
            file.text.contains("response_token: { from: Users/Login, capture: $.token }"),
            "\(file.text)"
        )
        #expect(
            file.text.contains("Test: { variables: { base: https://t.example } }"),
            "\(file.text)"
        )
        #expect(file.text.contains("api_key: k"))
        #expect(file.text.contains("Switched off: the parameter `b=2`"))
        #expect(file.losses.map(\.loss.kind) == ["a gRPC request"])
    }

    @Test func version5() throws {
        let file = try file(
            """
            type: collection.insomnia.rest/5.0
            name: Mine
            collection:
              - name: Folder
                meta: { id: fld_1 }
                children:
                  - url: "{{ _.host }}/x"
                    name: X
                    meta: { id: req_1 }
                    method: PUT
                    headers: [{ name: A, value: b }]
                    scripts: { afterResponse: "insomnia.test('s', () => { insomnia.response.to.have.status(204); });" }
            environments:
              name: Base
              data: { host: "a.example" }
            """
        )
        #expect(file.text.contains("PUT http://{{ host }}/x"), "\(file.text)")
        #expect(file.text.contains("expect: { status: 204 }"))
        #expect(file.losses.isEmpty)
    }

    @Test(arguments: [
        #"{"_type":"export","resources":[]}"#,
        #"{"_type":"export","resources":[null,{"_type":"request"}]}"#,
        #"{"_type":"export","resources":[{"_id":"a","parentId":"b","_type":"request_group"},{"_id":"b","parentId":"a","_type":"request_group"}]}"#,
        "type: collection.insomnia.rest/5.0\n",
    ])
    func oddities(text: String) throws {
        _ = try file(text)
    }
}
