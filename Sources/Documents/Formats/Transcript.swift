/// A text of another format, written as JSON.
struct Transcript: Sendable {
    let json: DocumentBytes
    let map: SourceMap
    let faults: [FormatFault]
    let isCancelled: Bool
    /// What the tree of the JSON may take.
    let treeLimit: TreeMemoryLimit
}

extension Transcript {
    /// Reads a text, on the calling thread; it ends early when the task is cancelled.
    ///
    /// With `isCut` the text is the beginning of a longer one, and has no faults.
    init(_ text: DocumentBytes, as format: DocumentFormat, isCut: Bool = false, limit: Int? = nil) {
        var out = Transcription(text, isCut: isCut, limit: limit)
        switch format {
        case .json, .jsonLines: out.writer.token(out.bytes)
        case .eventStream: EventStreamReader.read(&out)
        case .xml: MarkupReader.read(&out, isHTML: false)
        case .html: MarkupReader.read(&out, isHTML: true)
        case .yaml: YAMLReader.read(&out)
        case .form, .query: FormReader.read(&out)
        case .csv(let delimiter, let hasHeader):
            CSVReader.read(&out, delimiter: delimiter, hasHeader: hasHeader)
        case .multipart(let boundary): MultipartReader.read(&out, boundary: boundary)
        }
        self = out.finish()
    }
}
