/// Names of files beside an export: small letters, digits and hyphens, and no two that a file system takes for one.
struct ExportFileNames {
    private var taken: Set<String> = []

    /// A name for what is called so, with an ending; another one each time.
    mutating func name(for text: String, ending: String) -> String {
        var base = String(
            String.UnicodeScalarView(
                text.lowercased().unicodeScalars.map { scalar in
                    let isPlain = ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
                    return isPlain ? scalar : "-"
                }
            )
        )
        if base.isEmpty { base = "-" }
        var name = "\(base).\(ending)"
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(base)-\(number).\(ending)"
            number += 1
        }
        return name
    }
}
