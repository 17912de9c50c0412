import GRDB
import Glibc

extension DiskStore {
    /// Opens the file; false if there is none yet.
    func open() async throws(ApusError) -> Bool {
        do {
            return try await openedForReading(nil) != nil
        } catch {
            throw fault(error)
        }
    }

    /// Reads all rows and bodies, and removes what is damaged.
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
                let check = try reading(database) { try $0.check(row: row) }
                guard let check else { continue }
                result.checked += 1
                result.bytes += check.bytes
                if check.damage != nil, await remove(damaged: row) {
                    result.damaged += 1
                    result.damagedKeys.append(check.key)
                }
                if result.checked % Self.rowsBetweenReports == 0 { progress?(result) }
            }
            result.orphans = try await write { try $0.removeOrphans() }.get()
            progress?(result)
            return result
        } catch let error as CancellationError {
            throw error
        } catch {
            _ = await readFailed(error)
            throw fault(error)
        }
    }

    /// Removes a row if it still is damaged: it may have been stored anew meanwhile.
    func remove(damaged row: Int64) async -> Bool {
        let removal = await write { table -> RowCheck? in
            guard let check = try table.check(row: row), check.damage != nil else { return nil }
            if let body = check.damagedBody { table.bodies.remove(body) }
            _ = try table.remove(row: row)
            return check
        }
        guard case .success(let check?) = removal else { return false }
        let key = CacheKey(digest: check.key, recipe: "")
        counters.countDamaged()
        notice(.removedCorrupt(key, detail: check.damage ?? ""))
        return true
    }

    private static let rowsBetweenReports = 256

    private func fault(_ error: any Error) -> ApusError {
        if let fault = error as? PrivateFiles.Fault {
            return ApusError(.file(path: fault.path, errno: fault.errno))
        }
        // Damage has a number of its own: "Structure needs cleaning".
        let isDamage = DiskDatabase.reasonToSetAside(error) != nil
        let number = isDamage ? EUCLEAN : EIO
        return ApusError(.file(path: "\(folder)/responses.sqlite", errno: number))
    }
}
