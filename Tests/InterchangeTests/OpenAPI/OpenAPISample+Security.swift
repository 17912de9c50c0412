extension OpenAPISampleTests {
    /// What the specification says about servers, credentials, tags and webhooks.
    static let security = OpenAPISample(
        file: "security.yaml",
        source: #"""
            openapi: 3.1.0
            info: { title: Security, version: "1" }
            servers:
              - { url: "https://{region}.api.example:{port}/v1", description: Main, variables: { region: { default: eu, enum: [eu, us] }, port: { default: "8443" } } }
              - { url: "https://test.example", description: "The server on which everything is tested before it is released" }
              - { url: "wss://stream.example" }
            security: [{ bearer: [] }]
            tags: [{ name: Users, description: People, externalDocs: { url: "https://docs.example" } }, { name: Unused, description: Nothing }]
            paths:
              /bearer: { get: { summary: Bearer, tags: [Users, extra] } }
              /none: { get: { summary: None, security: [] } }
              /basic: { get: { summary: Basic, security: [{ basic: [] }] } }
              /digest: { get: { summary: Digest, security: [{ digest: [] }] } }
              /key: { get: { summary: Key, security: [{ queryKey: [] }] } }
              /cookie: { get: { summary: Cookie, security: [{ cookieKey: [] }] } }
              /both: { get: { summary: Both, security: [{ headerKey: [], bearer: [] }] } }
              /alternatives: { get: { summary: Alternatives, security: [{ mutual: [] }, { headerKey: [] }, {}] } }
              /code: { get: { summary: Code, security: [{ oauth: [read, write] }] } }
              /client: { get: { summary: Client, security: [{ client: [] }] } }
              /implicit: { get: { summary: Implicit, security: [{ implicit: [] }] } }
              /connect: { get: { summary: Connect, security: [{ connect: [] }] } }
              /token: { get: { summary: Token, security: [{ token: [] }] } }
              /unknown: { get: { summary: Unknown, security: [{ nothing: [] }] } }
              /elsewhere: { servers: [{ url: "https://files.example" }, { url: "https://more.example" }], get: { summary: Elsewhere, responses: { 200: { content: { application/json: {} } }, 302: {} } } }
            components:
              securitySchemes:
                bearer: { type: http, scheme: bearer, description: A token }
                basic: { type: http, scheme: basic }
                digest: { type: http, scheme: Digest }
                headerKey: { type: apiKey, in: header, name: X-Key }
                queryKey: { type: apiKey, in: query, name: key }
                cookieKey: { type: apiKey, in: cookie, name: sid }
                mutual: { type: mutualTLS }
                oauth: { type: oauth2, flows: { authorizationCode: { authorizationUrl: "https://login.example/a", tokenUrl: /token, scopes: { read: "" } }, implicit: { authorizationUrl: "https://login.example/a" } } }
                client: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://login.example/token", scopes: { all: "" } } } }
                implicit: { type: oauth2, flows: { implicit: { authorizationUrl: "https://login.example/a" } } }
                connect: { type: openIdConnect, openIdConnectUrl: "https://login.example/.well-known/openid-configuration" }
                token: { type: http, scheme: Token }
                unused: { type: http, scheme: basic }
            webhooks: { created: { post: { summary: Created } } }
            """#,
        workspace: #"""
            # yaml-language-server: $schema=workspace.schema.json
            name: Security
            note: |-
              Version 1.

              **Unused**

              Nothing

              Not carried over: a server. Its URL is none of HTTP.

              ```
              wss://stream.example
              ```

              Not carried over: a sign-in by OAuth 2. The implicit flow is no longer used (RFC 9700); a token is asked for.

              ```
              https://login.example/a
              ```

              Not carried over: a sign-in by OpenID Connect. A token is asked for; `auth: { oauth2: … }` obtains one with what the discovery document says.

              ```
              https://login.example/.well-known/openid-configuration
              ```

              Not carried over: credentials. The description does not say what `nothing` is.

              Not carried over: a webhook. A workspace has no requests that come from a server.

              ```
              created: {
                "post": {
                  "summary": "Created"
                }
              }
              ```

              Not carried over: credentials. No operation says that it needs `unused`.

              ```
              {
                "type": "http",
                "scheme": "basic"
              }
              ```
            variables:
              bearer: { ask: Bearer token (bearer) — A token, secret: true }
              basic_user: { ask: User (basic user) }
              basic_password: { ask: Password (basic password), secret: true }
              digest_user: { ask: User (digest user) }
              digest_password: { ask: Password (digest password), secret: true }
              queryKey: { ask: API key key (queryKey), secret: true }
              cookieKey: { ask: API key sid (cookieKey), secret: true }
              headerKey: { ask: API key X-Key (headerKey), secret: true }
              oauth_client: { ask: Client id (oauth client) }
              client_client: { ask: Client id (client client) }
              client_secret: { ask: Client secret (client secret), secret: true }
              implicit: { ask: Access token (implicit), secret: true }
              connect: { ask: Access token (connect), secret: true }
              token: { ask: Credentials (token), secret: true }
            environments:
              Main:
                baseURL: https://{{ region }}.api.example:{{ port }}/v1
                description: "`region`: eu, us"
                variables: { region: eu, port: "8443" }
              test.example:
                baseURL: https://test.example
                description: The server on which everything is tested before it is released
            defaults:
              auth: { bearer: "{{ bearer }}" }
            targets:
              Users:
                note: "People\n\n[More about it](https://docs.example)"
                Bearer: { request: GET /bearer, tags: [extra] }
              None: { request: GET /none, auth: none }
              Basic:
                request: GET /basic
                auth:
                  basic: { user: "{{ basic_user }}", password: "{{ basic_password }}" }
              Digest:
                request: GET /digest
                auth:
                  digest: { user: "{{ digest_user }}", password: "{{ digest_password }}" }
              Key:
                request: GET /key
                auth: { apiKey: { in: query, name: key, value: "{{ queryKey }}" } }
              Cookie:
                request: GET /cookie
                auth: { apiKey: { in: cookie, name: sid, value: "{{ cookieKey }}" } }
              Both: { request: GET /both, headers: { X-Key: "{{ headerKey }}" } }
              Alternatives:
                request: GET /alternatives
                auth: { apiKey: { name: X-Key, value: "{{ headerKey }}" } }
                note: Instead of these credentials it accepts `mutual`, or nothing.
              Code:
                request: GET /code
                auth:
                  oauth2:
                    grant: authorizationCode
                    tokenURL: https://eu.api.example:8443/token
                    authorizationURL: https://login.example/a
                    clientID: "{{ oauth_client }}"
                    scope: [read, write]
                note: "`oauth` has also the flows `implicit`."
              Client:
                request: GET /client
                auth:
                  oauth2:
                    grant: clientCredentials
                    tokenURL: https://login.example/token
                    clientID: "{{ client_client }}"
                    clientSecret: "{{ client_secret }}"
                    scope: [all]
              Implicit: { request: GET /implicit, auth: { bearer: "{{ implicit }}" } }
              Connect: { request: GET /connect, auth: { bearer: "{{ connect }}" } }
              Token:
                request: GET /token
                auth: { apiKey: { name: Authorization, value: "Token {{ token }}" } }
              Unknown: { request: GET /unknown, auth: none }
              Elsewhere:
                request: GET https://files.example/elsewhere
                auth: { bearer: "{{ bearer }}" }
                headers: { Accept: application/json }
                note: |-
                  | Response | What it means | Body |
                  | --- | --- | --- |
                  | 200 |  | application/json |
                  | 302 |  |  |

                  Not carried over: a server. The request goes to the first one.

                  ```
                  https://more.example
                  ```

            """#
    )
}
