import TreeView

/// What the keys do: `apus help keys`, and a page of the documentation; made from the key table.
package enum KeysPage {
    /// The page, in Markdown.
    package static var page: String {
        let sections = KeyBinding.Place.ofExplorer.map { place in
            let rows = KeyTable.explorer.bindings.filter { $0.place == place }.map(row)
            return "## \(place.title)\n\n| Key | Does |\n|---|---|\n"
                + rows.joined(separator: "\n")
        }
        return introduction + "\n\n" + sections.joined(separator: "\n\n")
    }

    private static let introduction = """
        # Keys

        What the keys of the explorer do; `?` on the screen shows them, and `/` there searches them and the other pages.

        ## Overview

        Where two lists have a key, that of the pane in hand counts. Every key can be another: `apus keys` prints all
        actions with their keys in the form of the file `$XDG_CONFIG_HOME/apus/keys.yaml`, where those of your own stand.
        """

    private static func row(_ binding: KeyBinding) -> String {
        let names = binding.isRange ? [binding.shownKeys] : binding.keys
        let keys = names.map { "`\($0.replacing("|", with: "\\|"))`" }.joined(separator: " ")
        let note = KeyNotes.note(on: binding.action).map { "; \($0)" } ?? ""
        return "| \(keys) | \((binding.help + note).replacing("|", with: "\\|")) |"
    }
}

/// What is worth knowing about an action beyond its line in the help.
enum KeyNotes {
    static func note(on action: Action) -> String? { notes[action] }

    private static let notes: [Action: String] = [
        .open: "a text or a number whole, or decoded: a JWT, a time, base64, a URL",
        .nextSource: "the server, the cache, the cache and the server, …",
        .edit: "in `$VISUAL` or `$EDITOR`; what changes on disk is read again at once",
        .focusRequest: "at its last tab; left and right go to the others",
        .editURL: "a key of the request in hand",
        .saveAs: "in the group that you choose",
        .pasteRequest: "pasting into the terminal does the same",
        .newRequest: "enter sends it, tab opens it to be edited first",
        .makeGroup: "`Users/Admin` makes both",
        .moveItem:
            "what names it is changed along: `like`, `extends`, `from`, batches, chains, `{{ name }}`",
        .removeItem: "what is used elsewhere stays, and the places are named",
        .expect: "a comparison is offered, `tab` offers others; `apus run` checks it, too",
        .undoChange: "while the file is as apus left it; older versions are a matter of git",
        .showVariables: "and where each value comes from",
        .search: "`tab`: in keys, values or both; `ctrl+r`: a regular expression",
        .query: "such as `$..id`",
        .compare: "row by row",
        .cookies: "kept until apus ends",
        .filterBody:
            "such as `jq .items`, its output as a tree; `tab`: only the value under the cursor",
        .saveBody: "asks before it replaces one",
        .palette: "a session, an environment, a source, a setting, by some of their letters",
        .chooseTheme: "`auto` follows the terminal's background",
        .narrower: "the mouse drags borders and scrollbars",
        .watch: "until `status:200` or `$.state == \"done\"`",
        .recordSession:
            "named sessions are kept whole; `tab` shares one on a Redis server, see *Sharing*",
        .listSessions:
            "from the beginning with enter, from now on with `ctrl+n`; `x` stops watching",
        .wrap: "left and right scroll them",
        .help: "`/` searches all pages",
    ]
}
