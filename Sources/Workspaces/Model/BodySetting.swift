import Apus

/// What a target sends.
enum BodySetting: Sendable {
    case none
    case text(Template)
    case json(TemplateValue)
    case form([TemplateValue.Member])
    case upload(UploadSetting)
}

/// The file that a target sends.
struct UploadSetting: Sendable {
    let path: Template
    /// The folder that the file must be in, and its path is seen from; nil for any file.
    let folder: String?
    /// Its path is seen from this file's folder if there is no `folder`.
    let besideFile: String
}

/// The file that an answer goes to.
struct DownloadSetting: Sendable {
    let path: Template
    let replacesExisting: Bool
    let besideFile: String
}
