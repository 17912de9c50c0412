import Apus
import Documents
import Glibc
import Terminal
import TreeView

/// The user's own keys: `keys.yaml` has places of the key table, their actions, and for each a key or a list.
///
/// ```yaml
/// explorer:
///   cancel: ctrl+x
///   palette: [":", f2]
/// ```
///
/// A mistake is reported with its line, and the action keeps its built-in keys.
package enum KeyFile {
    /// Its name in `$XDG_CONFIG_HOME/apus`.
    static let name = "keys.yaml"

    private static let limit = 1 << 20

    /// The keys of a folder's file, or the built-in ones; and the first problem of the file.
    static func load(from folder: String) -> (keys: KeyTable, problem: String?) {
        let path = "\(folder)/\(name)"
        let bytes: [UInt8]
        do throws(ApusError) {
            bytes = try PrivateFiles.readFile(path, upTo: limit)
        } catch {
            if case .file(_, let number) = error.reason, number == ENOENT || number == ENOTDIR {
                return (.explorer, nil)
            }
            return (.explorer, "\(path): \(error.message.title)")
        }
        let read = read(String(decoding: bytes, as: UTF8.self), file: name)
        guard let first = read.problems.first else { return (read.keys, nil) }
        let more = read.problems.count - 1
        return (read.keys, more > 0 ? "\(first) (and \(more) more)" : first)
    }

    /// The key table of a text, and its problems in the order of its lines.
    static func read(_ yaml: String, file: String) -> (keys: KeyTable, problems: [String]) {
        var reading = Reading(file: file)
        do throws(YAMLError) {
            if let root = try YAMLValue.parse(yaml, maximumValues: 10_000) { reading.read(root) }
        } catch {
            return (.explorer, ["\(file):\(error.place.line): \(error.problem)"])
        }
        return reading.result()
    }

    /// The built-in keys in the format of the file: places, actions, keys and descriptions.
    package static var text: String {
        var lines = [
            "# The keys of apus. To change keys, put your own into \(name) in",
            "# $XDG_CONFIG_HOME/apus (~/.config/apus): a key, a list of keys, or [] for none.",
        ]
        for place in KeyBinding.Place.all {
            lines += ["", "\(place):"]
            for binding in KeyTable.explorer.bindings where binding.place == place {
                let keys = binding.keys.map { "\"\($0)\"" }.joined(separator: ", ")
                let entry = "  \(binding.action): [\(keys)]"
                let padded = entry.count < 40 ? TextWidth.padded(entry, to: 40) : entry
                lines.append("\(padded) # \(binding.help)")
            }
        }
        return lines.joined(separator: "\n")
    }
}

/// Collects all entries before it checks them, because one entry may free a key that another takes.
private struct Reading {
    private struct Entry {
        var binding: Int
        var keys: [String]
        var line: Int
    }

    /// Groups of places whose keys work at the same time: what `keyPlaces` of the explorer and the viewer returns.
    private static let together: [[KeyBinding.Place]] = [
        [.targets, .batch, .explorer, .moving, .everywhere],
        [.found, .request, .explorer, .moving, .everywhere],
        [.session, .explorer, .moving, .everywhere],
        [.chain, .targets, .explorer, .moving, .everywhere],
        [.page, .explorer, .moving, .everywhere],
        [.document, .explorer, .moving, .everywhere],
        [.table, .explorer, .moving, .everywhere],
        [.document, .levels, .moving, .everywhere],
        [.cookies, .moving, .everywhere],
        [.variables, .moving, .everywhere],
        [.value, .moving, .everywhere],
    ]

    let file: String
    private var entries: [Entry] = []
    private var problems: [(line: Int, text: String)] = []

    init(file: String) { self.file = file }

    private mutating func warn(_ line: Int, _ text: String) {
        problems.append((line, "\(file):\(line): \(text)"))
    }

    mutating func read(_ root: YAMLValue) {
        guard case .mapping(let places) = root.content else {
            return warn(root.place.line, "expected places with actions, as `apus keys` prints them")
        }
        for (key, value) in places {
            let name = key.text ?? ""
            guard let place = KeyBinding.Place.all.first(where: { "\($0)" == name }) else {
                let names = KeyBinding.Place.all.map { "\($0)" }.joined(separator: ", ")
                warn(key.place.line, "unknown place \"\(name)\"; the places are \(names)")
                continue
            }
            // A place without actions.
            if value.text == "" { continue }
            guard case .mapping(let actions) = value.content else {
                warn(value.place.line, "\(name): expected actions with their keys")
                continue
            }
            for (action, keys) in actions { read(action, keys, in: place) }
        }
    }

    private mutating func read(_ key: YAMLValue, _ value: YAMLValue, in place: KeyBinding.Place) {
        let line = key.place.line
        let name = key.text ?? ""
        let index = KeyTable.explorer.bindings.firstIndex {
            $0.place == place && $0.action.description == name
        }
        guard let index else {
            return warn(line, "\(place) has no action \"\(name)\"; `apus keys` lists them")
        }
        guard !entries.contains(where: { $0.binding == index }) else {
            return warn(line, "\(place).\(name) is listed twice")
        }
        let texts: [String?] =
            if case .sequence(let values) = value.content { values.map(\.text) } else {
                [value.text]
            }
        var keys: [String] = []
        for text in texts {
            guard let text, let key = Key(text) else {
                return warn(line, "\(name): \"\(text ?? "")\" is not a key")
            }
            guard place != .typing || key.text == nil else {
                return warn(line, "\(name): \"\(text)\" types text here and cannot be a command")
            }
            keys.append(key.description)
        }
        let isLast = keys.isEmpty && name == Action.quit.description
        guard !isLast else { return warn(line, "quit needs a key") }
        entries.append(Entry(binding: index, keys: keys, line: line))
    }

    /// Drops entries until no key has a second meaning that it did not have before.
    mutating func result() -> (keys: KeyTable, problems: [String]) {
        var bindings = table()
        while let (place, text) = conflict(in: bindings) {
            warn(entries[place].line, text)
            entries.remove(at: place)
            bindings = table()
        }
        return (KeyTable(bindings), problems.sorted { $0.line < $1.line }.map(\.text))
    }

    private func table() -> [KeyBinding] {
        var bindings = KeyTable.explorer.bindings
        for entry in entries { bindings[entry.binding].keys = entry.keys }
        return bindings
    }

    /// The last entry with a key that already has another action where both work.
    private func conflict(in bindings: [KeyBinding]) -> (entry: Int, text: String)? {
        for (place, entry) in entries.enumerated().reversed() {
            let own = bindings[entry.binding]
            for (index, other) in bindings.enumerated() where index != entry.binding {
                let meets =
                    own.place == other.place
                    || Self.together.contains { $0.contains(own.place) && $0.contains(other.place) }
                guard meets, own.action != other.action || own.place == other.place else {
                    continue
                }
                let before = KeyTable.explorer.bindings[entry.binding].keys.compactMap { Key($0) }
                let had = Set(KeyTable.explorer.bindings[index].keys.compactMap { Key($0) })
                let taken = Set(other.keys.compactMap { Key($0) })
                let shared = own.keys.first { name in
                    guard let key = Key(name), taken.contains(key) else { return false }
                    // Some built-in keys mean one thing in a pane and another around it, on purpose.
                    return own.place == other.place || !(before.contains(key) && had.contains(key))
                }
                guard let shared else { continue }
                let words = "\"\(shared)\" is \(other.place).\(other.action) already"
                return (place, "\(own.place).\(own.action): \(words)")
            }
        }
        return nil
    }
}
