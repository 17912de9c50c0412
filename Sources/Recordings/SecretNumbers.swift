import Apus
import FoundationEssentials
import GRDB
import Synchronization

/// The numbers of a session's secrets: `••1` is the same one in all that was recorded in it, by any process.
///
/// The table has no secret, but for each a keyed digest (HMAC-SHA-256) of it and its session. The key is
/// random and stands in a file of its own beside the history, which nothing exports: who has a history
/// without it cannot try out what a secret may have been, and nobody can tell whether two sessions have
/// the same one. Who has both files can, and finds a short one: they are as secret as the user's other
/// files. A session's digests go with it.
final class SecretNumbers: Sendable {
    /// SHA-256 of fewer bytes tells a session's secrets apart as well, and less of them.
    private static let digestSize = 16
    private static let keySize = 32

    private let session: Int64
    private let key: [UInt8]
    private let numbers = Mutex<[[UInt8]: Int]>([:])

    /// Those of a session; in a transaction, so that no two processes make a key.
    init(of session: RecordedSession.ID, keyAt path: String, in db: Database) throws {
        self.session = session.number
        key = try Self.key(at: path)
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT number, digest FROM mask WHERE session = ?",
            arguments: [self.session]
        )
        for row in rows {
            let digest = [UInt8](try row.decode(Data.self, forColumn: "digest"))
            let number = try row.decode(Int.self, forColumn: "number")
            numbers.withLock { $0[digest] = number }
        }
    }

    private static func key(at path: String) throws -> [UInt8] {
        if let key = try? PrivateFiles.read(path), key.count == keySize { return key }
        // Digests by a key that is lost are found no more: what comes gets new numbers.
        var generator = SystemRandomNumberGenerator()
        let key = (0..<keySize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try PrivateFiles.replace(path, with: key)
        return key
    }

    fileprivate func digest(of secret: String) -> [UInt8] {
        let code = ContentDigest.authenticationCode(of: "\(session) \(secret)", key: key)
        return Array(code.prefix(Self.digestSize))
    }

    fileprivate func number(of digest: [UInt8]) -> Int? { numbers.withLock { $0[digest] } }

    /// Gives secrets their numbers, which other processes know with the end of the transaction.
    func add(_ digests: [[UInt8]], in db: Database) throws {
        for digest in digests where number(of: digest) == nil {
            let found = try Int.fetchOne(
                db.cachedStatement(sql: "SELECT number FROM mask WHERE session = ? AND digest = ?"),
                arguments: [session, Data(digest)]
            )
            let number =
                try found
                ?? Int.fetchOne(
                    db.cachedStatement(
                        sql: """
                            INSERT INTO mask (session, number, digest)
                            SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM mask WHERE session = ?1
                            RETURNING number
                            """
                    ),
                    arguments: [session, Data(digest)]
                )
            numbers.withLock { $0[digest] = number }
        }
    }
}

/// The names of one exchange's secrets, and those that have none yet.
final class ExchangeSecrets: SecretNames {
    let numbers: SecretNumbers
    private let missing = Mutex<[[UInt8]]>([])

    init(_ numbers: SecretNumbers) { self.numbers = numbers }

    /// The digests of those without a number, in their order.
    var unnumbered: [[UInt8]] { missing.withLock(\.self) }

    func name(of secret: String) -> String {
        let digest = numbers.digest(of: secret)
        if let number = numbers.number(of: digest) { return "••\(number)" }
        missing.withLock { $0.append(digest) }
        return CredentialMask.mask
    }
}
