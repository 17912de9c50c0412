import Apus
import FoundationEssentials
import Glibc
import SQLite
import Secrets
import Synchronization

/// The numbers of a session's secrets: `••1` is the same secret throughout the session, in any process.
///
/// The table holds no secrets, only a keyed digest (HMAC-SHA-256) of each secret and its session. The key is
/// random and is kept in a file of its own beside the history, which is never exported. Without the key,
/// nobody can test guesses of a secret, or tell whether two sessions have the same one. With both files a
/// short secret can be guessed, so they are as private as the user's other files. Deleting a session deletes
/// its digests.
final class SecretNumbers: Sendable {
    /// Half a SHA-256 is enough to tell the secrets of a session apart, and reveals less about them.
    private static let digestSize = 16
    private static let keySize = 32

    private let session: Int64
    private let key: [UInt8]
    private struct Given {
        var numbers: [[UInt8]: Int] = [:]
        /// The highest number in use.
        var highest = 0

        mutating func add(_ number: Int?, _ digest: [UInt8]) {
            numbers[digest] = number
            highest = max(highest, number ?? 0)
        }
    }

    private let given = Mutex(Given())

    /// Reads the numbers of a session, in a transaction, so that two processes do not both make a key.
    init(of session: RecordedSession.ID, keyAt path: String, in db: Database) throws {
        self.session = session.number
        key = try Self.key(at: path)
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT number, digest FROM mask WHERE session = ?",
            arguments: [self.session]
        )
        for row in rows {
            let digest = try row.decode([UInt8].self, forColumn: "digest")
            let number = try row.decode(Int.self, forColumn: "number")
            given.withLock { $0.add(number, digest) }
        }
    }

    private static func key(at path: String) throws -> [UInt8] {
        do throws(ApusError) {
            let key = try PrivateFiles.readFile(path, upTo: 1024, isOurs: true)
            if key.count == keySize { return key }
        } catch {
            switch error.reason {
            case .file(_, ENOENT): break
            case .file(_, ELOOP):
                throw HistoryFileError.foreign(
                    "its key \(path) is a link; replace it with a file"
                )
            // A key that exists but cannot be read now must not be replaced: the recorded digests depend on it.
            default: throw error
            }
        }
        // If the key is lost, the old digests no longer match, and secrets get new numbers.
        var generator = SystemRandomNumberGenerator()
        let key = (0..<keySize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try PrivateFiles.replace(path, with: key)
        return key
    }

    fileprivate func digest(of secret: String) -> [UInt8] {
        let code = ContentDigest.authenticationCode(of: "\(session) \(secret)", key: key)
        return Array(code.prefix(Self.digestSize))
    }

    fileprivate func number(of digest: [UInt8]) -> Int? { given.withLock { $0.numbers[digest] } }

    /// Whether a number is in use, so that no new secret can get it.
    func hasGiven(_ number: Int) -> Bool { given.withLock { number <= $0.highest } }

    /// Reserves the numbers up to this one, which an imported exchange uses for unknown secrets.
    func reserve(_ number: Int, in db: Database) throws {
        guard !hasGiven(number) else { return }
        try db.execute(
            sql: "INSERT OR IGNORE INTO mask VALUES (?, ?, randomblob(\(Self.digestSize)))",
            arguments: [session, number]
        )
        given.withLock { $0.highest = max($0.highest, number) }
    }

    /// Assigns numbers to secrets; other processes see them after the commit.
    func add(_ digests: [[UInt8]], in db: Database) throws {
        for digest in digests where number(of: digest) == nil {
            let found = try Int.fetchOne(
                db,
                sql: "SELECT number FROM mask WHERE session = ? AND digest = ?",
                arguments: [session, digest]
            )
            let number =
                try found
                ?? Int.fetchOne(
                    db,
                    sql: """
                        INSERT INTO mask (session, number, digest)
                        SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM mask WHERE session = ?1
                        RETURNING number
                        """,
                    arguments: [session, digest]
                )
            given.withLock { $0.add(number, digest) }
        }
    }
}

/// Names the secrets of one exchange, and collects those without a number.
final class ExchangeSecrets: SecretMasks {
    let numbers: SecretNumbers
    private let missing = Mutex<[[UInt8]]>([])
    /// How many secrets of one exchange get numbers; the others get a mask without a number.
    private static let limit = 10_000

    init(_ numbers: SecretNumbers) { self.numbers = numbers }

    /// The digests of the secrets without a number, in order.
    var unnumbered: [[UInt8]] { missing.withLock(\.self) }

    func name(of secret: String) -> String {
        let digest = numbers.digest(of: secret)
        if let number = numbers.number(of: digest) { return "••\(number)" }
        // A server may send any number of tokens. Nobody needs to tell apart more than this.
        missing.withLock { if $0.count < Self.limit { $0.append(digest) } }
        return CredentialMask.mask
    }
}
