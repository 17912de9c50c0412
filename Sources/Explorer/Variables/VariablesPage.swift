import Terminal
import Workspaces

/// The open page of environments and variables: the environments at the left, and what one of them sets at the right.
///
/// The last line at the left stands for what holds in every environment.
struct VariablesPage {
    enum Column { case environments, values }

    /// A line at the right: a setting of the environment, or a variable.
    struct Row: Hashable {
        var definition: Workspace.Definition
        var isSetting: Bool
    }

    /// The column that takes the keys.
    var column = Column.environments
    /// The names of the environments.
    private(set) var names: [String] = []
    var environments = ListScroll()
    /// What the chosen environment sets, or gets from others.
    private(set) var rows: [Row] = []
    var values = ListScroll()
    /// The environment to choose as soon as it is there.
    var awaited: String?
    /// The name of the variable to choose as soon as it is there.
    var awaitedVariable: String?
    private var height = 1

    /// The chosen environment; nil for what holds in every environment.
    var environment: String? {
        names.indices.contains(environments.selection) ? names[environments.selection] : nil
    }

    /// The line under the cursor at the right.
    var selected: Row? { rows.indices.contains(values.selection) ? rows[values.selection] : nil }

    /// Shows the environments of a catalog.
    mutating func show(_ names: [String]) {
        let old = environment
        let isFirst = self.names.isEmpty
        self.names = names
        environments.update(count: names.count + 1, height: height)
        if let wanted = awaited ?? old, let index = names.firstIndex(of: wanted) {
            environments.select(index)
            if awaited != nil { awaited = nil }
        } else if old == nil, !isFirst {
            environments.select(names.count)
        }
    }

    /// Shows what the chosen environment sets.
    mutating func show(_ rows: [Row]) {
        let old = awaitedVariable ?? selected?.definition.name
        self.rows = rows
        values.update(count: rows.count, height: height)
        guard let index = rows.firstIndex(where: { $0.definition.name == old }) else { return }
        values.select(index)
        awaitedVariable = nil
    }

    /// Where the two columns of a framed page stand.
    static func columns(of area: Rect) -> (Rect, Rect) {
        area.splitLeft(min(32, area.columns / 3))
    }

    mutating func fit(height: Int) {
        self.height = max(1, height)
        environments.update(count: names.count + 1, height: self.height)
        values.update(count: rows.count, height: self.height)
    }
}
