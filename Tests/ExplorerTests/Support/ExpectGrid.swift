import Terminal
import TestSupport
import Testing

/// Compares a grid with `Snapshots/<name>.txt`, as `GridSnapshot` says.
func expectGrid(
    _ grid: Grid,
    matches name: String,
    theme: Theme = .standard,
    file: String = #filePath,
    location: SourceLocation = #_sourceLocation
) {
    let problem = GridSnapshot.problem(of: grid, named: name, theme: theme, file: file)
    if let problem { Issue.record("\(problem)", sourceLocation: location) }
}
