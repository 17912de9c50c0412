import Terminal
import TreeView

extension FooterBar {
    /// The hints of a layer; nil if it leaves them to what lies below.
    func hints(of layer: Layer) -> [FooterHints.Hint]? {
        switch layer {
        case .jump, .pasting: nil
        case .refusedText: [.init("esc", "back to the keys")]
        case .question(let question): question.hints
        case .confirmation: Confirmation.hints
        case .changeQuestion: ChangeQuestion.hints
        case .picker(let picker): PickerView.hints(picker)
        case .prompt(let prompt):
            [.init("enter", prompt.accepting), .init("esc", "cancel")]
                + prompt.examples.map { .init($0.typed, $0.meaning) }
        case .filter:
            model.layers.isOpen(.help)
                ? [.init("enter", "keep the search"), .init("esc", "clear it")]
                : [.init("enter", "keep the filter"), .init("esc", "clear it")]
        case .explanation: HelpScreen.hints
        case .help(let page): HelpPageScreen.hints(page)
        case .cookies(let list): CookieScreen.hints(list).compactMap { hint($0.0, $0.1) }
        case .signIn: SignInScreen.hints(model.signIn.waits.first?.step)
        case .variables(let page):
            VariablesScreen.hints(page).compactMap { hint($0.0, $0.1) }
        case .requestField: RequestHints(model: model).hints
        case .copyLetter: RequestHints.ofFormats
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
        case .explanation(let scroll):
            ExplanationScreen(context: context, scroll: scroll).draw(into: &grid)
        case .cookies(let list): CookieScreen(context: context, list: list).draw(into: &grid)
        case .signIn: SignInScreen(context: context).draw(into: &grid)
        case .variables(let page):
            VariablesScreen(context: context, page: page).draw(into: &grid)
        case .help(let page):
            return HelpPageScreen(context: context, page: page).draw(into: &grid)
        case .question(let question):
            return QuestionView(question: question, size: model.size, look: look).draw(into: &grid)
        case .picker(let picker):
            return PickerView(picker: picker, size: model.size, look: look).draw(into: &grid)
        // The labels are drawn last, the footer draws the next two, and the panes the others.
        case .jump, .confirmation, .changeQuestion, .prompt, .refusedText, .filter, .requestField,
            .tabLetter, .pasting, .copyLetter, .pastValues:
            break
        }
        return nil
    }
}
