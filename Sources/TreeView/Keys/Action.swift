/// What a key can do: one of the actions of a tree here, or one that a program around it adds.
///
/// `KeyTable` binds keys to actions; help and footer are made from it.
package struct Action: Hashable, Sendable, CustomStringConvertible {
    /// Its name in a file of keys: `toggleFold`.
    package let description: String

    /// Names an action.
    package init(_ name: String) { description = name }
}

/// The actions of a tree, and of a program that shows one.
extension Action {
    // Everywhere
    package static let quit = Action("quit")
    package static let help = Action("help")
    package static let back = Action("back")
    package static let redraw = Action("redraw")
    package static let suspend = Action("suspend")

    // Moving
    package static let up = Action("up")
    package static let down = Action("down")
    package static let left = Action("left")
    package static let right = Action("right")
    package static let pageUp = Action("pageUp")
    package static let pageDown = Action("pageDown")
    package static let first = Action("first")
    package static let last = Action("last")

    // A document
    package static let open = Action("open")
    package static let toggleFold = Action("toggleFold")
    package static let foldAll = Action("foldAll")
    package static let unfoldAll = Action("unfoldAll")
    package static let unfoldMore = Action("unfoldMore")
    package static let unfoldLess = Action("unfoldLess")
    package static let unfoldLevels = Action("unfoldLevels")
    package static let nextForm = Action("nextForm")
    package static let wrap = Action("wrap")
    package static let layOut = Action("layOut")
    package static let lineStart = Action("lineStart")
    package static let lineEnd = Action("lineEnd")
    package static let search = Action("search")
    package static let query = Action("query")
    package static let goTo = Action("goTo")
    package static let nextMatch = Action("nextMatch")
    package static let previousMatch = Action("previousMatch")
    package static let listMatches = Action("listMatches")
    package static let showFault = Action("showFault")
    package static let resumeAfterFault = Action("resumeAfterFault")
    package static let copy = Action("copy")
    package static let copyPath = Action("copyPath")
    package static let copyShortPath = Action("copyShortPath")
    package static let copyValue = Action("copyValue")
    package static let copyText = Action("copyText")
    package static let copyKey = Action("copyKey")
    package static let copyMatches = Action("copyMatches")
    package static let copyMatchPaths = Action("copyMatchPaths")

    // A table
    package static let table = Action("table")
    package static let sortColumn = Action("sortColumn")
    package static let hideColumn = Action("hideColumn")
    package static let showColumns = Action("showColumns")
    package static let columnLeft = Action("columnLeft")
    package static let columnRight = Action("columnRight")

    // Typing a line
    package static let accept = Action("accept")
    package static let dismiss = Action("dismiss")
    package static let older = Action("older")
    package static let newer = Action("newer")
    package static let nextPart = Action("nextPart")
    package static let toggleExpression = Action("toggleExpression")
}

/// A line of the key table.
package struct KeyBinding: Sendable {
    /// Where it works; a program adds places of its own.
    package struct Place: Hashable, Sendable, CustomStringConvertible {
        /// Its name in a file of keys: `document`.
        package let description: String
        /// Its title in the help: "A document".
        package let title: String

        /// Names a place.
        package init(_ name: String, title: String) {
            (description, self.title) = (name, title)
        }

        package static let everywhere = Place("everywhere", title: "Everywhere")
        package static let moving = Place("moving", title: "Moving")
        package static let document = Place("document", title: "A document")
        package static let table = Place("table", title: "A table")
        package static let levels = Place("levels", title: "Levels")
        package static let copying = Place("copying", title: "After y")
        package static let value = Place("value", title: "One value")
        package static let typing = Place("typing", title: "While typing")

        /// The places of a tree that has the screen to itself, in the order of its help.
        package static let ofTree = [
            everywhere, moving, document, table, levels, copying, value, typing,
        ]
    }

    /// Where it works.
    package var place: Place
    /// The names of the keys; empty if it has none.
    package var keys: [String]
    /// What they do.
    package var action: Action
    /// Its label in the footer.
    package var label: String
    /// Its description in the help.
    package var help: String

    /// Binds keys to an action.
    package init(
        _ place: Place,
        _ keys: [String],
        _ action: Action,
        _ label: String,
        _ help: String
    ) {
        self.place = place
        self.keys = keys
        self.action = action
        self.label = label
        self.help = help
    }

    /// Whether the keys are a row of digits.
    package var isRange: Bool { keys.count > 4 }

    /// The keys as the help writes them, "^l" for "ctrl+l"; for a row of digits, the first and the last.
    package var shownKeys: String {
        let names = keys.map { $0.replacing("ctrl+", with: "^") }
        guard isRange, let first = names.first, let last = names.last else {
            return names.joined(separator: " ")
        }
        return "\(first)-\(last)"
    }
}
