import Apus
import Terminal
import TreeView
import Workspaces

/// A question that is open over the panes, because a request waits for its answer.
struct QuestionLayer {
    let id: Int
    let asked: AskedQuestion
    /// What is typed; not used for choices and commands.
    var field = TextField()
    /// The choice under the cursor, or the first row of the commands that is shown.
    var scroll = ListScroll()

    init(_ id: Int, _ asked: AskedQuestion) {
        (self.id, self.asked) = (id, asked)
        guard case .value(let question) = asked else {
            // As many rows as fit are shown, however far it is scrolled.
            if case .commands(let commands, _) = asked {
                let length = commands.reduce(0) { $0 + $1.text.utf8.count + 1 }
                scroll.update(count: length, height: length)
            }
            return
        }
        scroll.update(count: question.choices.count, height: question.choices.count)
        if let standard = question.standard {
            scroll.select(question.choices.firstIndex(of: standard) ?? 0)
        }
        field = TextField(
            question.isSecret ? "" : question.standard ?? "",
            placeholder: "the value, for as long as apus runs",
            isMasked: question.isSecret
        )
    }

    /// The values to choose from; empty if any will do.
    var choices: [String] {
        if case .value(let question) = asked { question.choices } else { [] }
    }

    /// Whether what is typed must not be shown.
    var isSecret: Bool {
        if case .value(let question) = asked { question.isSecret } else { false }
    }

    /// The answer as it stands; nil if there is none yet.
    var answer: String? {
        guard case .value(let question) = asked else { return nil }
        if question.choices.indices.contains(scroll.selection) {
            return question.choices[scroll.selection]
        }
        return field.isEmpty ? question.standard : field.text
    }

    /// The footer's hints.
    var hints: [FooterHints.Hint] {
        switch asked {
        case .commands:
            [.init("y", "trust them, and run"), .init("esc", "do not run")]
        case .value(let question) where !question.choices.isEmpty:
            [.init("enter", "send"), .init("up down", "choose"), .init("esc", "do not send")]
        case .value(let question):
            [.init("enter", "send"), .init("esc", "do not send")]
                + (question.isSecret ? [.init("alt+s", "show")] : [])
        }
    }
}

extension Model {
    /// Handles a key in a question.
    mutating func handleInQuestion(_ key: Key, _ question: QuestionLayer) -> [Effect] {
        switch key.code {
        case .escape: return refuse(question)
        case .enter:
            guard case .value(let value) = question.asked else { return [] }
            guard let answer = question.answer else {
                return fail("\(value.name) needs a value; esc sends nothing")
            }
            layers.question = nil
            return [.supply(.answer(question.id, answer))]
        case .up: layers.question?.scroll.move(by: -1)
        case .down: layers.question?.scroll.move(by: 1)
        case .character("y"):
            guard case .commands = question.asked else { return type(key, in: question) }
            layers.question = nil
            return [.supply(.answer(question.id, ""))]
        case .character("s") where key.modifiers == .alt && question.isSecret:
            layers.question?.field.isMasked.toggle()
        default: return type(key, in: question)
        }
        return []
    }

    private mutating func type(_ key: Key, in question: QuestionLayer) -> [Effect] {
        if key == Key("ctrl+c") { return refuse(question) }
        guard case .value(let value) = question.asked, value.choices.isEmpty else { return [] }
        _ = layers.question?.field.handle(key)
        return []
    }

    private mutating func refuse(_ question: QuestionLayer) -> [Effect] {
        layers.question = nil
        return [.supply(.answer(question.id, nil))]
    }

    /// Puts pasted text into a question.
    mutating func paste(_ text: String, into question: QuestionLayer) -> [Effect] {
        guard case .value(let value) = question.asked, value.choices.isEmpty else { return [] }
        layers.question?.field.paste(text)
        return []
    }

    /// Opens the next question, unless something is being typed, which would go into it.
    mutating func showNextQuestion() {
        let mayCover: [Layer.Kind] = [.explanation, .help, .cookies, .pastValues]
        guard !questions.isEmpty, openLayers.allSatisfy({ mayCover.contains($0.kind) }) else {
            return
        }
        let next = questions.removeFirst()
        layers.question = next
    }

    /// Applies what happens to the values that requests need.
    mutating func receive(_ message: SupplyMessage) -> [Effect] {
        switch message {
        case .asked(let id, let asked): questions.append(QuestionLayer(id, asked))
        case .withdrawn(let id):
            questions.removeAll { $0.id == id }
            if layers.question?.id == id { layers.question = nil }
        case .supplied(let variable, let target):
            if let target { say("sent \(target) for \(variable)") }
            return showSuppliedValues()
        case .forgotten(let names):
            let list = names.joined(separator: ", ")
            say(
                names.isEmpty
                    ? "no value was asked for, run or sent for here"
                    : "forgotten: \(list); the next request gets \(names.count == 1 ? "it" : "them") anew"
            )
            return showSuppliedValues()
        }
        return []
    }

    /// Has the values forgotten that were asked for, run or sent for in this environment.
    mutating func forgetValues() -> [Effect] {
        guard let catalog = workspace.catalog else { return [] }
        return [.supply(.forget(catalog.source, environment: workspace.environment))]
    }

    /// Makes the shown request again, with the values that there are now.
    private mutating func showSuppliedValues() -> [Effect] {
        responses.views.forgetRequests()
        guard let row = targets.selected,
            case .target(let target)? = workspace.catalog?.nodes.node(with: row.id)
        else { return [] }
        let request: Result<ResolvedTarget, CatalogError>
        do throws(CatalogError) {
            request = .success(try resolve(target))
        } catch {
            request = .failure(error)
        }
        changeView(of: row.id) { $0.request = request }
        return showRequest()
    }
}
