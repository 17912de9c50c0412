extension OpenAPISampleTests {
    /// What the specification says about bodies: each kind of media type, examples, encodings.
    static let bodies = OpenAPISample(
        file: "bodies.yaml",
        source: #"""
            openapi: 3.0.3
            info: { title: Bodies, description: "About\n\nbodies", version: "1" }
            servers: [{ url: "https://api.example" }]
            paths:
              /json: { post: { summary: JSON, requestBody: { content: { application/xml: { schema: { $ref: "#/components/schemas/Pet" } }, application/json: { schema: { $ref: "#/components/schemas/Pet" } } } }, responses: { "201": { description: Made, content: { application/json: { example: { id: 7 } } } }, 4XX: { description: No } } } }
              /plus: { post: { summary: Plus, requestBody: { description: The one, content: { application/vnd.x+json: { examples: { first: { value: { a: 1 } }, second: { summary: Another, value: { a: 2 } } } } } } } }
              /form: { post: { summary: Form, requestBody: { content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { list: { type: array, example: [a, b] }, comma: { type: array, example: [a, b] }, deep: { type: object, example: { a: { b: 1 } } }, json: { type: object, example: { a: 1 } } } }, encoding: { comma: { explode: false }, deep: { style: deepObject, explode: true } } } } } } }
              /multipart: { post: { summary: Multipart, requestBody: { content: { multipart/form-data: { schema: { type: object, properties: { title: { type: string, maxLength: 3 }, file: { type: string, format: binary }, images: { type: array, items: { type: string, format: binary } }, meta: { type: object, properties: { a: { type: integer } } } } }, encoding: { images: { contentType: image/png }, meta: { contentType: application/json } } } } } } }
              /xml: { put: { summary: XML, requestBody: { content: { application/xml: { schema: { $ref: "#/components/schemas/Pet" } } } } } }
              /text: { post: { summary: Text, requestBody: { content: { text/csv: { example: "a,b\n1,2\n" } } } } }
              /binary: { put: { summary: Binary, requestBody: { content: { image/png: { schema: { type: string, format: binary } } } } } }
              /lines: { post: { summary: Lines, requestBody: { content: { application/x-ndjson: { schema: { type: object, properties: { a: { type: integer } } } } } } } }
              /any: { post: { summary: Any, requestBody: { content: { "*/*": { schema: { type: object, properties: { a: { type: boolean } } } } } } } }
              /missing: { post: { summary: Missing, requestBody: { $ref: "#/components/requestBodies/None" } } }
            components:
              schemas:
                Pet:
                  type: object
                  required: [name]
                  xml: { name: pet, namespace: "https://example.com/s", prefix: s }
                  properties:
                    id: { type: integer, xml: { attribute: true } }
                    name: { type: string, description: What it is called, example: "<Rex>" }
                    secret: { type: string, readOnly: true }
                    tags: { type: array, xml: { wrapped: true, name: tags }, items: { type: string, xml: { name: tag } } }
                    friends: { type: array, items: { $ref: "#/components/schemas/Pet" } }
            """#,
        workspace: #"""
            # yaml-language-server: $schema=workspace.schema.json
            name: Bodies
            note: |-
              About

              bodies

              Version 1.

              Not carried over: schemas. A workspace expects statuses and values; bodies are made from schemas, and notes name those of responses.

              Not carried over: a reference. It leads nowhere.

              ```
              #/components/requestBodies/None
              ```
            variables:
              upload_file: { ask: The file to send as “file” }
              images_file: { ask: The file to send as “images” }
            environments:
              api.example: { baseURL: https://api.example }
            targets:
              JSON:
                request: POST /json
                json: { id: 1, name: "<Rex>", tags: [string], friends: [] }
                headers: { Accept: application/json }
                expect: { status: 201 }
                sample: { status: 201, json: { id: 7 } }
                note: |-
                  It also takes `application/xml`.

                  | Field | Required | Type | What it is |
                  | --- | --- | --- | --- |
                  | `name` | yes | string | What it is called |

                  | Response | What it means | Body |
                  | --- | --- | --- |
                  | 201 | Made | application/json |
                  | 4XX | No |  |
              Plus:
                request: POST /plus
                json: { a: 1 }
                headers: { Content-Type: application/vnd.x+json }
                note: |-
                  The one

                  Another body (second), Another:

                  ```
                  {
                    "a": 2
                  }
                  ```
              Form:
                request: POST /form
                form: { list: [a, b], comma: "a,b", "deep[a][b]": 1, json: '{"a":1}' }
              Multipart:
                request: POST /multipart
                multipart:
                  title: str
                  file: { file: "{{ upload_file }}" }
                  images: { file: "{{ images_file }}", type: image/png }
                  meta: '{"a":1}'
                note: |-
                  Not carried over: a part's media type. A part that is no file has none; `meta` is of this.

                  ```
                  application/json
                  ```
              XML:
                request: PUT /xml
                body: |
                  <?xml version="1.0" encoding="UTF-8"?>
                  <s:pet xmlns:s="https://example.com/s" id="1">
                    <name>&lt;Rex&gt;</name>
                    <tags>
                      <tag>string</tag>
                    </tags>
                  </s:pet>
                headers: { Content-Type: application/xml }
                note: |-
                  | Field | Required | Type | What it is |
                  | --- | --- | --- | --- |
                  | `name` | yes | string | What it is called |
              Text:
                request: POST /text
                body: |
                  a,b
                  1,2
                headers: { Content-Type: text/csv }
              Binary:
                request: PUT /binary
                upload: "{{ upload_file }}"
                headers: { Content-Type: image/png }
              Lines:
                request: POST /lines
                body: |
                  {"a":1}
                headers: { Content-Type: application/x-ndjson }
              Any: { request: POST /any, json: { a: true } }
              Missing:
                request: POST /missing
                note: |-
                  Not carried over: a body. Its reference leads nowhere.

                  ```
                  #/components/requestBodies/None
                  ```

            """#
    )
}
