extension OpenAPISampleTests {
    /// What the specification says about schemas: formats, bounds, compositions, recursion.
    static let schemas = OpenAPISample(
        file: "schemas.yaml",
        source: #"""
            openapi: 3.1.0
            info: { title: Schemas }
            servers: [{ url: "https://api.example" }]
            paths:
              /formats: { post: { operationId: formats, requestBody: { content: { application/json: { schema: { properties: { dateTime: { type: string, format: date-time }, date: { type: string, format: date }, uuid: { type: string, format: uuid }, email: { type: string, format: email }, uri: { type: string, format: uri }, ipv4: { type: string, format: ipv4 }, byte: { type: string, format: byte }, const: { const: 5 }, enum: { enum: [null, b] }, min: { type: integer, minimum: 10 }, exclusive: { type: number, exclusiveMinimum: 2 }, multiple: { type: integer, minimum: 7, multipleOf: 5 }, max: { type: integer, maximum: -3 }, pattern: { type: string, pattern: "^[A-Z]{3}-\\d{2,}(a|b)?$" }, long: { type: string, minLength: 8 }, short: { type: string, maxLength: 2 }, items: { type: array, minItems: 2, items: { enum: [x, y] } }, tuple: { prefixItems: [{ type: string }, { type: integer }] }, nullable: { type: [string, "null"] }, map: { additionalProperties: { type: integer } }, any: {}, not: { type: string, not: { enum: [string] } } } } } } } } }
              /composed: { post: { operationId: composed, requestBody: { content: { application/json: { schema: { properties: { all: { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { own: { type: boolean } } }] }, one: { $ref: "#/components/schemas/Animal" }, any: { anyOf: [{ type: "null" }, { type: integer }] }, sibling: { $ref: "#/components/schemas/Base", example: { from: sibling } }, tree: { $ref: "#/components/schemas/Tree" } } } } } } } }
            components:
              schemas:
                Base: { type: object, required: [kind, extra], discriminator: { propertyName: kind }, properties: { kind: { type: string } } }
                Cat: { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { lives: { type: integer, default: 9 } } }] }
                Dog: { type: object, properties: { kind: { type: string }, bark: { type: boolean } } }
                Animal: { oneOf: [{ $ref: "#/components/schemas/Dog" }, { $ref: "#/components/schemas/Cat" }], discriminator: { propertyName: kind, mapping: { woof: "#/components/schemas/Dog" } } }
                Tree: { type: object, properties: { value: { type: integer }, children: { type: array, items: { $ref: "#/components/schemas/Tree" } }, parent: { $ref: "#/components/schemas/Tree" } } }
            """#,
        workspace: #"""
            # yaml-language-server: $schema=workspace.schema.json
            name: Schemas
            note: "Not carried over: schemas. A workspace expects statuses and values; bodies are made from schemas, and notes name those of responses."
            environments:
              api.example: { baseURL: https://api.example }
            targets:
              formats:
                request: POST /formats
                json:
                  dateTime: 2026-01-01T12:00:00Z
                  date: 2026-01-01
                  uuid: 123e4567-e89b-42d3-a456-426614174001
                  email: user@example.com
                  uri: https://example.com/
                  ipv4: 192.0.2.1
                  byte: c3RyaW5n
                  const: 5
                  enum: b
                  min: 10
                  exclusive: 2.5
                  multiple: 10
                  max: -3
                  pattern: AAA-00
                  long: stringst
                  short: st
                  items: [x, y]
                  tuple: [string, 1]
                  nullable: string
                  map: { property: 1 }
                  any: {}
                  not: string2
                note: |-
                  | Field | Required | Type | What it is |
                  | --- | --- | --- | --- |
                  | `enum` | no | one of `b` |  |
              composed:
                request: POST /composed
                json:
                  all: { kind: Base, own: true, extra: string }
                  one: { kind: woof, bark: true }
                  any: 1
                  sibling: { from: sibling }
                  tree: { value: 1, children: [] }
                note: |-
                  | Field | Required | Type | What it is |
                  | --- | --- | --- | --- |
                  | `all.kind` | yes | string |  |
                  | `sibling.kind` | yes | string |  |

            """#
    )
}
