import Glibc
package import Terminal

/// Screens that are kept as files beside the tests.
package enum GridSnapshot {
    /// Compares a grid with `Snapshots/<name>.txt`: rows of text, then the layer of styles.
    ///
    /// With RECORD_SNAPSHOTS=1 in the environment the file is written anew; a file that is not there is a problem.
    /// The folder is beside that of `file`. Nil if nothing differs.
    package static func problem(
        of grid: Grid,
        named name: String,
        theme: Theme,
        file: String
    ) -> String? {
        let folder = file.split(separator: "/").dropLast(2).joined(separator: "/")
        let path = "/\(folder)/Snapshots/\(name).txt"
        let actual = grid.snapshot(theme: theme)
        if getenv("RECORD_SNAPSHOTS") != nil {
            return write(actual, to: path) ? nil : "could not write \(path)"
        }
        guard let expected = read(path) else {
            return "there is no \(path); RECORD_SNAPSHOTS=1 makes it. The screen is:\n\(actual)"
        }
        guard expected != actual else { return nil }
        return """
            \(name) differs at \(differences(expected, actual))
            expected:
            \(expected)
            actual:
            \(actual)
            """
    }
}

/// The first cells that differ, as "row 3, column 7: 'a' is 'b'".
private func differences(_ expected: String, _ actual: String) -> String {
    let (old, new) = (expected.split(separator: "\n"), actual.split(separator: "\n"))
    var found: [String] = []
    for (row, (before, after)) in zip(old, new).enumerated() where before != after {
        for (column, (one, other)) in zip(before, after).enumerated() where one != other {
            found.append("line \(row + 1), column \(column): '\(one)' is '\(other)'")
            break
        }
    }
    if old.count != new.count { found.append("\(old.count) lines are \(new.count)") }
    return found.prefix(20).joined(separator: "\n")
}

private func read(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    let limit = 1 << 20
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        count = fread(buffer.baseAddress, 1, limit, file)
    }
    return String(decoding: bytes, as: UTF8.self)
}

private func write(_ text: String, to path: String) -> Bool {
    guard let file = fopen(path, "we") else { return false }
    let written = fputs(text, file)
    return fclose(file) == 0 && written >= 0
}
