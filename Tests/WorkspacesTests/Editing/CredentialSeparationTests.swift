import Testing
import Workspaces

struct CredentialSeparationTests {
    private func loads(_ separation: CredentialSeparation) throws -> Workspace {
        try Workspace.new(
            text: separation.texts[0],
            file: "a.apus.yaml",
            secrets: separation.reader(at: [".env"])
        )
    }

    @Test("credentials of all places go into the file, and templates stand for them")
    func places() throws {
        let separation = CredentialSeparation(
            [
                #"""
                name: Shop
                variables:
                  base: https://shop.example
                  token: tok_12345678
                environments:
                  live: { baseURL: "https://shop.example", variables: { token: live_12345678 } }
                targets:
                  Show:
                    request: GET /a?api_key=ab%2Fcd12&x=1
                    headers: { X-Auth-Token: 'a "b" $c', Accept: text/plain }
                    auth: { basic: { user: ada, password: hunter22 } }
                    note: |-
                      It signs with hunter22.
                  Login:
                    request: POST https://bob:other%20pw@shop.example/login
                    body: |-
                      { "user": "ada",
                        "password": "hunter22" }
                  Plain: { request: POST /b, json: { token: "{{ token }}", secret: true, otp: 1234 } }
                """#
            ],
            to: ".env"
        )
        #expect(
            separation.texts[0] == #"""
                name: Shop
                envFile: .env
                variables:
                  base: https://shop.example
                environments:
                  live: { baseURL: "https://shop.example", variables: { token: "{{ live_token }}" } }
                targets:
                  Show:
                    request: "GET /a?api_key={{ api_key | raw }}&x=1"
                    headers: { X-Auth-Token: "{{ x_auth_token }}", Accept: text/plain }
                    auth: { basic: { user: ada, password: "{{ password }}" } }
                    note: |-
                      It signs with {{ password }}.
                  Login:
                    request: "POST https://bob:{{ login_password | raw }}@shop.example/login"
                    body: "{ \"user\": \"ada\",\n  \"password\": \"{{ password }}\" }"
                  Plain: { request: POST /b, json: { token: "{{ token }}", secret: true, otp: 1234 } }
                """#
        )
        let lines = [
            "token=tok_12345678", "live_token=live_12345678", "api_key=ab%2Fcd12",
            #"x_auth_token="a \"b\" \$c""#, "password=hunter22", #"login_password=other%20pw"#,
        ]
        let text = separation.fileText(for: "shop.apus.yaml")
        #expect(text.split(separator: "\n").dropFirst().map(String.init) == lines)
        _ = try loads(separation)
    }

    @Test("what is in the file already keeps its name, and another value gets another name")
    func existing() throws {
        let text = "targets:\n  A: { request: GET https://a.example, auth: { bearer: NEW } }\n"
        func separated(_ token: String, _ old: [CredentialSeparation.Entry]) -> CredentialSeparation
        {
            CredentialSeparation([text.replacing("NEW", with: token)], to: ".env", existing: old)
        }
        let first = separated("one11111", [])
        #expect(first.entries.map(\.name) == ["bearer_token"])
        let same = separated("one11111", first.entries)
        #expect(same.entries.isEmpty)
        #expect(same.texts == first.texts)
        let other = separated("two22222", first.entries)
        #expect(other.entries.map(\.name) == ["a_bearer_token"])
        _ = try loads(other)
    }

    @Test(
        "a text without credentials stays as it is",
        arguments: [
            "targets:\n  A: GET https://a.example\n", "", "no: [yaml", "targets: { A: GET / }\n",
            "targets:\n  A: { request: GET https://a.example, auth: { bearer: \"{{ token }}\" } }\n",
            "targets:\n  A: { request: POST https://a.example, json: { token: true } }\n",
        ]
    )
    func nothing(text: String) {
        let separation = CredentialSeparation([text], to: ".env")
        #expect(separation.texts == [text])
        #expect(separation.entries.isEmpty)
        #expect(CredentialSeparation.asking(text).text == text)
    }

    @Test("where no file has them, they are asked for")
    func asked() throws {
        let text = """
            variables:
              token: abcd1234
            targets:
              A: { request: "GET https://a.example/{{ token }}", auth: { bearer: efgh5678 } }

            """
        let asking = CredentialSeparation.asking(text)
        #expect(asking.count == 2)
        #expect(
            asking.text == """
                variables:
                  token: { ask: token, secret: true }
                  bearer_token: { ask: bearer_token, secret: true }
                targets:
                  A: { request: "GET https://a.example/{{ token }}", auth: { bearer: "{{ bearer_token }}" } }

                """
        )
        _ = try Workspace.new(text: asking.text, file: "a.apus.yaml")
    }

    @Test("no name is one that the workspace has for something else")
    func reserved() throws {
        let text = "targets:\n  A: { request: GET https://a.example, auth: { bearer: abcd1234 } }\n"
        let separation = CredentialSeparation([text], to: ".env", reserved: ["bearer_token"])
        #expect(separation.entries.map(\.name) == ["a_bearer_token"])
    }

    @Test("a long credential is separated, and one that is too long is named")
    func long() throws {
        func separated(_ count: Int) -> CredentialSeparation {
            let token = String(repeating: "a", count: count)
            return CredentialSeparation(
                ["targets:\n  A: { request: GET https://a.example, auth: { bearer: \(token) } }\n"],
                to: ".env"
            )
        }
        let fitting = separated(200_000)
        #expect(fitting.entries.map(\.name) == ["bearer_token"] && fitting.kept.isEmpty)
        _ = try loads(fitting)
        let long = separated(1_045_000)
        #expect(long.entries.isEmpty && long.kept == ["bearer_token"])
        #expect(long.keptWords?.contains("bearer_token") == true)
    }

    @Test("a long body takes no time that grows with its square", .timeLimit(.minutes(5)))
    func linear() throws {
        let pairs = (0..<5_000).map { "token=abcd\($0)&x==" }.joined(separator: "&")
        let signs = String(repeating: "=", count: 300_000)
        for body in [pairs, signs, String(repeating: ":\"", count: 200_000)] {
            let text =
                "targets:\n  A:\n    request: POST https://a.example\n    body: '\(body)'\n"
            let separation = CredentialSeparation([text], to: ".env")
            #expect(separation.entries.count == (body == pairs ? 5_000 : 0))
        }
    }
}
