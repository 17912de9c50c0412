import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import Recordings
import SessionBuckets
import Terminal

/// The bucket that sessions are shared in.
struct BucketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server, if it is not AWS's. Default: AWS_ENDPOINT_URL_S3, else AWS_ENDPOINT_URL.",
            valueName: "url"
        )
    )
    var endpoint: String?

    /// The bucket's address.
    ///
    /// - Throws: ``ObjectStoreError`` if it is none.
    func address(_ text: String) throws(ObjectStoreError) -> ObjectStoreAddress {
        let environment = ProcessInfo.processInfo.environment
        let given = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].lazy
            .compactMap { environment[$0] }.first { !$0.isEmpty }
        return try ObjectStoreAddress(text, endpoint: endpoint ?? given)
    }

    /// What all commands say of buckets.
    static let discussion = """
        ADDRESS is s3://BUCKET or s3://BUCKET/PREFIX. Any server with S3's protocol will do (MinIO, Ceph, R2 …): name it \
        by --endpoint. Credentials and the region come from where AWS's own tools have them: AWS_ACCESS_KEY_ID and \
        AWS_SECRET_ACCESS_KEY, AWS_REGION, or a profile of ~/.aws.
        """
}

/// `apus sessions push SESSION ADDRESS`: sends a session to a bucket.
struct SessionsPushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send a session to a bucket of S3, for all who may read it.",
        discussion: """
            \(BucketOptions.discussion)

            The bucket gets the files of an exported session, each once, under the SHA-256 of its content; what is there \
            already is not sent again, and an upload that was interrupted goes on. The session itself is written last, so \
            that nobody gets half of it. Secrets that were recorded in clear are masked first, unless --keep-secrets says \
            otherwise.

            --json prints {"version": 1, "session": name, "exchanges": n, "sent": bytes, "present": bytes}.

            Examples:
              apus sessions push checkout-bug s3://acme-apus/team
              apus sessions push checkout-bug s3://apus --endpoint http://minio.local:9000

            Exit status: 0 pushed, or there already, 2 no such session, no access, or another of that name is there.
            """
    )

    @Argument(help: "The session's name.", completion: WorkspaceCompletions.sessions)
    var session: String

    @Argument(help: "The bucket: s3://BUCKET/PREFIX.")
    var address: String

    @Flag(help: "Replace a session of this name that is there.")
    var replace = false

    @Flag(help: "Send secrets that were recorded in clear as they are.")
    var keepSecrets = false

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var bucket: BucketOptions
    @OptionGroup var choice: HistoryChoice

    func run() throws {
        let (session, isJSON, keepsSecrets, replaces) = (session, json, keepSecrets, replace)
        let address = try bucket.address(address)
        try HistoryWork.run(ofDemo: choice.demo) { history in
            try await history.requireSession(named: session)
            let pushed = try await SharedSessions(address).push(
                session,
                of: history,
                keepsSecrets: keepsSecrets,
                replaces: replaces
            ) { StandardError.write("apus: exchange \($0): \($1)") }
            let sent =
                pushed.sent == 0
                ? "all of it was there" : "\(Readable.bytes(pushed.sent)) sent"
            try StandardOutput.print(
                asJSON: isJSON,
                JSON(members: [
                    ("version", 1), ("session", JSON(session)),
                    ("exchanges", JSON(pushed.exchanges)), ("sent", JSON(pushed.sent)),
                    ("present", JSON(pushed.present)),
                ]),
                or: ["\(session): \(ExchangeTable.count(pushed.exchanges)), \(sent)"]
            )
            return 0
        }
    }
}

/// `apus sessions pull SESSION ADDRESS`: gets a session from a bucket.
struct SessionsPullCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull",
        abstract: "Get a session from a bucket of S3 into the history.",
        discussion: """
            \(BucketOptions.discussion)

            Gets the exchanges at once. A response's body over 64 KiB stays in the bucket until it is needed: opened in \
            the explorer, shown, exported, replayed or served. Once got, it is kept and searched like any other. --bodies \
            gets all of them now. So does --keep-secrets, and so is a session pulled that was pushed with it, because a \
            secret that a body names is masked in the rest of its exchange too.

            Everything is checked against its digest. What was got is kept until all of it is there, so that a pull that \
            was interrupted goes on. Secrets are masked as in recordings; --keep-secrets keeps them.

            Prints the session's name and how many exchanges it has; with --json {"version": 1, "session": name, \
            "exchanges": n, "remarks": [text, …]}.

            Examples:
              apus sessions list s3://acme-apus/team
              apus sessions pull checkout-bug s3://acme-apus/team
              apus sessions pull checkout-bug s3://acme-apus/team --session theirs
              apus sessions pull checkout-bug s3://acme-apus/team --bodies

            Exit status: 0 pulled, 2 no such session, no access, or the history has one of that name.
            """
    )

    @Argument(help: "The session's name in the bucket.")
    var name: String

    @Argument(help: "The bucket: s3://BUCKET/PREFIX.")
    var address: String

    @Option(
        help: ArgumentHelp(
            "The session's name in the history. Default: the same.",
            valueName: "name"
        )
    )
    var session: String?

    @Flag(help: "Get all bodies now, not when they are needed.")
    var bodies = false

    @Flag(help: "Do not mask secrets.")
    var keepSecrets = false

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup var bucket: BucketOptions
    @OptionGroup var choice: HistoryChoice

    func validate() throws {
        if session?.isEmpty == true { throw ValidationError("--session takes a name.") }
    }

    func run() throws {
        let (name, own, bodies, isJSON) = (name, session, bodies, json)
        let address = try bucket.address(address)
        try HistoryWork.run(ofDemo: choice.demo, keepsSecrets: keepSecrets) { history in
            let sessions = try SharedSessions(address)
            let pulled = try await sessions.pull(name, as: own, into: history, withBodies: bodies) {
                SessionFileError(
                    address.text,
                    "a session “\($0)” already exists; use --session to pull it under another name"
                )
            }
            try SessionsImportCommand.report(pulled, asJSON: isJSON)
            return 0
        }
    }
}
