extension OpenAPISampleTests {
    /// What the specification says about parameters: each style, place and kind of value.
    static let parameters = OpenAPISample(
        file: "parameters.yaml",
        source: #"""
            openapi: 3.1.0
            info: { title: Parameters, version: 1.0 }
            servers: [{ url: "https://api.example/v1/" }]
            paths:
              /simple/{id}/list/{ids}/map/{map}:
                parameters:
                  - { name: id, in: path, required: true, schema: { type: integer }, example: 7, description: The number }
                  - { name: ids, in: path, required: true, schema: { type: array, items: { type: string } }, example: [a, "b c"] }
                  - { name: map, in: path, required: true, explode: true, schema: { type: object }, example: { x: 1, y: 2 } }
                get: { summary: Simple, responses: { "200": { description: OK } } }
              /label/{id}/{ids}:
                get:
                  summary: Label
                  parameters:
                    - { name: id, in: path, style: label, required: true, schema: { type: integer }, example: 7 }
                    - { name: ids, in: path, style: label, explode: true, required: true, schema: { type: array }, example: [3, 4] }
              /matrix{id}/x{ids}/y{map}:
                get:
                  summary: Matrix
                  parameters:
                    - { name: id, in: path, style: matrix, required: true, schema: { type: integer }, example: 9 }
                    - { name: ids, in: path, style: matrix, explode: true, required: true, schema: { type: array }, example: [3, 4] }
                    - { name: map, in: path, style: matrix, required: true, schema: { type: object }, example: { R: 1, G: 2 } }
              /query:
                get:
                  summary: Query
                  parameters:
                    - { name: text, in: query, required: true, schema: { type: string }, examples: { one: { value: a b&c } } }
                    - { name: list, in: query, required: true, schema: { type: array }, example: [1, 2] }
                    - { name: comma, in: query, explode: false, required: true, schema: { type: array }, example: [a, "b,c"] }
                    - { name: pipe, in: query, style: pipeDelimited, required: true, schema: { type: array }, example: [1, 2] }
                    - { name: space, in: query, style: spaceDelimited, required: true, schema: { type: array }, example: [1, 2] }
                    - { name: deep, in: query, style: deepObject, required: true, schema: { type: object }, example: { a: 1, b: { c: [x, y] } } }
                    - { name: free, in: query, required: true, schema: { type: object }, example: { m: 1, n: 2 } }
                    - { name: pair, in: query, explode: false, required: true, schema: { type: object }, example: { m: 1, n: 2 } }
                    - { name: json, in: query, required: true, content: { application/json: { schema: { type: object, properties: { a: { const: 1 } } } } } }
                    - { name: path, in: query, required: true, allowReserved: true, schema: { type: string }, example: /a/b?c }
                    - { name: limit, in: query, description: "How many | at most", schema: { type: integer, minimum: 1, maximum: 100, default: 20 } }
                    - { name: sort, in: query, deprecated: true, schema: { enum: [up, down] } }
                    - { name: tags, in: query, explode: false, schema: { type: array, items: { type: string } } }
              /fields:
                get:
                  summary: Fields
                  parameters:
                    - { name: X-List, in: header, required: true, schema: { type: array }, example: [1, 2] }
                    - { name: X-Map, in: header, required: true, explode: true, schema: { type: object }, example: { a: 1 } }
                    - { name: X-API-Key, in: header, required: true, schema: { type: string } }
                    - { name: X-Trace, in: header, schema: { type: string, format: uuid } }
                    - { name: session, in: cookie, required: true, schema: { type: string }, example: "{{abc}}" }
                    - { name: theme, in: cookie, required: true, schema: { type: string, default: dark } }
                    - { name: nowhere, required: true }
              /undeclared/{some.thing}/{id}:
                get: { operationId: undeclared, parameters: [{ name: id, in: path, required: true, schema: { type: integer }, example: 8 }, { name: lost, in: path, required: true, example: 1 }] }
            """#,
        workspace: #"""
            # yaml-language-server: $schema=workspace.schema.json
            name: Parameters
            note: Version 1.0.
            variables:
              id: 7
              ids: a,b%20c
              map: x=1,y=2
              label_id: .7
              label_ids: .3.4
              matrix_id: ;id=9
              x_ids: ;ids=3;ids=4
              y_map: ;map=R,1,G,2
              X-API-Key: { ask: X-API-Key, secret: true }
              undeclared_id: 8
              some_thing: { ask: some_thing }
            environments:
              api.example: { baseURL: https://api.example/v1 }
            targets:
              Simple:
                request: GET /simple/{{ id }}/list/{{ ids | raw }}/map/{{ map | raw }}
                expect: { status: 200 }
                note: |-
                  | Parameter | In | In the request | What it is |
                  | --- | --- | --- | --- |
                  | `id` | path | yes | The number (integer) |
                  | `ids` | path | yes | (list of string) |

                  | Response | What it means | Body |
                  | --- | --- | --- |
                  | 200 | OK |  |
              Label: GET /label/{{ label_id | raw }}/{{ label_ids | raw }}
              Matrix: GET /matrix{{ matrix_id | raw }}/x{{ x_ids | raw }}/y{{ y_map | raw }}
              Query:
                request: GET /query?comma=a,b%2Cc&pipe=1%7C2&space=1%202&pair=m,1,n,2&path=/a/b?c
                query:
                  text: a b&c
                  list: [1, 2]
                  deep[a]: 1
                  deep[b][c]: [x, y]
                  m: 1
                  n: 2
                  json: '{"a":1}'
                note: |-
                  | Parameter | In | In the request | What it is |
                  | --- | --- | --- | --- |
                  | `text` | query | yes | (string) |
                  | `list` | query | yes | (list) |
                  | `comma` | query | yes | (list) |
                  | `pipe` | query | yes | (list) |
                  | `space` | query | yes | (list) |
                  | `deep` | query | yes | (object) |
                  | `free` | query | yes | (object) |
                  | `pair` | query | yes | (object) |
                  | `json` | query | yes | (object) |
                  | `path` | query | yes | (string) |
                  | `limit` | query | no: `limit: 20` | How many \| at most (integer, 1 to 100, default `20`) |
                  | `sort` | query | no: `sort: up` | Deprecated. (one of `up`, `down`) |
                  | `tags` | query | no: `?tags=string` | (list of string) |
              Fields:
                request: GET /fields
                headers:
                  X-List: 1,2
                  X-Map: a=1
                  X-API-Key: "{{ X-API-Key }}"
                  Cookie: session=\{{abc}}; theme=dark
                note: |-
                  | Parameter | In | In the request | What it is |
                  | --- | --- | --- | --- |
                  | `X-List` | header | yes | (list) |
                  | `X-Map` | header | yes | (object) |
                  | `X-API-Key` | header | yes | (string) |
                  | `X-Trace` | header | no: `X-Trace: 123e4567-e89b-42d3-a456-426614174001` | (string (uuid)) |
                  | `session` | cookie | yes | (string) |
                  | `theme` | cookie | yes | (string, default `dark`) |

                  Not carried over: a parameter. It does not say what it is called, or where it stands.

                  ```
                  name: "nowhere"
                  required: true
                  ```
              undeclared:
                request: GET /undeclared/{{ some_thing }}/{{ undeclared_id }}
                note: |-
                  Not carried over: a parameter. The path does not name it.

                  ```
                  lost: 1
                  ```

            """#
    )
}
