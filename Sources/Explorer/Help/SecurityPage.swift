/// What holds when a server, a file or a disk is not trusted: `apus help security`, and a page of the documentation.
package enum SecurityPage {
    /// The page, in Markdown.
    package static let page = #"""
        # Security

        What holds when you do not trust the server, the file or the disk.

        ## Overview

        If something does not, please open an issue.

        **A server cannot take memory or time without end.** Nothing is reserved because a length was announced. The limits:

        | Of | Limit |
        |---|---|
        | a body, decoded | 4 GiB (`maxBody`), 256 MiB in `pipe`; a download has the disk; above 8 MiB it goes to a file |
        | a compressed body | ends at 1 GiB once it is 500 times its size |
        | a head, trailers | 1 MiB or 10,000 lines (libcurl ends a head at about 300 kB, a field at about 100 kB) |
        | a tree | 512 MiB and 8 times its text |
        | XML, HTML, YAML | 5 s of CPU time and 1 s for each 4 MiB; then the body is shown as text |
        | a chain | looks into bodies of up to 128 MiB; captures 100,000 values and 64 MiB by one path; 5 s of CPU time for conditions and captures; `forEach` takes 10,000 elements (`limit`) |

        `serve` holds at most 256 MiB of request bodies at once. In `serve` and `proxy` a body may pause for 60 s, and at
        1,000 connections a new one replaces one that keeps the server waiting.

        Timeouts and ctrl-c work while a request waits for a connection and while a body is decoded or written, and no body
        holds up others while that is done. HTTP/2 frames that belong to no response end their connection after a second of
        CPU time. A server cannot make the cache grow beyond its limits, keep an old response alive with a wrong certificate,
        or make requests too long for it.

        **A terminal obeys nothing from outside.** Control characters are shown as symbols (`␛`), bidirectional and hidden
        ones by their code (`‹200B›`), in JSON as escapes; what is hidden in an emoji has a sign. `query --raw`, `-o -` and
        `cache show --body` refuse such bytes on a terminal unless `--force`. Files and pipes get every byte as it is.

        **A redirect to another origin** (scheme, host or port) takes no body, no client certificate and no fields along,
        except those that HTTP defines and that say nothing about who asks (`Accept`, `Range`, `User-Agent` …), and none of
        these with a secret in it. `trustRedirects: true` changes that. The response says what was left out. A redirect to a
        scheme other than http and https, or to two places, is an error.

        **A cached response** goes only to a request of the same account, sent in the same way:

        - the account is its credentials, its cookies (unless `--accounts exceptCookies`), and any known secret in a field
          or an ignored parameter;
        - the way is its `Host`, proxy (also one from the environment), address, trust in certificates, and whether it is
          decoded.

        `--accounts none` and `exceptCookies` are for a cache with one user: what such a run stores, later runs give to
        anyone. A body that only the end of a TLS or HTTP/2 connection ends is not cached. A body cut within its gzip,
        deflate, br or zstd is an error and replaces no file; one that was never in the coding that its field names is given
        as it came, with a warning.

        **A value from a response** (a chain's capture) is one escaped segment or value of a URL; `{{ id | raw }}` changes
        that. It never names a host, a proxy or a file to upload, unless `upload: { file: "{{ name }}", from: FOLDER }`
        allows files of a folder, and a download stays in its folder. A link to another origin is followed with no more than
        a redirect takes along. What a chain captures under a credential's name, also inside an object or behind a wildcard,
        is a secret of the run, also after `--resume`: the first 1,000 or 250 KB of them in any form, others where they are
        a whole value; `key`, `code` and `signature` from eight characters on.

        **Secrets** come from variables (`{ env: NAME }`, `{ file: PATH }`, `{ command: "…" }`, `envFile`), stand in places known for them, or are named in
        `mask`. They are masked in lines, traces, errors, logs, recipes and the explorer, also percent-encoded, in base64,
        in forms and in JSON; those under four characters only as a word of their own. Bodies and fields of responses that you
        ask for are whole, and so is a chain's state (`--resume`), whose file only you can read.

        **On disk**, in files 0600 and folders 0700:

        - The cache has what the server answered (status, fields with `Set-Cookie`, body) and of the request its key, URL
          and metrics without secrets; what `Vary` names is kept as keyed digests, which do not protect a short secret from
          somebody who can read the file.
        - The history has requests and responses whole, bodies up to 32 MiB. Masked are known secrets (all of the
          workspace's), header fields, what has a credential's name in URLs (parameters of paths, too), JSON (lines of it,
          texts and parameters, JSONP, event streams, `{name, value}` pairs and UTF-16, too), GraphQL, XML, HTML, YAML,
          forms, multipart bodies, lines like `NAME=…` in plain text, and what `mask` says. What is a credential by its name
          is masked elsewhere in its exchange, too (the first 1,000 or 250 KB). A coded request with a credential, and what
          cannot be decoded, is kept by its size only. A pattern that takes too long on a text masks all of it.
        - What is lost of a damaged history is said, with how many and since when; one damaged body costs that body only.
          Exports are 0600.
        - Tokens of OAuth 2 are in files of their own, in clear. They go to the origin of the target's `baseURL` only, and
          into no history, cache, copy or preview.
        - `cache show` knows no workspace and masks a response's fields by their usual names only.
        - A replay sends secrets only to servers that the workspace, or you, have named.
        - Bodies are checked when they are read into memory; those above 8 MiB at their end, while `send` or `cache show`
          prints them (exit 2). `apus cache verify` checks all. What is cleared is gone from the files.
        - A cache folder or a history that you did not make runs nothing and reaches no file outside of itself. Files are
          made under names that cannot be guessed, and put in place when they are whole. Another user's folder is refused,
          and so is their file of tokens or cookies; your own is made 0600 when it is read.

        **A workspace file** is trusted like a Makefile. Opening it runs nothing and sends nothing, but it reads the secrets
        that it names (64 KiB each, 16 MiB in all). An argument that begins as a host is one of its targets only with `-w`.
        What its requests say is sent, read and written when you send them. Its commands (`{ command: "…" }`, also under `auth`) run when a
        request needs them and you have trusted the workspace once: the explorer shows them and asks, and commands take
        `--trust`. If one of them changes, or the workspace moves, it asks again. They have no terminal and a time limit.

        **Not promised:** that a body is harmless to what you give it to, and anything against someone who already acts as
        you on this machine. Bytes that a server sends after its response, while the connection is idle, may be taken for the
        next response on that connection. A faulty HTTP/2 frame may end a body that has no length without an error (libcurl
        before its newer versions).
        """#
}
