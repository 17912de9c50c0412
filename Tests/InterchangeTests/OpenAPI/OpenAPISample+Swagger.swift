extension OpenAPISampleTests {
    /// What the specification says about Swagger 2.0: host, forms, collection formats, definitions.
    static let swagger = OpenAPISample(
        file: "swagger.json",
        source: #"""
            { "swagger": "2.0", "info": { "title": "Swagger", "version": "1", "contact": { "name": "Ada", "email": "ada@example.com" } },
              "host": "api.example:8080", "basePath": "/v2/", "schemes": ["http", "https", "ws"], "consumes": ["application/json"], "produces": ["application/json"],
              "securityDefinitions": { "oauth": { "type": "oauth2", "flow": "accessCode", "authorizationUrl": "https://login.example/a", "tokenUrl": "https://login.example/t", "scopes": { "read": "Read" } } },
              "parameters": { "page": { "name": "page", "in": "query", "type": "integer", "required": true, "default": 1 } },
              "paths": {
                "/users/{id}": { "get": { "operationId": "user", "deprecated": true, "security": [{ "oauth": ["read"] }],
                  "parameters": [ { "name": "id", "in": "path", "required": true, "type": "string", "x-example": "ada" }, { "$ref": "#/parameters/page" },
                    { "name": "csv", "in": "query", "required": true, "type": "array", "items": { "type": "string" }, "default": ["a", "b"] },
                    { "name": "multi", "in": "query", "required": true, "type": "array", "collectionFormat": "multi", "items": { "type": "string", "enum": ["x"] } },
                    { "name": "pipes", "in": "query", "required": true, "type": "array", "collectionFormat": "pipes", "items": { "type": "integer" }, "default": [1, 2] } ],
                  "responses": { "200": { "description": "OK", "examples": { "application/json": { "id": "ada" } } }, "default": { "description": "Not OK" } } },
                  "put": { "operationId": "setUser", "parameters": [ { "name": "id", "in": "path", "required": true, "type": "string", "x-example": "bob" }, { "name": "body", "in": "body", "description": "The user", "schema": { "$ref": "#/definitions/User" } } ], "responses": { "204": { "description": "Done" } } } },
                "/form": { "post": { "summary": "Form", "consumes": ["application/x-www-form-urlencoded"], "parameters": [ { "name": "a", "in": "formData", "type": "string", "required": true, "description": "First" }, { "name": "b", "in": "formData", "type": "array", "collectionFormat": "multi", "items": { "type": "integer" } } ] } },
                "/file": { "post": { "summary": "File", "consumes": ["multipart/form-data"], "parameters": [ { "name": "photo", "in": "formData", "type": "file" }, { "name": "title", "in": "formData", "type": "string" } ] } } },
              "definitions": { "User": { "type": "object", "properties": { "name": { "type": "string" }, "born": { "type": "string", "format": "date" }, "nested": { "$ref": "#/definitions/Missing" } } } } }
            """#,
        workspace: #"""
            # yaml-language-server: $schema=workspace.schema.json
            name: Swagger
            note: |-
              Version 1.

              Contact: Ada, ada@example.com

              Not carried over: a scheme. It is none of HTTP.

              ```
              ws
              ```

              Not carried over: schemas. A workspace expects statuses and values; bodies are made from schemas, and notes name those of responses.

              Not carried over: a reference. It leads nowhere.

              ```
              #/definitions/Missing
              ```
            variables:
              id: ada
              oauth_client: { ask: Client id (oauth client) }
              users_id: bob
              photo_file: { ask: The file to send as “photo” }
            environments:
              api.example:8080: { baseURL: https://api.example:8080/v2 }
              api.example:8080 (http): { baseURL: http://api.example:8080/v2 }
            defaults:
              headers: { Accept: application/json }
            targets:
              user:
                request: GET /users/{{ id }}?csv=a,b&pipes=1%7C2
                auth:
                  oauth2:
                    grant: authorizationCode
                    tokenURL: https://login.example/t
                    authorizationURL: https://login.example/a
                    clientID: "{{ oauth_client }}"
                    scope: [read]
                query: { page: 1, multi: [x] }
                expect: { status: 200 }
                sample: { status: 200, json: { id: ada } }
                note: |-
                  **Deprecated.**

                  | Parameter | In | In the request | What it is |
                  | --- | --- | --- | --- |
                  | `page` | query | yes | (integer, default `1`) |
                  | `csv` | query | yes | (list of string) |
                  | `multi` | query | yes | (list of string, one of `x`) |
                  | `pipes` | query | yes | (list of integer) |

                  | Response | What it means | Body |
                  | --- | --- | --- |
                  | 200 | OK |  |
                  | default | Not OK |  |
              setUser:
                request: PUT /users/{{ users_id }}
                json: { name: string, born: 2026-01-01, nested: {} }
                expect: { status: 204 }
                note: |-
                  The user

                  | Response | What it means | Body |
                  | --- | --- | --- |
                  | 204 | Done |  |
              Form:
                request: POST /form
                form: { a: string, b: [1] }
                note: |-
                  | Field | Required | Type | What it is |
                  | --- | --- | --- | --- |
                  | `a` | yes | string | First |
                  | `b` | no | list of integer |  |
              File:
                request: POST /file
                multipart: { photo: { file: "{{ photo_file }}" }, title: string }
                note: |-
                  | Field | Required | Type | What it is |
                  | --- | --- | --- | --- |
                  | `photo` | no | file |  |
                  | `title` | no | string |  |

            """#
    )
}
