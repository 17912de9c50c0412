import FoundationEssentials
import Glibc
import SQLite

extension DiskStore {
    /// Opens the file; returns false if there is none yet.
    func open() async throws(ApusError) -> Bool {
        guard isUsed else { return false }
        do {
            if try await openedForReading(nil) != nil { return true }
            try DiskFolder.check(folder)
            return false
        } catch {
            throw apusError(error)
        }
    }

    /// Throws if the folder is in use for something else; creates and opens nothing.
    func checkFolder() throws(ApusError) {
        guard isUsed else { return }
        do {
            try DiskFolder.check(folder)
        } catch {
            throw apusError(error)
        }
    }

    /// Reads all rows and bodies and removes what is damaged.
    @concurrent
    func verify(
        _ progress: (@Sendable (CacheVerification) -> Void)?
    ) async throws -> CacheVerification {
        var result = CacheVerification()
        do {
            guard let database = try await openedForReading(nil) else { return result }
            let rows = try reading(database) { try $0.checkedRows() }
            for row in rows {
                try Task.checkCancellation()
                let check = try reading(database) { table in
                    try table.check(row: row) { !Task.isCancelled }
                }
                try Task.checkCancellation()
                guard let check else { continue }
                result.checked += 1
                result.bytes += check.bytes
                if check.damage != nil { await remove(row, check, &result) }
                if result.checked % Self.rowsBetweenReports == 0 { progress?(result) }
            }
            switch await write({ try $0.removeOrphans() }) {
            case .success(let count): result.orphans = count
            // The damage found is worth more to the caller than why orphans stay.
            case .failure(let fault): if result.damaged == 0 { throw fault }
            }
            progress?(result)
            return result
        } catch let error as CancellationError {
            throw error
        } catch {
            _ = await readFailed(error)
            throw apusError(error)
        }
    }

    private func remove(
        _ row: Int64,
        _ check: RowCheck,
        _ result: inout CacheVerification
    ) async {
        do throws(ApusError) {
            // Not damaged if it has been stored again meanwhile.
            guard try await remove(damaged: row) else { return }
        } catch {
            result.notRemoved += 1
        }
        result.damaged += 1
        result.damagedKeys.append(check.key)
    }

    /// Removes a row if it is still damaged; returns whether it was.
    ///
    /// It may have been stored again meanwhile.
    func remove(damaged row: Int64) async throws(ApusError) -> Bool {
        let removal = await write { table -> RowCheck? in
            guard let check = try table.check(row: row), check.damage != nil else { return nil }
            if let body = check.damagedBody { table.bodies.remove(body) }
            _ = try table.remove(row: row)
            return check
        }
        guard let check = try removal.mapError(\.error).get() else { return false }
        let key = CacheKey(digest: check.key, recipe: "")
        counters.countDamaged()
        notice(.removedCorrupt(key, detail: check.damage ?? ""))
        return true
    }

    private static let rowsBetweenReports = 256
}

/// The result of checking a row and its body.
struct RowCheck: Sendable {
    /// The key, or the row's number if the key cannot be read.
    let key: String
    /// The number of bytes of head and body that were read.
    var bytes = 0
    /// What is wrong; nil if nothing.
    var damage: String?
    /// The digest of the body whose file is damaged or missing.
    var damagedBody: String?

    // What may be wrong, as a lookup says it too.
    static let tooLarge = "its row is too large"
    static let unreadable = "its metadata cannot be read"
    static let changedBody = "the checksum of its body is wrong"
    static let changedFile = "its body file is missing or damaged"
}

extension DiskTable {
    /// All row numbers, after an integrity check of the file.
    func checkedRows() throws -> [Int64] {
        let response = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)")
        guard response == "ok" else {
            throw DatabaseError(resultCode: .corrupt, message: response)
        }
        return try Int64.fetchAll(db, sql: "SELECT id FROM entry")
    }

    /// Reads a row and its body completely; nil if there is no such row.
    ///
    /// If `isWanted` returns false, the body counts as damaged.
    func check(row id: Int64, while isWanted: () -> Bool = { true }) throws -> RowCheck? {
        let query = "SELECT facts, body, digest, file, primary_row FROM entry WHERE id = ?"
        let found: Row?
        do {
            found = try Row.fetchOne(db, sql: query, arguments: [id])
        } catch let error as DatabaseError where error.resultCode == .tooBig {
            return RowCheck(key: "row \(id)", damage: RowCheck.tooLarge)
        }
        guard let row = found else { return nil }
        let name = row.value(KeyName.self, at: 2)
        var check = RowCheck(key: name?.text ?? "row \(id)")
        check.damage = RowCheck.unreadable
        let body = row.value([UInt8].self, at: 1)
        check.bytes = body?.count ?? 0
        guard let (facts, headSize) = row.withFacts({ ($0, $1.count) }) else { return check }
        check.bytes += headSize
        let isRowOfFacts =
            facts.key.row == id && facts.key.name == name
            && facts.file == row.value(String.self, at: 3)
            && facts.origin.value.http?.primary.row == row.value(Int64.self, at: 4)
        guard isRowOfFacts else {
            check.damage = "its columns contradict its metadata"
            return check
        }
        guard let file = facts.reference else {
            let isWhole = Checksum.of(body ?? []) == facts.bodyChecksum
            check.damage = isWhole ? nil : RowCheck.changedBody
            return check
        }
        var isWhole = false
        if let opened = bodies.open(file) {
            check.bytes += opened.count
            isWhole = opened.digest(while: isWanted) == file.digest
        }
        check.damage = isWhole ? nil : RowCheck.changedFile
        check.damagedBody = isWhole ? nil : file.digest
        return check
    }

    /// Removes the body files that no row refers to; returns their number.
    func removeOrphans() throws -> Int {
        var count = 0
        for digest in bodies.digests where try !isReferred(digest) {
            changes.add(obsolete: digest)
            count += 1
        }
        return count
    }
}
