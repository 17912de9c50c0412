package import Documents

extension ResponseBody {
    /// The bytes as documents are made of; a spooled file is mapped and not read.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the file cannot be read.
    package func documentBytes() throws(ApusError) -> DocumentBytes {
        guard case .file(let file) = self else { return DocumentBytes(try load()) }
        do throws(DocumentError) {
            return switch file.ownership {
            case .temporary: try .mapping(ownedFile: file.path)
            case .borrowed: try .reading(file: file.path)
            }
        } catch {
            throw ApusError(.file(path: file.path, errno: error.code))
        }
    }
}
