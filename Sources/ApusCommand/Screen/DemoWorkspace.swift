/// The suggested file name for the demo's workspace.
let demoFileName = "demo.apus.yaml"

/// The demo's workspace as a file, whose requests go to `apus demo --serve` at a port.
func demoFileText(port: UInt16 = DemoCommand.usualPort) -> String {
    """
    # The workspace of `apus demo`. `apus demo --serve` answers its requests; if that prints another address,
    # write it here, or send with `--set base=ADDRESS`.

    """
        + demoWorkspaceText.replacing(
            "variables:\n",
            with: "variables:\n  base: http://127.0.0.1:\(port)\n",
            maxReplacements: 1
        ) + "\n"
}

/// The workspace that `apus demo` opens.
///
/// The program sets `base` to the demo server's URL.
private let demoWorkspaceText = #"""
    name: Demo API

    variables:
      user: 7
      order: 1001
      product: 3
      email: ada@example.com
      token: demo-token

    environments:
      local:
        description: The demo server in this process.
        baseURL: "{{ base }}"
      other:
        description: The same server, with another user, order and product.
        baseURL: "{{ base }}"
        variables: { user: 12, order: 1024, product: 21, email: grace@example.com }
        headers: { Accept-Language: de }
        timeout: 5 s

    defaults:
      headers: { Accept: application/json }
      timeout: 30 s
      source: cacheAndServer
      cache: { storage: memoryAndDisk, expires: 5 min }

    targets:
      Users:
        List users:
          request: GET /users
          query: { page: 1, limit: 20 }
        Search users:
          request: GET /users
          query: { q: an, limit: 10 }
        Show user: GET /users/{{ user }}
        Create user:
          request: POST /users
          json: { name: Ada Lovelace, email: "{{ email }}", role: admin, city: London }
          source: server
          cache: none
        Replace user:
          request: PUT /users/{{ user }}
          json: { name: Grace Hopper, email: "{{ email }}", city: New York }
          source: server
          cache: none
        Change city:
          request: PATCH /users/{{ user }}
          json: { city: Paris }
          source: server
          cache: none
        Create without email:
          description: The server refuses it and says which field is missing.
          request: POST /users
          json: { name: Nobody }
          source: server
          cache: none
        Nobody: GET /users/4711

      Orders:
        List orders: GET /orders
        Shipped orders:
          request: GET /orders
          query: { status: shipped }
        Show order:
          description: Its status advances with every read, so the cache and the server differ.
          request: GET /orders/{{ order }}
        Place order:
          request: POST /orders
          json:
            user_id: "{{ user }}"
            lines:
              - { product_id: "{{ product }}", quantity: 2 }
              - { product_id: 5, quantity: 1 }
          source: server
          cache: none
        Cancel order:
          request: PATCH /orders/{{ order }}
          json: { status: cancelled }
          source: server
          cache: none

      Products:
        List products: GET /products
        Search products:
          request: GET /products
          query: { q: lamp }
        Show product: GET /products/{{ product }}
        Change price:
          request: PATCH /products/{{ product }}
          json: { price: 19.90, stock: 12 }
          source: server
          cache: none

      Time:
        Wait a second: GET /delay/1
        Wait too long:
          description: The server waits ten seconds; the request gives up after two.
          request: GET /delay/10
          timeout: 2 s
          source: server
          cache: none
        Stream lines:
          description: 40 lines of JSON, one after the other, of unknown total size.
          request: GET /stream/40
          source: server
          cache: none
        Drip:
          description: 400 bytes in four seconds.
          request: GET /drip
          query: { duration: 4, bytes: 400 }
          source: server
          cache: none

      Statuses:
        Not modified: GET /status/304
        Bad request: GET /status/400
        Not found: GET /status/404
        Teapot: GET /status/418
        Too many requests: GET /status/429
        Server error: GET /status/500
        Unavailable: GET /status/503
        Failure unless 2xx:
          description: With `validate`, a status that is not 2xx is an error.
          request: GET /status/404
          validate: success

      Caching:
        By HTTP's own rules:
          description: Validated by its ETag every time; E says why.
          request: GET /etag
          source: cacheIfPossible
          cache: http
        Fresh for ten seconds:
          description: By HTTP's own rules; E says for how long.
          request: GET /cache/10
          source: cacheIfPossible
          cache: http
        ETag: GET /etag
        Fresh for a minute: GET /cache/60
        Cache only:
          description: Never asks the server; fire `Show user` first.
          request: GET /users/{{ user }}
          source: cache
        Cache, else server:
          request: GET /cache/10
          source: cacheIfPossible
          cache: { storage: memory, expires: 10 s }
        Cache, then refresh:
          request: GET /orders/{{ order }}
          source: cacheThenRefresh
        Ten seconds in memory:
          request: GET /etag
          cache: { storage: memory, expires: 10 s }
        Forever on disk:
          request: GET /products/{{ product }}
          cache: { storage: disk, expires: never, extraKey: for ever }
        Gzip: GET /gzip

      Auth:
        Bearer:
          request: GET /bearer
          auth: { bearer: "{{ token }}" }
        No token: GET /bearer
        Basic:
          request: GET /basic-auth/ada/lovelace
          auth: { basic: { user: ada, password: lovelace } }
        Wrong password:
          request: GET /basic-auth/ada/lovelace
          auth: { basic: { user: ada, password: babbage } }
        Cookies: GET /cookies

      Bodies:
        Echo:
          request: POST /echo
          query: { page: 1, tag: [a, b] }
          json: { text: 'Grüße \{{ not a name }}', user: "{{ user }}", exact: 1.00, none: null }
          source: server
          cache: none
        Form:
          request: POST /echo
          form: { name: Ada Lovelace, note: "a & b", tag: [one, two] }
          source: server
          cache: none
        Big, 10 MiB:
          request: GET /big?megabytes=10
          source: server
          cache: none
        Big, 200 MiB, size unknown:
          request: GET /big
          query: { megabytes: 200, chunked: 1 }
          timeout: never
          source: server
          cache: none
        Broken JSON: GET /broken-json
        Cut in the middle: GET /truncated
        HTML labeled as JSON: GET /wrong-type
        Image:
          request: GET /image.png
          headers: { Accept: image/png }
        HTML: GET /html
        Text: GET /text
        Bytes: GET /bytes/1000

      Redirects:
        Three hops: GET /redirect/3
        Not followed:
          request: GET /redirect/1
          redirects: 0
        Too many:
          request: GET /redirect/9
          redirects: 4

      Upload:
        Upload text:
          request: POST /upload
          body: |
            Any text, as it stands here.
            The server counts the bytes and answers with their checksum.
          source: server
          cache: none

      Sign up:
        Register:
          request: POST /register
          json: { name: Ada Lovelace, email: "{{ email }}" }
          source: server
          cache: none
        Verify:
          description: Needs what Register answers; the chain passes it on.
          request: POST /verify
          json: { user_id: "{{ id }}", code: "{{ code }}" }
          source: server
          cache: none
        Profile:
          request: GET /me
          auth: { bearer: "{{ token }}" }
          source: server
          cache: none

    batches:
      Warm the cache:
        description: Fills the cache with the lists and single items, four requests at a time.
        targets:
          - Users/List users
          - Users/Show user
          - Orders/List orders
          - Orders/Show order
          - Products/List products
          - Products/Show product
          - Caching/ETag
          - Caching/Fresh for a minute
        concurrency: 4
      All statuses:
        targets:
          - GET /status/200
          - GET /status/201
          - GET /status/204
          - Statuses/Not modified
          - Statuses/Bad request
          - GET /status/401
          - GET /status/403
          - Statuses/Not found
          - GET /status/409
          - Statuses/Teapot
          - Statuses/Too many requests
          - Statuses/Server error
          - GET /status/502
          - Statuses/Unavailable
        source: server
        concurrency: 3
      A hundred users:
        description: Every user twice, sixteen at once.
        targets:
          - { target: Users/Show user, repeat: 50, set: { user: "{{ index }}" } }
          - { target: Users/Show user, repeat: 50, set: { user: "{{ index }}" } }
        concurrency: 16

    chains:
      Buy a lamp:
        description: Two branches that join, one that fails, and a last step that always runs.
        source: server
        steps:
          - step: register
            target: Sign up/Register
            capture: { id: $.id, code: $.verification_code }
          - step: lamps
            target: Products/Search products
            needs: []
            capture: { found: "$.items[*].id", product: "$.items[0].id" }
          - step: verify
            target: Sign up/Verify
            needs: register
            capture: { token: $.token }
          - step: prices
            target: Products/Show product
            needs: lamps
            forEach: { in: found, as: product }
          - step: coupon
            target: Statuses/Unavailable
            needs: lamps
          - step: order
            target: Orders/Place order
            needs: [verify, prices]
            set: { user: "{{ id }}" }
            capture: { order: $.id }
          - step: gift
            target: Users/Show user
            needs: coupon
          - step: goodbye
            target: Sign up/Profile
            needs: [order, gift]
            join: ended
      Sign up:
        description: Registers, verifies the code that came back, and shows the profile.
        source: server
        steps:
          - step: register
            target: Sign up/Register
            capture: { id: $.id, code: $.verification_code }
          - step: verify
            target: Sign up/Verify
            capture: { token: $.token }
          - step: profile
            target: Sign up/Profile
    """#
