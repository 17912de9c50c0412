import Apus
import Terminal

@testable import Explorer

extension Model {
    /// A request that is edited: keys, text, keys, text, keys.
    mutating func showRequest(
        keys: String,
        _ first: String,
        _ then: String,
        _ second: String = "",
        _ last: String = ""
    ) {
        var play = Play.editing(size: size)
        play.model.workspace.sourceName = workspace.sourceName
        play.type(keys)
        play.write(first)
        play.type(then)
        play.write(second)
        play.type(last)
        play.answerRequests()
        if case .preview = play.model.request.tab {
            var preview = RequestPreview()
            preview.lines = [
                "POST /users?page=1&size=20 HTTP/1.1", "Host: 127.0.0.1:8080",
                "Accept: application/json", "Authorization: ••••••", "Content-Length: 18", "",
                "{", "  \"name\": \"Ada\"", "}",
            ]
            play.receive(
                .request(
                    .previewed(
                        EditableCatalog.item,
                        ticket: play.model.request.previewTicket,
                        preview
                    )
                )
            )
        }
        let now = clock.now
        self = play.model
        clock.now = now
    }
}
