import Apus
package import HTTPTypes

/// A target as the file has it, its templates not filled in.
package struct TargetDefinition: Sendable {
    /// Its groups and its name.
    package let id: TargetID
    /// Its name.
    package let name: String
    /// What it is for, if the file says so.
    package let summary: String?
    /// The request method.
    package let method: HTTPRequest.Method
    /// The path as written, with its `{{ name }}`, credentials masked.
    package var requestText: String { CredentialMask().masking(url: path.text) }

    let span: Span
    let path: Template
    let settings: RequestSettings
    let body: BodySetting
    let download: DownloadSetting?
}
