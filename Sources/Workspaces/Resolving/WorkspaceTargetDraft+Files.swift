import Apus
import Glibc

/// Files are the workspace's to name: an answer may choose one only where the workspace says so.
extension WorkspaceTargetDraft {
    /// The file that is sent; nil if something is wrong, which is logged.
    mutating func upload(_ setting: UploadSetting) -> (path: String, shown: String)? {
        guard let parts = evaluation.parts(setting.path) else { return nil }
        let text = parts.reduce(into: ResolvedText("")) { $0 += $1.text }
        guard let folder = setting.folder else {
            guard let part = parts.first(where: \.text.isFromAnswer) else {
                return (TextFile.resolve(text.text, besideFile: setting.besideFile), text.shown)
            }
            log.add(
                part.reference?.span ?? setting.path.span,
                "`\(part.reference?.name ?? "")` comes from an answer and cannot name a file to upload",
                hint: "`upload: { file: …, from: FOLDER }` allows the files in FOLDER"
            )
            return nil
        }
        let path = "\(folder)/\(text.text)"
        // The captured value that is checked with is no file.
        guard evaluation.purpose == .sending else { return (path, text.shown) }
        return file(path, in: folder, shown: text.shown, setting.path.span)
    }

    /// The file, links followed, if it is in the folder.
    private func file(
        _ path: String,
        in folder: String,
        shown: String,
        _ span: Span
    ) -> (path: String, shown: String)? {
        guard !path.utf8.contains(0), let real = Self.realPath(path),
            let realFolder = Self.realPath(folder)
        else {
            log.add(span, "there is no file `\(shown)` in \(folder)")
            return nil
        }
        // Bytes: to Swift one accent is another that a file system tells from it.
        guard real.utf8.starts(with: realFolder == "/" ? "/".utf8 : "\(realFolder)/".utf8) else {
            log.add(span, "the file `\(shown)` is not in \(folder)")
            return nil
        }
        return (real, shown)
    }

    private static func realPath(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    struct Download {
        var destination: DownloadDestination?
        var shown: String?
    }

    mutating func download() -> Download? {
        guard let setting = target.download else { return Download() }
        guard let parts = evaluation.parts(setting.path), staysInFolder(parts) else { return nil }
        let text = parts.reduce(into: ResolvedText("")) { $0 += $1.text }
        let path = TextFile.resolve(text.text, besideFile: setting.besideFile)
        return Download(
            destination: DownloadDestination(
                path: path,
                replacesExisting: setting.replacesExisting
            ),
            shown: "to file \(text.shown)"
        )
    }

    /// Whether all that an answer gave is a part of one name each.
    ///
    /// None of these may lead elsewhere or hide its file. `raw` changes nothing here.
    private func staysInFolder(_ parts: [ResolvedPart]) -> Bool {
        var name = ""
        var given: ResolvedPart?
        var isGivenFirst = false
        for part in parts {
            let text = part.text.text
            if part.text.isFromAnswer {
                guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x2F }) else {
                    return refuse(part, "it has `/` or a control character in it")
                }
                if given == nil { isGivenFirst = name.isEmpty }
                given = given ?? part
                name += text
                continue
            }
            let names = text.split(separator: "/", omittingEmptySubsequences: false)
            name += names.first ?? ""
            if names.count > 1 {
                guard isName(name, given, isGivenFirst) else { return false }
                name = String(names.last ?? "")
                given = nil
            }
        }
        return isName(name, given, isGivenFirst)
    }

    private func isName(_ name: String, _ given: ResolvedPart?, _ isGivenFirst: Bool) -> Bool {
        guard let given else { return true }
        if name.isEmpty { return refuse(given, "it is empty") }
        if name == "." || name == ".." || isGivenFirst && name.hasPrefix(".") {
            return refuse(given, "it begins with a dot")
        }
        // The next look at the folder would take it for its own.
        if name.lowercased().hasSuffix(".apus.yaml") {
            return refuse(given, "it would be a workspace")
        }
        // What most file systems take.
        if name.utf8.count > 255 { return refuse(given, "it is longer than 255 bytes") }
        return true
    }

    private func refuse(_ part: ResolvedPart, _ why: String) -> Bool {
        log.add(
            part.reference?.span ?? target.span,
            "`\(part.reference?.name ?? "")` comes from an answer and cannot name a file: \(why)"
        )
        return false
    }
}
