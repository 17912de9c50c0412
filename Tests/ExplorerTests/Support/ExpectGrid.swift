import Glibc
import Terminal
import Testing

@testable import Explorer

/// Compares a grid with `Snapshots/<name>.txt`: rows of text, then the layer of styles.
///
/// With RECORD_SNAPSHOTS=1 in the environment the file is written anew; a file that is not there
/// is a failure.
func expectGrid(
    _ grid: Grid,
    matches name: String,
    theme: Theme = .standard,
    file: String = #filePath,
    location: SourceLocation = #_sourceLocation
) {
    let folder = file.split(separator: "/").dropLast(2).joined(separator: "/")
    let path = "/\(folder)/Snapshots/\(name).txt"
    let actual = grid.snapshot(theme: theme)
    if getenv("RECORD_SNAPSHOTS") != nil {
        #expect(write(actual, to: path), "could not write \(path)", sourceLocation: location)
        return
    }
    guard let expected = read(path) else {
        Issue.record(
            "there is no \(path); RECORD_SNAPSHOTS=1 makes it. The screen is:\n\(actual)",
            sourceLocation: location
        )
        return
    }
    guard expected != actual else { return }
    Issue.record(
        """
        \(name) differs at \(differences(expected, actual))
        expected:
        \(expected)
        actual:
        \(actual)
        """,
        sourceLocation: location
    )
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
