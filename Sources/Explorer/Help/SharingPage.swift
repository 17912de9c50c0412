/// A cache, sessions and workers for a team: `apus help sharing`, and a page of the documentation.
package enum SharingPage {
    /// The page, in Markdown.
    package static let page = #"""
        # Sharing

        What one machine has been told, the others of a team need not ask for: cached responses go through a Redis or Valkey server.

        ## What to start

        A server of your own, in a network that only the team reaches. It keeps nothing on disk, and drops what was not used for longest:

            redis-server --bind 10.0.0.5 --requirepass "$REDIS_PASSWORD" --save '' \
              --maxmemory 512mb --maxmemory-policy allkeys-lru

        A key that all of the team have, in an environment variable here and among the secrets of CI:

            export TEAM_KEY=$(openssl rand -hex 32)

        And a line in the workspace, or for everything you send in `cache.yaml` of the configuration's folder, there without `cache:`.

            cache:
              shared: "redis://10.0.0.5/0"
              key: { env: TEAM_KEY }
              password: { env: REDIS_PASSWORD }
            defaults: { cache: http, source: cacheIfPossible }

        That is all: `apus`, `apus send`, `run`, `batch`, `chain` and `pipe` share what they cache. Without the variable they say so, and
        work as before. On Debian it needs `libhiredis0.14`, which is loaded when it is first needed.

        ## What is shared

        | | |
        |---|---|
        | What | responses that a target caches on disk too, with all their fields, under the same keys: those of the target's own `cache`, and those of `http` by the rules of a cache that many use (`s-maxage`, `private`) |
        | How long | as long as the response lasts, at most 30 days; with `http` a day longer, so that it can be validated |
        | In what form | as it is, so that who can read the server reads them; bodies over 1 MB compressed; each signed with the team's key (HMAC-SHA256) |
        | Where it goes | to memory and disk of whoever reads it, from where it is served from then on |

        ## What never is

        - What belongs to an account: a request with credentials, cookies or a secret. `accounts: none` in a target's `cache` says that its
          responses are the same for everybody, and then they are shared.
        - What says `private` or `no-store`, sets a cookie, or redirects to a URL with a credential.
        - What comes from this machine (`localhost`, `127.0.0.1`), which is another one for everybody else, or by a route of its own: a
          socket, a proxy of the target, another certificate authority, TLS that is not verified.
        - Requests, secrets, the history but for a session that you share, what was measured, and bodies over 32 MiB.

        ## A session, watched

        Share a session while it is recorded, and a colleague sees each exchange as it happens, bodies and all. In the explorer, `R` asks
        for its name, and `tab` in place of `enter` for the server, by default that of the shared cache; elsewhere it is an option:

            apus --session checkout --share redis://:PASSWORD@10.0.0.5/0
            apus run --session checkout --share redis://10.0.0.5/0

        The title says `shared` as long as the server takes what is recorded, and `✗ not shared` while it is gone; it is tried every three
        seconds, and what was recorded meanwhile is shared once it is back. To watch, `J` in the explorer lists the sessions here and those
        on the server: `enter` watches one from the beginning, `ctrl+n` from now on, and `x` stops. Or:

            apus watch redis://10.0.0.5/0
            apus watch redis://10.0.0.5/0 checkout

        Without a name `watch` lists what is there, with one it prints a line for each exchange, from the beginning or with `--now` from then
        on. What is watched is recorded in a session of its own, `checkout (watched)`, which grows meanwhile; watched again, it goes on
        there, and has nothing twice. The server keeps the last 1,000 exchanges of a session for a week; who comes later is told how many
        are missing.

        Secrets leave masked, as the history has them; a session that is recorded with `--keep-secrets` cannot be shared. Both sides need
        the team's key, in `TEAM_KEY` or the variable that `--team-key` names; on the shared cache's own server the explorer uses that of
        the cache.

        ## What it costs

        A request waits for the server for 50 ms at most (`budget: 100 ms` changes that), and only if neither memory nor disk can serve it.
        Nobody waits for a write. A server that is slow or gone is reported once, left alone for a second, then two, four, at most a
        minute, and noticed when it is back; meanwhile the title says so, and so does the page *Why*.

        ## Sessions for all

        A recorded session goes to a bucket of S3, or of any server with its protocol (MinIO, Ceph, R2 …), and from there into the history of
        whoever may read the bucket:

            apus sessions push checkout-bug s3://acme-apus/team
            apus sessions list s3://acme-apus/team
            apus sessions pull checkout-bug s3://acme-apus/team

        `pull` gets the exchanges at once. Bodies of responses over 64 KiB stay in the bucket until one is opened, shown,
        exported, replayed or served; then it is kept in the history, masked and searched like any other. `--bodies` gets all of them at
        once. When the bucket cannot be reached, the exchange says so in the place of its body.

        Credentials and the region are those of AWS's own tools: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, a profile of
        `~/.aws`; another server is named by `--endpoint` or `AWS_ENDPOINT_URL`. Each file of a session is there once, under the SHA-256 of
        its content, by which it is checked when it is pulled. Secrets leave masked, even those that were recorded with `--keep-secrets`.
        What is pushed stays until somebody removes it from the bucket.

        ## A batch on many machines

        Where one machine cannot send enough, start workers on others, each where the same files of the workspace are, for example the same
        commit, and then the batch, here or with `W` in the explorer's pane of a batch:

            apus work redis://10.0.0.5/0 -w shop.apus.yaml
            apus batch 'Warm the cache' -w shop.apus.yaml --workers redis://10.0.0.5/0

        | | |
        |---|---|
        | What goes through the server | names and numbers of requests, and what came of each: URL, status, time, size, error. Never a secret: each worker has its own, from its environment, its `.env` or `--set`; never a body: a worker records what it sends in its own history |
        | How it is shared out | in chunks of at most 100 requests, to whoever has room; `--concurrency` is for each worker, the batch's `rate` for all together |
        | When a worker dies | others take over after 5 seconds what it had not acknowledged, so each request is sent at least once; how many were handed out again is shown at the end. One that is interrupted leaves its rest at once |
        | When the server is gone | workers wait and tell later; if it has lost the batch, what has no response is put there again |
        | When whoever started it stops | its workers cancel what is under way, at the latest after a minute |

        Both need the team's key. Times and statuses of all workers are merged exactly, as if one machine had sent the batch.

        ## When something is wrong

        | It says | Then |
        |---|---|
        | no connection | the server does not run there, or a firewall is between |
        | no response in time | it is overloaded or far away; a longer `budget` may help |
        | the server refused the user or the password | `password`, or the user in the address, is wrong |
        | the server has no memory left | it needs more, or `maxmemory-policy allkeys-lru`; it is still read |
        | a response was refused | someone without the key has written to the server, or has changed something there: see who can reach it |
        | an exchange is left out | it is not signed with the team's key: see who can reach the server |
        | this build's hiredis has no TLS | `rediss://` needs hiredis 1.0; use a tunnel |

        `apus cache list --shared` lists what is there, `apus cache clear --shared --all` removes what your team has there. Teams with
        other keys can use the same server: neither sees, changes or removes what is the other's. A change that you send (`PUT`, `DELETE`)
        removes what is shared of its URL; what others have in memory or on disk stays until it is stale, as with any HTTP cache.

        ## What it does not protect from

        Who has the key is trusted: a response that a colleague signs is served to you. Who can reach the server without the key can
        read what is there, sessions too, and remove it, put back an older response that the team had signed, which lasts no longer for
        that, or add names to the list of sessions.
        """#
}
