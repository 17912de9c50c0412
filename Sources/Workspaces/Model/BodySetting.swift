import Apus

/// What a target sends.
enum BodySetting: Sendable {
    case none
    case text(Template)
    case json(TemplateValue)
    case form([TemplateValue.Member])
    /// A file; its path is seen from the workspace file's folder.
    case upload(Template, besideFile: String)
}

/// The file that an answer goes to.
struct DownloadSetting: Sendable {
    let path: Template
    let replacesExisting: Bool
    let besideFile: String
}
