import Glibc
import Themes

/// Finds themes: built in, in the user's folder, or at a path.
package struct ThemeLoader: Sendable {
    /// The folder of the user's own themes, `…/themes`; nil if there is none.
    package let userFolder: String?

    /// Makes a loader; `configurationFolder` is `$XDG_CONFIG_HOME/apus`.
    package init(configurationFolder: String?) {
        userFolder = configurationFolder.map { $0 + "/themes" }
    }

    /// The names of the built-in themes; the first is the default.
    package static var builtInNames: [String] { Themes.builtIn.map(\.name) }

    /// Built-in names, then those in the user's folder.
    package func available() -> [String] {
        Self.builtInNames + userNames().filter { !Self.builtInNames.contains($0) }
    }

    /// Loads a theme by name or path.
    ///
    /// A user's theme wins over a built-in one of the same name.
    ///
    /// Without colors this always loads `mono`, because other themes say some things by color alone.
    package func load(_ name: String, depth: ColorDepth) throws(ThemeError) -> LoadedTheme {
        let asked = depth == .mono ? "mono" : name
        if let standard = Self.standard(asked), !hasUserFile(asked) {
            return LoadedTheme(theme: standard, warnings: [], definitions: [:])
        }
        return try file(asked, visited: []).resolved()
    }

    /// The theme of this name, if it is one of the two that need no file.
    private static func standard(_ name: String) -> Theme? {
        switch name {
        case Theme.standard.name: .standard
        case Theme.standardLight.name: .standardLight
        default: nil
        }
    }

    /// The built-in theme of this name, read from its YAML file.
    static func builtIn(_ name: String) throws(ThemeError) -> LoadedTheme {
        try ThemeLoader(configurationFolder: nil).file(name, visited: []).resolved()
    }

    /// Reads a theme's file and those it inherits from; `visited` has the sources that led here.
    ///
    /// A user's theme can inherit from the built-in theme of the same name, but no source from itself.
    private func file(_ name: String, visited: [String]) throws(ThemeError) -> ThemeFile {
        let sources = sources(of: name)
        if sources.isEmpty { throw .unknown(name, available: available()) }
        guard let source = sources.first(where: { !visited.contains($0.path) }) else {
            throw .cycle(visited + [sources[0].path])
        }
        // Nobody needs more levels, and each is a frame of the stack.
        guard visited.count < 16 else { throw .cycle(visited + [source.path]) }
        let file = try ThemeFile(yaml: source.text, file: source.path, name: name)
        guard let parent = file.inherits else { return file }
        return file.over(try self.file(parent, visited: visited + [source.path]))
    }

    private func sources(of name: String) -> [(path: String, text: String)] {
        if name.contains("/") || name.hasSuffix(".yaml") {
            return Self.read(name).map { [(name, $0)] } ?? []
        }
        let own = userPath(name).flatMap { path in Self.read(path).map { (path, $0) } }
        let builtIn = Themes.builtIn.first { $0.name == name }
            .map { ("\(name).yaml (built in)", String(decoding: $0.yaml, as: UTF8.self)) }
        return [own, builtIn].compactMap(\.self)
    }

    private func userPath(_ name: String) -> String? {
        userFolder.map { "\($0)/\(name).yaml" }
    }

    private func hasUserFile(_ name: String) -> Bool {
        userPath(name).map { access($0, R_OK) == 0 } ?? false
    }

    private func userNames() -> [String] {
        guard let userFolder, let folder = opendir(userFolder) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".yaml") { names.append(String(name.dropLast(5))) }
        }
        return names.sorted()
    }

    /// The text of a regular file of at most 1 MiB, enough for a theme; nil for anything else.
    private static func read(_ path: String) -> String? {
        let limit = 1 << 20
        // O_NONBLOCK, because opening a pipe must not wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= limit, let file = fdopen(descriptor, "r")
        else {
            close(descriptor)
            return nil
        }
        defer { fclose(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = fread(buffer.baseAddress, 1, limit, file)
        }
        return ferror(file) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
