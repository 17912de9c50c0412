extension ImportSource {
    /// More than people nest; links could make folders without end, so they are not followed.
    private static let mostLevels = 16

    /// The files of a folder as groups, and its folders as groups of those, in the order of their names.
    ///
    /// - Parameters:
    ///   - folder: The folder, from the source's; empty for that itself.
    ///   - isWanted: Whether a file of this name is read; others are passed over.
    ///   - level: How many folders are around it.
    ///   - read: Makes a group of a file's bytes and its path from the source's folder.
    /// - Returns: The groups that have something in them, and what could not be read.
    func groups(
        in folder: String = "",
        of isWanted: (String) -> Bool,
        level: Int = 0,
        _ read: (_ bytes: [UInt8], _ path: String) -> ImportedGroup
    ) -> (items: [ImportedItem], losses: [ImportLoss]) {
        guard level < Self.mostLevels else {
            return (
                [],
                [
                    ImportLoss(
                        "the folder \(folder)",
                        "folders in folders end at \(Self.mostLevels) levels"
                    )
                ]
            )
        }
        var items: [ImportedItem] = []
        var losses: [ImportLoss] = []
        for name in names(in: folder) where Self.mayHaveRequests(name) {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            if isFolder(path) {
                guard let link = loss(ofLink: path) else {
                    let inner = groups(in: path, of: isWanted, level: level + 1, read)
                    losses += inner.losses
                    guard !inner.items.isEmpty else { continue }
                    var group = ImportedGroup(name: name)
                    group.items = inner.items
                    items.append(.group(group))
                    continue
                }
                losses.append(link)
            } else if isWanted(name) {
                guard let bytes = bytes(of: path) else {
                    losses.append(ImportLoss("the file \(path)", "it cannot be read"))
                    continue
                }
                items.append(.group(read(bytes, path)))
            }
        }
        return (items, losses)
    }

    /// Whether a folder, from the source's, is one or a link to one.
    func isFolder(_ path: String) -> Bool { ImportFile.isFolder(resolve(path)) }

    /// What is said of a folder that is a link; nil if it is none.
    func loss(ofLink path: String) -> ImportLoss? {
        guard ImportFile.isLink(resolve(path)) else { return nil }
        return ImportLoss("the folder \(path)", "it is a link, and links are not followed")
    }

    /// Whether a name is none that is hidden, or of packages of other people.
    static func mayHaveRequests(_ name: String) -> Bool {
        !name.hasPrefix(".") && name != "node_modules"
    }
}
