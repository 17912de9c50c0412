import Terminal
import TreeView

extension FooterBar {
    /// The hints of a layer; nil if it leaves them to what lies below.
    func hints(of layer: Layer) -> [FooterHints.Hint]? {
        switch layer {
        case .jump, .pasting: nil
        case .refusedText: [.init("esc", "back to the keys")]
        case .confirmation: Confirmation.hints
        case .picker: model.picker.map { PickerView.hints($0.kind) }
        case .prompt:
            model.prompt.map { prompt in
                [.init("enter", prompt.accepting), .init("esc", "cancel")]
                    + prompt.examples.map { .init($0.typed, $0.meaning) }
            }
        case .filter:
            model.help != nil
                ? HelpScreen.hints(isSearching: true)
                : [.init("enter", "keep the filter"), .init("esc", "clear it")]
        case .explanation: HelpScreen.hints
        case .help: HelpScreen.hints(isSearching: false)
        case .cookies:
            model.cookies.map { CookieScreen.hints($0).compactMap { hint($0.0, $0.1) } }
        case .requestField, .copyLetter: RequestHints(model: model).hints
        case .tabLetter:
            model.keys.bindings.filter { $0.place == .tabs }.map { .init($0.keys[0], $0.label) }
        case .pastValues:
            [.init("enter", "open that answer"), .init("up down", "move"), .init("esc", "close")]
        }
    }
}

extension Screen {
    /// Draws a layer that is not part of a pane or of the footer; returns the position of its text cursor.
    static func draw(
        _ layer: Layer,
        _ context: ScreenContext,
        into grid: inout Grid
    ) -> Point? {
        let (model, look) = (context.model, context.look)
        switch layer {
        case .jump: if let jump = model.jump { JumpView(jump: jump, look: look).draw(into: &grid) }
        case .explanation: ExplanationScreen(context: context).draw(into: &grid)
        case .cookies:
            if let list = model.cookies {
                CookieScreen(context: context, list: list).draw(into: &grid)
            }
        case .help:
            return model.help.flatMap { scroll in
                HelpScreen(
                    size: model.size,
                    keys: model.keys,
                    places: KeyBinding.Place.ofExplorer,
                    scroll: scroll,
                    filter: model.helpFilter,
                    synonyms: PaletteWords.words,
                    look: look
                )
                .draw(into: &grid)
            }
        case .picker:
            return model.picker.flatMap {
                PickerView(picker: $0, size: model.size, look: look).draw(into: &grid)
            }
        // The footer draws the first two, and the panes the others.
        case .confirmation, .prompt, .refusedText, .filter, .requestField, .tabLetter, .pasting,
            .copyLetter, .pastValues:
            break
        }
        return nil
    }
}
