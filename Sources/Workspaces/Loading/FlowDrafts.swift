import Apus

/// A target that a batch or a step refers to: by name, or written in place.
enum TargetReference {
    case named(String, Span)
    case inline(TargetDefinition)
}

/// A batch whose targets are not looked up yet.
struct BatchDraft {
    struct Entry {
        let target: TargetReference
        let repeatCount: Int
        let values: [Assignment]
    }

    let name: String
    let summary: String?
    let concurrency: Int
    let mode: BatchDefinition.Mode
    let source: DataSource?
    let entries: [Entry]
}

/// A chain whose targets are not looked up yet.
struct ChainDraft {
    struct Step {
        let name: String
        let span: Span
        let target: TargetReference
        let captures: [Capture]
        let values: [Assignment]
    }

    let name: String
    let summary: String?
    let source: DataSource?
    let steps: [Step]
}
