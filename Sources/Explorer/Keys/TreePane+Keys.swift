/// Which lines of the key table count while a pane has the keys.
extension TreePane {
    /// Those of the layer that has the keys; `around` are those of the program around the pane.
    func keyPlaces(around: [KeyBinding.Place]) -> [KeyBinding.Place] {
        switch layer {
        case .rows: [.document] + around + [.moving, .everywhere]
        case .prompt: [.typing]
        case .copying: [.copying]
        case .value: [.value, .moving, .everywhere]
        }
    }
}
