import Apus

/// Only the workspace names files; a response's value can choose one only where the workspace allows it.
extension WorkspaceTargetBuilder {
    /// The file to upload; nil if something is wrong, which is logged.
    mutating func upload(_ setting: UploadSetting) -> (path: String, shown: String)? {
        guard let parts = evaluation.parts(setting.path) else { return nil }
        let text = parts.reduce(into: ResolvedText("")) { $0 += $1.text }
        guard let folder = setting.folder else {
            guard let part = parts.first(where: \.text.isFromResponse) else {
                return (TextFile.resolve(text.text, besideFile: setting.besideFile), text.shown)
            }
            log.add(
                part.reference?.span ?? setting.path.span,
                "`\(part.reference?.name ?? "")` comes from a response and cannot name a file to upload",
                hint: "`upload: { file: …, from: FOLDER }` allows the files in FOLDER"
            )
            return nil
        }
        let path = "\(folder)/\(text.text)"
        // While checking, a placeholder stands for the captured value.
        guard evaluation.purpose == .sending else { return (path, text.shown) }
        return file(path, in: folder, shown: text.shown, setting.path.span)
    }

    /// The file with symbolic links resolved, if it is in the folder; nil if it is not, which is logged.
    private func file(
        _ path: String,
        in folder: String,
        shown: String,
        _ span: Span
    ) -> (path: String, shown: String)? {
        guard !path.utf8.contains(0), let real = TextFile.realPath(path),
            let realFolder = TextFile.realPath(folder)
        else {
            log.add(span, "there is no file `\(shown)` in \(folder)")
            return nil
        }
        guard TextFile.isBelow(real, realFolder) else {
            log.add(span, "the file `\(shown)` is not in \(folder)")
            return nil
        }
        return (real, shown)
    }

    struct Download {
        var destination: DownloadDestination?
        var shown: String?
    }

    mutating func download() -> Download? {
        guard let setting = target.sentDownload else { return Download() }
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

    /// Whether every value from a response is only part of a single file name.
    ///
    /// Such a name must not lead to another folder or hide the file. `raw` changes nothing here.
    private func staysInFolder(_ parts: [ResolvedPart]) -> Bool {
        var name = ""
        var given: ResolvedPart?
        var isGivenFirst = false
        for part in parts {
            let text = part.text.text
            if part.text.isFromResponse {
                guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x2F }) else {
                    return refuse(part, "it contains `/` or a control character")
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
        // The workspace's folder would be loaded with it the next time.
        if name.lowercased().hasSuffix(".apus.yaml") {
            return refuse(given, "it would be a workspace")
        }
        // The limit of most file systems.
        if name.utf8.count > 255 { return refuse(given, "it is longer than 255 bytes") }
        return true
    }

    private func refuse(_ part: ResolvedPart, _ why: String) -> Bool {
        log.add(
            part.reference?.span ?? target.span,
            "`\(part.reference?.name ?? "")` comes from a response and cannot name a file: \(why)"
        )
        return false
    }
}
