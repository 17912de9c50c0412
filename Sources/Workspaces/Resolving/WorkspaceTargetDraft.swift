import Apus
import FoundationEssentials
import HTTPTypes

/// A target while its templates are filled in.
struct WorkspaceTargetDraft {
    let target: TargetDefinition
    let settings: RequestSettings
    var evaluation: Evaluation
    let environment: Environment

    var log: ProblemLog { evaluation.log }

    init(
        target: TargetDefinition,
        settings: RequestSettings,
        evaluation: Evaluation,
        environment: Environment
    ) {
        self.target = target
        self.settings = settings
        self.evaluation = evaluation
        self.environment = environment
    }

    /// The target; nil if something is wrong.
    ///
    /// Every part is tried, so that all faults show.
    mutating func resolve() -> WorkspaceTarget? {
        let reference = reference()
        addCredentials(of: target.path)
        let base = reference.flatMap { baseURL(for: $0) }
        let query = query()
        let body = body()
        let fields = fields(contentType: body?.contentType)
        let cache = cachePolicy()
        let options = options()
        let download = download()
        guard let reference, let base, let query, let body, let fields, let cache, let options,
            let download, mayFollow(reference, fields.fields)
        else { return nil }
        let path = reference.text
        let mask = CredentialMask(secrets: Array(evaluation.secrets))
        return WorkspaceTarget(
            id: target.id,
            name: target.name,
            baseURL: base.url,
            path: path.text,
            method: target.method,
            task: task(body.task, query.parameters, download.destination),
            headerFields: fields.fields,
            validation: settings.validation ?? .none,
            cachePolicy: cache,
            options: masking(options),
            source: settings.source,
            display: RequestDisplay(
                method: target.method.rawValue,
                url: mask.masking(url: base.shown + path.shown + query.shown(after: path.shown)),
                fields: fields.shown.map { field in
                    RequestDisplay.Field(name: field.name, value: mask.masking(line: field.value))
                },
                notes: notes(cache, authorization: fields.authorization, download.shown, mask),
                body: body.shown.map { mask.masking(text: $0) },
                cache: CacheWords.text(cache)
            ),
            mask: mask
        )
    }
}
