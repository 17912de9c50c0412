import Documents
import Recordings
import Sharing
import Terminal
import TreeView

/// The list of sessions: those that colleagues share, their server, and those here.
extension PickerItems {
    var allSessions: [Picker.Item] { shared + [server] + ownSessions }

    private var shared: [Picker.Item] {
        model.sharing.sessions.filter { $0.name != ownShared }.map { session in
            let isWatched = model.sharing.watched?.name == session.name
            let words = [session.countText, session.ageText].filter { !$0.isEmpty }
            return Picker.Item(
                choice: .shared(session.name),
                name: session.name,
                detail: words.joined(separator: ", "),
                note: isWatched
                    ? Picker.Item.watched : session.isShared ? "shared now" : "was shared",
                words: "watch colleague team live"
            )
        }
    }

    /// The session that is shared from here, which nobody watches here.
    private var ownShared: String? {
        model.session.status.flatMap { $0.sharing == nil ? nil : $0.name }
    }

    private var server: Picker.Item {
        Picker.Item(
            choice: .server,
            name: "Server",
            detail: serverWords,
            note: "",
            words: "address redis team colleague"
        )
    }

    private var serverWords: String {
        let name = model.sharing.serverName
        let state =
            switch model.sharing.listing {
            case .unknown:
                name == nil ? "type redis://host:port/db to see what colleagues share" : ""
            case .asked: "no response yet"
            case .found(let sessions) where sessions.isEmpty: "your team shares no session there"
            case .found(let sessions):
                sessions.count == 1
                    ? "1 session is there" : "\(Readable.count(sessions.count)) sessions are there"
            case .failed(let reason): reason
            }
        return [name, state.isEmpty ? nil : state].compactMap(\.self).joined(separator: ": ")
    }
}
