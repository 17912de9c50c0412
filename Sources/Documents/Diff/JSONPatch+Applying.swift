extension JSONPatch {
    /// Does the operations in order and gives the document that comes of it.
    ///
    /// Values that no operation touches keep their text. Either all operations are done or none:
    /// the error says which one failed, and why. A document that is not whole is patched as far as
    /// it is there.
    public func apply(to document: Document) throws(JSONPatchError) -> Document {
        var tree = PatchTree(document)
        for (index, operation) in operations.enumerated() {
            do {
                try tree.apply(operation)
            } catch {
                throw JSONPatchError(operation: index, reason: error)
            }
        }
        return Document.parse(DocumentBytes(tree.text))
    }
}
