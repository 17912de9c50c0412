import Apus

extension SourceChoice {
    /// The title, with the target's own wish when it is the target that chooses.
    func title(for wish: DataSource?) -> String {
        guard case .asTarget = self else { return title }
        guard let wish else { return title }
        return "\(title): \(wish.title)"
    }
}

extension Model {
    /// What the selected target wishes its answers to come from; without a wish
    /// what "as target" then means, nil when no target is selected.
    var selectedSource: DataSource? {
        guard case .success(let request)? = selectedView?.request else { return nil }
        return SourceChoice.asTarget.dataSource(for: request.source)
    }
}
