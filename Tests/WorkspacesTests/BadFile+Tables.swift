extension BadFile {
    static let syntax = [
        BadFile(
            "empty",
            "",
            ": the file is empty; a workspace has `targets`, for example "
                + "`targets: { Home: GET https://example.com/ }`"
        ),
        BadFile(
            "a tab",
            "targets:\n\tA: GET http://h/\n",
            ":2:1: not valid YAML: found character that cannot start any token while scanning "
                + "for the next token; YAML is indented with spaces, never with tabs"
        ),
        BadFile(
            "a colon too many",
            "targets:\n  A: GET http://h/: x\n",
            ":2:19: not valid YAML: mapping values are not allowed in this context; "
                + "check the indentation; a string that contains `: ` needs quotes"
        ),
        BadFile(
            "an open brace",
            "targets: { A: GET http://h/\n",
            ":2:1: not valid YAML: did not find expected ',' or '}' while parsing a flow mapping"
        ),
        BadFile(
            "a bad escape",
            "targets:\n  A: \"GET http://h/\\{{\"\n",
            ":2:20: not valid YAML: found unknown escape character while parsing a quoted "
                + "scalar; in double quotes `\\` begins an escape: write `\\\\`, or use single "
                + "quotes"
        ),
        BadFile(
            "a control character",
            "name: a\u{1}b\n",
            ":1:8: not valid YAML: control characters are not allowed (U+1)"
        ),
        BadFile(
            "a control character after others that have several bytes",
            "name: ééééé\r\nx: éa\u{1}b\r\n",
            ":2:6: not valid YAML: control characters are not allowed (U+1)"
        ),
        BadFile(
            "two documents",
            "name: a\n---\nname: b\n",
            ":2:1: not valid YAML: a second document; one file holds one workspace"
        ),
        BadFile(
            "a list",
            "- a\n",
            ":1:1: a workspace cannot be a list; expected a mapping with keys such as `name`"
        ),
        BadFile(
            "an alias without an anchor",
            "targets:\n  A: GET http://h/\n  B: *nope\n",
            ":3:6: the alias `*nope` has no anchor before it; a string that begins with `*` needs "
                + "quotes"
        ),
        BadFile(
            "a star without quotes",
            "targets:\n  A: { request: GET http://h/, headers: { Accept: */* } }\n",
            ":2:51: not valid YAML: an alias without a name; a string that begins with `*` needs "
                + "quotes"
        ),
        BadFile(
            "a template without quotes",
            "targets:\n  A: {{ x }}\n",
            ":2:7: a key must be a string, not a mapping; a value that begins with `{{` needs quotes"
        ),
        BadFile(
            "a list as a key",
            "? [a, b]\n: 1\n",
            ":1:3: a key must be a string, not a list"
        ),
        BadFile(
            "nothing as a key",
            "targets: { ~: GET http://h/ }\n",
            ":1:12: a key must be a string, not null"
        ),
        BadFile(
            "an alias as a key",
            "name: &a x\ntargets: { *a : GET http://h/ }\n",
            ":2:12: a key must be a string, not an alias"
        ),
        BadFile("a tag", "name: !foo x\n", ":1:7: the tag `!foo` has no meaning here"),
        BadFile(
            "equal keys in a block",
            "targets:\n  A: GET http://h/1\n\n  # B\n  B: GET http://h/\n  A: GET http://h/2\n"
                + "  'A': GET http://h/3\n",
            ":6:3: duplicate key `A`; the first one is on line 2",
            ":7:3: duplicate key `A`; the first one is on line 2"
        ),
        BadFile(
            "equal keys in braces",
            "targets: { A: GET http://h/1, B: { request: GET http://h/, json: { a: 1, 'a': 2 } },\n"
                + "  \"A\": GET http://h/2 }\n",
            ":1:74: duplicate key `a`; the first one is on line 1",
            ":2:3: duplicate key `A`; the first one is on line 1"
        ),
        BadFile(
            "an alias bomb",
            "a: &a [x,x,x,x,x,x,x,x,x]\n"
                + zip("abcdefgh", "bcdefghi").map { last, next in
                    let parts = [String](repeating: "*\(last)", count: 9)
                    return "\(next): &\(next) [\(parts.joined(separator: ","))]\n"
                }.joined(),
            ":6:26: more than 500,000 values; an alias counts each time it is used"
        ),
        BadFile(
            "deep nesting",
            "targets: " + String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
            ":1:73: nested more than 64 levels deep"
        ),
        BadFile(
            "very deep nesting",
            "targets:\n  " + String(repeating: "- ", count: 5000) + "x\n",
            ":2:2001: not valid YAML: nested too deeply"
        ),
        BadFile(
            "a merge of a text",
            "targets:\n  A:\n    <<: &x 1\n    request: GET http://h/\n",
            ":3:9: `<<` cannot merge a string; expected an alias of a mapping, or a list of them"
        ),
    ]

    static let contents = [
        BadFile(
            "a key misspelt",
            "targts: { A: GET http://h/ }\n",
            ":1:1: unknown key `targts` in a workspace; did you mean `targets`?"
        ),
        BadFile(
            "a key unknown",
            "zzz: 1\n",
            ":1:1: unknown key `zzz` in a workspace; expected one of `name`, `note`, `targets`, "
                + "`variables`, `envFile`, `environments`, `defaults`, `batches`, `chains`, `mask`, "
                + "`cache`"
        ),
        BadFile(
            "marks of an environment that are none",
            "environments: { a: { danger: maybe, colour: red }, b: { color: rde } }\n",
            ":1:30: `danger` cannot be `maybe`; expected one of `true`, `false`",
            ":1:37: unknown key `colour` in an environment; did you mean `color`?",
            ":1:64: `color` cannot be `rde`; expected one of `red`, `orange`, `yellow`, `green`, "
                + "`cyan`, `blue`, `violet`, `pink`, `grey`; did you mean `red`?"
        ),
        BadFile(
            "masks that are none",
            "mask:\n  name: [a]\n  patterns: ['a(', '']\n  names: pin\n",
            ":2:3: unknown key `name` in `mask`; did you mean `names`?",
            ":3:14: `a(` cannot be used as a pattern: missing closing parenthesis at its character 3",
            ":3:20: a pattern cannot be empty",
            ":4:10: `names` cannot be a string; expected a list"
        ),
        BadFile(
            "requests that are none",
            "targets:\n  A: GTE http://h/\n  B: get http://h/\n  C: http://h/\n  D: 'GET '\n  E:\n"
                + "  F: 7\n",
            ":2:6: `GTE` is not a method; expected `METHOD path`, as in `GET /users`; did you mean "
                + "`GET`?",
            ":3:6: `get` is not a method; expected `METHOD path`, as in `GET /users`; did you mean "
                + "`GET`?",
            ":4:6: `http://h/` is not a request; expected `METHOD path`, as in `GET /users`",
            ":5:6: the request has no path; expected `METHOD path`, as in `GET /users`",
            ":6:5: a request cannot be null; expected `METHOD path`, as in `GET /users`",
            ":7:6: `7` is not a request; expected `METHOD path`, as in `GET /users`"
        ),
        BadFile(
            "settings of a wrong type",
            """
            targets:
              A:
                request: GET http://h/
                timeout: 10
                redirects: many
                verifyTLS: perhaps
                source: cachAndServer
                validate: [200, x]
                maxBody: 8
                cache: { storage: ram, expires: soon, maximum: 1, extend: x, key: half, vary: ['a b'] }
                auth: { berer: x }
                headers: [a]
                query: 7
                httpVersion: 3
            """,
            ":4:14: `timeout` cannot be `10`; expected a time with its unit (`500 ms`, `10 s`, "
                + "`5 min`), or `never`",
            ":5:16: `redirects` cannot be `many`; expected a whole number from 0 to 1000",
            ":6:16: `verifyTLS` cannot be `perhaps`; expected one of `true`, `false`",
            ":7:13: `source` cannot be `cachAndServer`; expected one of `server`, `cache`, "
                + "`cacheIfPossible`, `cacheAndServer`, `cacheThenRefresh`, `cacheOnFirstUse`; "
                + "did you mean `cacheAndServer`?",
            ":8:21: a status cannot be `x`; expected a whole number from 100 to 999",
            ":9:14: `maxBody` cannot be `8`; expected a size with its unit: `512 B`, `10 kB`, "
                + "`8 MiB`",
            ":10:23: `storage` cannot be `ram`; expected one of `none`, `memory`, `disk`, "
                + "`memoryAndDisk`",
            ":10:37: `expires` cannot be `soon`; expected `never`, `expired`, a time such as "
                + "`5 min`, or a date such as `2030-01-31T12:00:00Z`",
            ":10:52: `maximum` cannot be `1`; expected a time with its unit (`500 ms`, `10 s`, "
                + "`5 min`), or `never`",
            ":10:63: `extend` cannot be `x`; expected `none`, `again` (its first lifetime), or "
                + "a time such as `5 min`",
            ":10:71: `key` cannot be `half`; expected one of `full`, `base`",
            ":10:84: `a b` cannot be the name of a header field",
            ":11:13: unknown key `berer` in `auth`; did you mean `bearer`?",
            ":12:14: `headers` cannot be a list; expected a mapping",
            ":13:12: `query` cannot be a string; expected a mapping",
            ":14:18: `httpVersion` cannot be `3`; expected one of `automatic`, `1.1`, `2`"
        ),
        BadFile(
            "values that no field or query can have",
            """
            targets:
              A:
                request: GET http://h/
                query: { a: { b: 1 } }
                headers: { 'a b': c, X: [[1]], Y: "a\\nb" }
                auth: { bearer: "a\\nb" }
              B: { request: GET http://h/, auth: { basic: { user: 'a:b', password: x } } }
            """,
            ":4:17: a query parameter cannot be a mapping; expected a string or a list of strings",
            ":5:16: `a b` cannot be the name of a header field",
            ":5:30: a line of the field `X` cannot be a list; expected a string",
            ":5:39: the field `Y` cannot have this value; expected no line breaks or other "
                + "control characters, and no space at its ends",
            ":6:21: credentials cannot contain line breaks or control characters",
            ":7:55: a user name cannot contain `:`"
        ),
        BadFile(
            "JSON under `body`",
            """
            targets:
              A: { request: POST http://h/, body: { a: 1 } }
            """,
            ":2:39: `body` cannot be a mapping; expected a string; other bodies stand under `json`, "
                + "`form`, `multipart`, `graphql` or `upload`"
        ),
        BadFile(
            "two bodies",
            "targets:\n  A:\n    request: POST http://h/\n    json: 1\n    body: x\n",
            ":5:5: a request can have only one body, and this one already has `json`; expected "
                + "one of `body`, `json`, `form`, `multipart`, `graphql`, `upload`"
        ),
        BadFile(
            "targets without a request",
            "targets:\n  A:\n    json: { a: 1 }\n  B:\n    requst: GET http://h/\n",
            ":2:3: the target `A` has no `request`; expected `request: METHOD path`",
            ":5:5: unknown key `requst` in a target; did you mean `request`?"
        ),
        BadFile(
            "a list as a target, a slash in a name",
            "targets:\n  A: [GET http://h/]\n  a/b: GET http://h/\n",
            ":2:3: `A` cannot be a list; expected a target (`METHOD path`, or a mapping with "
                + "`request`) or a group of them",
            ":3:3: a name cannot contain `/`; a target is named by its groups and itself, "
                + "with `/` between them"
        ),
        BadFile(
            "targets that are no targets, and no second fault for what names them",
            """
            targets:
              A: [GET http://h/]
              a/b: GET http://h/
              C: { url: http://h/ }
              G: { X: GET http://h/ }
            batches: { B: [A, a/b, C, G] }
            chains: { D: [A, C] }
            """,
            ":2:3: `A` cannot be a list; expected a target (`METHOD path`, or a mapping with "
                + "`request`) or a group of them",
            ":3:3: a name cannot contain `/`; a target is named by its groups and itself, "
                + "with `/` between them",
            ":4:3: the target `C` has no `request`; expected `request: METHOD path`",
            ":4:8: unknown key `url` in a target; expected one of `request`, `method`, "
                + "`like`, `description`, `note`, `rows`, `matrix`, `sample`, `body`, `json`, `form`, `multipart`, `graphql`, `upload`, "
                + "`download`, `defaults`, `baseURL`, `headers`, `query`, `auth`, `timeout`, `connectTimeout`, `redirects`, "
                + "`trustRedirects`, `verifyTLS`, `caFile`, `clientCertificate`, `unixSocket`, "
                + "`httpVersion`, `proxy`, `decode`, `maxBody`, `trace`, `cookies`, `validate`, `expect`, `tags`, "
                + "`source`, `cache`",
            ":6:27: `G` is a group, not a target; expected one of `G/X`"
        ),
        BadFile(
            "targets under a mistyped key, and no second fault for what names them",
            "tagrets: { A: GET http://h/ }\nbatches: { B: [A] }\n",
            ":1:1: unknown key `tagrets` in a workspace; did you mean `targets`?"
        ),
        BadFile(
            "two unknown keys of one kind, whose list is told once",
            """
            mask: { zzz: 1, yyy: 2 }
            environments: { local: http://h/ }
            targets: { A: GET http://h/ }
            """,
            ":1:9: unknown key `zzz` in `mask`; expected one of `names`, `patterns`",
            ":1:17: unknown key `yyy` in `mask`",
            ":2:24: an environment cannot be a string; expected a mapping with keys such as `baseURL`"
        ),
        BadFile(
            "an unknown variable of a target that a batch sends, told once",
            """
            targets: { A: "GET http://h/{{ nope }}" }
            batches: { B: [A, { target: A, repeat: 2 }] }
            """,
            ":1:29: unknown variable `nope`"
        ),
        BadFile(
            "no base URL",
            "targets: { A: GET /x, B: GET /y }\n",
            ": there is no `baseURL`; set one in the environment or in `defaults`, or use "
                + "whole URLs"
        ),
        BadFile(
            "no base URL in one environment",
            "environments: { a: { baseURL: 'http://h' }, b: }\ntargets: { A: GET /x, B: GET /y }\n",
            ":1:45: there is no `baseURL` in the environment `b`; set one in the environment or "
                + "in `defaults`, or use whole URLs"
        ),
        BadFile(
            "a base URL that is none",
            "defaults: { baseURL: ftp://h }\ntargets: { A: GET /x, B: GET /y }\n",
            ":1:22: `ftp://h` cannot be a `baseURL`; expected an `http://` or `https://` URL "
                + "with a host"
        ),
        BadFile(
            "secrets and names that are none",
            "variables:\n  a: { env: }\n  b: { env: X, file: y }\n  c: { enw: x }\n  d: [1]\n"
                + "  7x: 1\n",
            ":2:13: `env` cannot be null; expected a string",
            ":3:6: the secret `b` needs one origin; expected `{ env: NAME }`, `{ file: path }` or "
                + "`{ command: \"…\" }`",
            ":4:8: unknown key `enw` in the secret `c`; did you mean `env`?",
            ":5:6: the variable `d` cannot be a list; expected a string, a number, true or false, "
                + "or a secret (`{ env: NAME }`)",
            ":6:3: `7x` is not a name; expected a name of letters, digits, `_` and `-`"
        ),
    ]

    static let flows = [
        BadFile(
            "batches",
            """
            targets: { U: { List users: GET http://h/ } }
            batches:
              B1: [U/List user, List users, nowhere]
              B2: { concurrency: 0, mode: some, targets: [] }
              B3: { mode: all }
              B4: 7
              B5: [{ target: U/List users, repeat: 0 }, { repeat: 2 }]
            """,
            ":3:8: unknown target `U/List user`; did you mean `U/List users`?",
            ":3:21: unknown target `List users`; did you mean `U/List users`?",
            ":3:33: unknown target `nowhere`; expected one of `U/List users`, or `METHOD path`",
            ":4:3: the batch `B2` has no targets",
            ":4:22: `concurrency` cannot be `0`; expected a whole number from 1 to 1000",
            ":4:31: `mode` cannot be `some`; expected one of `all`, `allFinishing`, "
                + "`settled`",
            ":5:3: the batch `B3` has no `targets`; expected a list of targets",
            ":6:7: a batch cannot be a string; expected a list of targets, or a mapping with `targets`",
            ":7:40: `repeat` cannot be `0`; expected a whole number from 1 to 100000",
            ":7:45: a batch's target has no `target`; expected a target's name"
        ),
        BadFile(
            "chains",
            """
            targets: { U: GET http://h/ }
            chains:
              C1:
                - step: a
                  target: U
                  capture: { id: '$.a[x]', ok: $.x }
                - step: a
                  target: GET http://h/{{ ok }}/{{ nope }}
                - target: U
                - { step: x }
              C2: []
              C3: 7
            """,
            ":6:27: `$.a[x]` is not a path into a response: 'x' where quotes around a "
                + "name in brackets was expected; expected one such as `$.user.roles[0]`, "
                + "`header:X-Token` or `status`",
            ":7:13: the chain `C1` already has a step `a`",
            ":8:37: unknown variable `nope`; expected one of `id`, `ok`",
            ":9:7: a step has no `step`; expected `step: name`",
            ":10:7: a step has no `target`; expected a target's name",
            ":11:3: the chain `C2` has no steps",
            ":12:7: a chain cannot be a string; expected a list of steps, or a mapping with `steps`"
        ),
        BadFile(
            "short steps",
            """
            targets: { U: GET http://h/ }
            chains:
              C:
                - U
                - U
                - V
                - [U]
                -
            """,
            ":5:7: the chain `C` already has a step `U`",
            ":6:7: unknown target `V`; expected one of `U`, or `METHOD path`",
            ":7:7: a step cannot be a list; expected a target's name, or a mapping with `step` and "
                + "`target`",
            ":8:6: a step cannot be null; expected a target's name, or a mapping with `step` "
                + "and `target`"
        ),
        BadFile(
            "one fault each, and none for what depends on it",
            """
            variables: { secret: { vault: x } }
            targets:
              Bad: GTE http://h/{{ secret }}
              Uses: GET http://h/{{ secret }}
            batches: { B: [Bad] }
            chains:
              C:
                - { step: one, target: Nowhere, capture: { id: $.id, at: "$[" } }
                - { step: two, target: "GET http://h/{{ id }}/{{ at }}" }
            """,
            ":1:22: the secret `secret` needs one origin; expected `{ env: NAME }`, "
                + "`{ file: path }` or `{ command: \"…\" }`",
            ":1:24: unknown key `…` in the secret `secret`; expected one of `env`, `file`, "
                + "`command`, `timeout`",
            ":3:8: `GTE` is not a method; expected `METHOD path`, as in `GET /users`; did you mean "
                + "`GET`?",
            ":8:28: unknown target `Nowhere`; expected one of `Bad`, `Uses`, or `METHOD path`",
            ":8:65: `$[` is not a path into a response: the end of the text where a name in "
                + "quotes, an index, a slice, * or ? was expected; expected one such as "
                + "`$.user.roles[0]`, `header:X-Token` or `status`"
        ),
        BadFile(
            "graphs",
            """
            targets: { U: GET http://h/ }
            chains:
              C1:
                - { step: create, target: U }
                - { step: use, needs: [crate, nobody], target: U }
              C2:
                - { step: a, needs: [b], target: U }
                - { step: b, needs: a, target: U }
                - { step: c, target: U }
              C3:
                - { step: a, target: U, capture: { id: $.id, ids: $.ids } }
                - { step: b, needs: [], target: "GET http://h/{{ id }}", when: "$.id == 1" }
                - { step: c, needs: [], target: U, forEach: ids }
                - { step: d, needs: [], target: U, when: $.steps.a.status == 1 }
                - { step: e, target: U, forEach: nothing, when: $.steps.aa.status }
              C4:
                - { step: a, target: U, when: "$.x =" }
                - { step: b, target: U, forEach: { list: x } }
                - { step: c, target: U, forEach: { in: x, as: "a b", mode: some } }
              C5:
                - { step: a, target: U, capture: { id: $.id } }
                - { step: b, needs: [], target: U, capture: { id: $.id } }
            """,
            ":5:28: unknown step `crate`; did you mean `create`?",
            ":5:35: unknown step `nobody`; expected a step of the chain `C1`",
            ":7:15: in the chain `C2` steps form a cycle: a → b → a",
            ":12:51: `id` has no value here; the step `a` captures it: name it in `needs`",
            ":12:68: no step before `b` captures `id`; `a` does: name it in `needs`",
            ":13:49: no step before `c` captures `ids`; `a` does: name it in `needs`",
            ":14:46: the status of `a` is not known here; name it in `needs`",
            ":15:38: no step before `e` captures `nothing`",
            ":15:53: the status of `aa` is not known here",
            ":17:40: `$.x =` is not a condition: '=' is not an operator; == compares; expected one "
                + "such as `$.role == 'admin'` or `$.steps.create.status == 201`",
            ":18:38: `forEach` has no `in`; expected a captured list's name",
            ":18:40: unknown key `list` in `forEach`; expected one of `in`, `as`, "
                + "`concurrency`, `mode`, `limit`",
            ":19:51: `a b` is not a name; expected a name of letters, digits, `_` and `-`",
            ":19:64: `mode` cannot be `some`; expected one of `all`, `allFinishing`, `settled`",
            ":22:15: in the chain `C5` `id` is captured by `a` and `b`, which may run side by "
                + "side"
        ),
        BadFile(
            "a list where a text must be",
            """
            chains:
              C:
                - { step: a, target: GET http://h/, capture: { ids: $.ids, n: $.n } }
                - { step: b, target: "GET http://h/{{ n }}", forEach: ids, capture: { x: $.x } }
                - { step: c, target: "GET http://h/{{ x }}" }
            """,
            ":5:40: `x` is a list and cannot be part of a string; it can be a JSON value of its "
                + "own: `\"{{ x }}\"`"
        ),
        BadFile(
            "a step that needs what a later one captures",
            """
            chains:
              C:
                - { step: one, target: "GET http://h/{{ id }}" }
                - { step: two, target: GET http://h/, capture: { id: $.id } }
            """,
            ":3:42: unknown variable `id`"
        ),
    ]

    static let templates = [
        BadFile(
            "another program's way to fill in a name",
            """
            variables: { user: 7 }
            targets:
              A: GET http://h/${user}?a=${{ user }}&b=${not a name}
              B:
                request: POST http://h/{{ user }}
                headers: { X: '\\${user} ${other}' }
            """,
            ":3:19: `${user}` is not filled in; write `{{ user }}` for the variable, "
                + "`\\${` for a literal `${`",
            ":6:29: `${other}` is not filled in; write `{{ other }}` for the variable, "
                + "`\\${` for a literal `${`"
        ),
        BadFile(
            "unknown names",
            "variables: { user: 7 }\ntargets:\n  A: GET http://h/{{ usr }}\n"
                + "  B: GET http://h/{{ other_thing }}\n",
            ":3:19: unknown variable `usr`; expected one of `user`; did you mean `user`?",
            ":4:19: unknown variable `other_thing`; expected one of `user`"
        ),
        BadFile(
            "a name that one environment lacks",
            """
            environments:
              a: { variables: { x: 1 } }
              b:
              c: { variables: { x: 1 } }
            targets:
              A: GET http://h/{{ x }}
            """,
            ":6:19: unknown variable `x` in the environment `b`; `a` and 1 more have it; give it a value here "
                + "too, or one for all under `variables`"
        ),
        BadFile(
            "a circle",
            "variables: { a: '{{ b }}', b: '{{ c }}', c: '{{ a }}', d: '{{ b }}' }\n"
                + "targets: { A: 'GET http://h/{{ c }}' }\n",
            ":1:14: the variable `a` depends on itself: a → b → c → a"
        ),
        BadFile(
            "braces that are no template",
            "targets:\n  A: GET http://h/{{ }}/{{ a b }}/{{ x\n",
            ":2:19: `{{ }}` without a name; expected a name of letters, digits, `_` and `-`",
            ":2:25: `a b` is not a name; expected a name of letters, digits, `_` and `-`",
            ":2:35: `{{` has no `}}` after it; write `\\{{` for the braces themselves"
        ),
        BadFile(
            "in a block",
            "targets:\n  A:\n    request: POST http://h/\n    body: |\n      one\n"
                + "      two \\{{ x }} {{ nope }} three\n",
            ":6:20: unknown variable `nope`"
        ),
        BadFile(
            "in quotes",
            "targets:\n  A:\n    request: POST http://h/\n    json: [1, \"é {{ nope }}\"]\n",
            ":4:18: unknown variable `nope`"
        ),
        BadFile(
            "in a default that nothing overrides",
            "defaults: { headers: { X: '{{ nope }}' } }\ntargets: { A: GET http://h/ }\n",
            ":1:28: unknown variable `nope`"
        ),
        BadFile(
            "in a variable that nothing uses",
            "variables: { a: '{{ nope }}' }\n",
            ":1:18: unknown variable `nope`; expected one of `a`"
        ),
        BadFile(
            "variables that double each other",
            "variables:\n  v0: '0123456789'\n"
                + (0..<30).map { "  v\($0 + 1): '{{ v\($0) }}{{ v\($0) }}'\n" }.joined(),
            ":19:8: longer than 1 MiB with its variables filled in"
        ),
    ]
}
