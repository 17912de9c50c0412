import Recordings
import Sharing
import Terminal
import TreeView

/// Sessions that are shared with a team.
extension Model {
    /// The server to use.
    var serverChoice: ServerChoice {
        ServerChoice(chosen: sharing.chosen, source: workspace.catalog?.source)
    }

    // MARK: One's own

    /// Asks where the session that was named is to be shared.
    mutating func askWhereToShare(_ prompt: LinePrompt) -> [Effect] {
        let name = prompt.text
        guard !name.isEmpty else { return ask(again: prompt, "a session needs a name") }
        guard !session.keepsSecrets else {
            return ask(
                again: prompt,
                "it cannot be shared: --keep-secrets records secrets, which must not leave this machine"
            )
        }
        layers.prompt = LinePrompt(
            purpose: .share(session: name),
            field: TextField(
                sharing.serverName ?? "",
                placeholder: "redis://host:port/db, a server that your team reaches",
                limit: 1024
            )
        )
        return []
    }

    /// Begins a session that is shared.
    mutating func share(_ name: String, _ prompt: LinePrompt) -> [Effect] {
        if let problem = choose(server: prompt.text) { return ask(again: prompt, problem) }
        session.status = SessionStatus(name: name, count: 0, sharing: .begun)
        return [.history(.beginSession(name, sharing: serverChoice))]
    }

    /// Takes a server that was typed; returns what is wrong with it.
    mutating func choose(server text: String) -> String? {
        guard !text.isEmpty else { return "type the server's address: redis://host:port/db" }
        // A name that was offered stands for the address with its password.
        if text == sharing.serverName { return nil }
        if text == sharing.cacheServer {
            sharing.chosen = nil
            return nil
        }
        do throws(RedisFault) {
            sharing.chosen = try RedisAddress(text)
            return nil
        } catch {
            return "\(error)"
        }
    }

    // MARK: Those of others

    /// Opens the list of sessions: those here, and those that colleagues share.
    mutating func openSessions() -> [Effect] {
        guard session.hasHistory else {
            layers.open(.refusedText)
            return sayNothingIsRecorded()
        }
        let effects = listShared()
        open(
            Picker(.sessions, PickerItems(model: self).allSessions, height: pickerLayout.list.rows)
        )
        return [.history(.listSessions)] + effects
    }

    private mutating func listShared() -> [Effect] {
        guard sharing.serverName != nil else {
            sharing.listing = .unknown
            return []
        }
        if sharing.sessions.isEmpty { sharing.listing = .asked }
        sharing.isListing = true
        return [.sharing(.list(serverChoice))]
    }

    /// Stops asking the server for its sessions once the list that shows them is closed.
    mutating func endListing() -> [Effect] {
        guard sharing.isListing, layers.picker?.kind != .sessions else { return [] }
        sharing.isListing = false
        return [.sharing(.endList)]
    }

    /// Asks for the server whose sessions are listed.
    mutating func askForServer() -> [Effect] {
        layers.prompt = LinePrompt(
            purpose: .server,
            field: TextField(
                sharing.serverName ?? "",
                placeholder: "redis://host:port/db, where colleagues share sessions",
                limit: 1024
            )
        )
        return []
    }

    /// Lists the sessions of a server that was typed.
    mutating func listSessions(_ prompt: LinePrompt) -> [Effect] {
        if let problem = choose(server: prompt.text) { return ask(again: prompt, problem) }
        sharing.listing = .unknown
        return openSessions()
    }

    /// Handles the keys that only the list of sessions has; nil for others.
    mutating func handleInSessions(_ key: Key) -> [Effect]? {
        guard layers.picker?.kind == .sessions,
            case .shared(let name)? = layers.picker?.selected?.choice
        else { return nil }
        switch key {
        case Key("ctrl+n"):
            layers.picker = nil
            return watchSession(name, fromNow: true)
        case Key("ctrl+x") where sharing.watched?.name == name: return stopWatching()
        default: return nil
        }
    }

    /// Watches a session of a colleague; one that is watched already is shown.
    mutating func watchSession(_ name: String, fromNow: Bool) -> [Effect] {
        var effects: [Effect] = []
        if sharing.watched?.name != name || fromNow {
            sharing.watchCount += 1
            let watched = WatchedSession(id: sharing.watchCount, name: name)
            sharing.watched = watched
            effects = [.sharing(.watch(watched, fromNow: fromNow, serverChoice))]
            say("watching \(name): what comes is recorded here; x stops it")
        }
        return effects + show(sessionNamed: RecordedSession.nameOfWatched(name))
    }

    /// Shows what was recorded in a session.
    mutating func show(sessionNamed name: String) -> [Effect] {
        session.filter.start(placeholder: "", limit: 1024)
        session.filter?.field.text = "session:\"\(name.replacing("\"", with: ""))\""
        session.filter?.isTyping = false
        move(to: .progress)
        return sessionFilterChanged()
    }

    /// Stops watching.
    mutating func stopWatching() -> [Effect] {
        guard let watched = sharing.watched else { return [] }
        sharing.watched = nil
        say("\(watched.name) is not watched any more; it is recorded as \(watched.recordedName)")
        remakePicker()
        return [.sharing(.endWatch)]
    }

    // MARK: Messages

    mutating func receive(_ message: SharingMessage) -> [Effect] {
        switch message {
        case .cacheServer(let name): sharing.cacheServer = name
        case .listed(let sessions): show(.found(sessions))
        case .listFailed(let reason): show(.failed(reason))
        case .own(let name, let notice, let address):
            // What comes late may be about a session that has ended.
            apply(notice, at: address, isCurrent: session.status?.name == name)
        case .refused(let name, let reason):
            if session.status?.name == name { session.status?.sharing = .failed(reason) }
            fail("\(name) is recorded, but not shared: \(reason)")
        case .received(let id, let event):
            if sharing.watched?.id == id { apply(event) }
        case .watchFailed(let id, let reason):
            guard let watched = sharing.watched, watched.id == id else { break }
            sharing.watched = nil
            fail("\(watched.name) cannot be watched: \(reason)")
        }
        return []
    }

    private mutating func show(_ listing: SharingState.Listing) {
        guard sharing.isListing, sharing.listing != listing else { return }
        let hadSome = !sharing.sessions.isEmpty
        sharing.listing = listing
        remakePicker()
        // The cursor waited on the server's line for the first of them.
        if !hadSome, layers.picker?.selected?.choice == .server {
            layers.picker?.scroll.moveToFirst()
        }
    }

    private mutating func apply(
        _ sharingNotice: SharingNotice,
        at address: String,
        isCurrent: Bool
    ) {
        switch sharingNotice {
        case .began where isCurrent, .recovered where isCurrent:
            session.status?.sharing = .shared
        case .failed(let reason) where isCurrent: session.status?.sharing = .failed(reason)
        case .began, .recovered, .failed, .lost: break
        }
        if let text = sharingNotice.text(of: address) {
            notice = Notice(
                kind: sharingNotice == .recovered ? .information : .warning,
                text: text
            )
        }
    }

    private mutating func apply(_ event: SessionFollower.Event) {
        let name = sharing.watched?.name ?? ""
        switch event {
        case .exchange: sharing.watched?.count += 1
        case .missed(1): say("1 exchange of \(name) was gone before it was read")
        case .missed(let count):
            say("\(count) exchanges of \(name) were gone before they were read")
        case .refused(let reason): warn("left out of \(name): \(reason)")
        case .failed(let fault):
            sharing.watched?.problem = "\(fault)"
            warn("waiting for \(name): \(fault)")
        case .recovered:
            sharing.watched?.problem = nil
            say("the server of \(name) is there again")
        }
    }
}

extension LinePrompt {
    /// What was typed, with single spaces and none at its ends.
    var text: String {
        field.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
