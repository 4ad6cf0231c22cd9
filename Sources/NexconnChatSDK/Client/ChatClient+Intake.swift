import ChatDatabase
import ChatProtocol
import ConnectionEngine
import EngineRuntime
import Foundation
import Identifiers

// Handles events of the chat session.
extension ChatClient {
    /// Handles notices of the session's connection on the thread of the connection engine. Changes of status are recorded at once; then all
    /// notices are passed to the work queue.
    func hear(_ notices: [Notice<ChatSession>], _ launch: Int) {
        let isCurrent = state.withLockedValue { state in
            guard state.launch == launch, !state.isRetired else { return false }
            for case .change(let change) in notices {
                state.isOnline = change.phase == .connected
                if change.phase.isTerminal { state.isOver = true }
            }
            return true
        }
        guard isCurrent else { return }
        telemetry?.note(notices)
        let arrivals = notices.map { notice -> Arrival in
            switch notice {
            case .event(let event): return .event(event, launch: launch)
            case .dropped(let count): return .dropped(count)
            case .change(let change):
                let details = NCConnectionDetails(change)
                return .change(change, details, launch: launch, version: board.note(details.status, of: number))
            }
        }
        inlet.put { $0 += arrivals }
    }

    /// Handles notices of the session's connection, and answers, on the work queue. Consecutive inbox events are stored together, unless
    /// they belong to packages of missed events.
    func take(_ arrivals: [Arrival]) {
        var live: [ChatInboxItem] = []
        for arrival in arrivals {
            if case .event(.received(let items, false, _), let launch) = arrival, isCurrent(launch) {
                live += items
                continue
            }
            if !live.isEmpty {
                receive(live, isOffline: false, hasMore: false)
                live = []
            }
            switch arrival {
            case .answer(let answer): answer()
            case .event(let event, let launch):
                if isCurrent(launch) { take(event) }
            case .change(let change, let details, let launch, let version):
                if isCurrent(launch) { take(change, details: details, version: version) }
            case .dropped(let count):
                settings.logger.error(
                    "received events were dropped, because too many waited: messages may be missing",
                    metadata: ["count": "\(count)"])
                noteInbox { database, client throws(ChatDatabaseError) in try database.declareGap(at: client.serverTime) }
            }
        }
        if !live.isEmpty { receive(live, isOffline: false, hasMore: false) }
    }

    private func isCurrent(_ launch: Int) -> Bool {
        state.withLockedValue { $0.launch == launch && !$0.isRetired }
    }

    private func take(_ event: ChatSessionEvent) {
        let intake = assembly.intake
        switch event {
        case .welcomed(let welcome): take(welcome)
        case .received(let items, let isOffline, let hasMore): receive(items, isOffline: isOffline, hasMore: hasMore)
        case .caughtUp:
            state.withLockedValue { $0.isInboxLive = true }
            intake.caughtUp(client: self)
        case .transient(let event): intake.received(event, client: self)
        case .gap(let since): intake.missed(since: since, client: self)
        case .openGap(let channel, let since): intake.missed(in: channel, since: since, client: self)
        case .reentered(let entrance): intake.reentered(entrance, client: self)
        case .entryFailed(let channel, let refusal):
            intake.entryFailed(channel, NCError(refusal.code, reason: refusal.reason), client: self)
        case .malformed(let reason):
            settings.logger.warning("a frame of the chat server could not be decoded", metadata: ["reason": "\(reason)"])
        }
    }

    private func take(_ change: ConnectionChange, details: NCConnectionDetails, version: UInt64) {
        if details.status == .connected { board.confirm(version, of: number) }
        if change.phase != .connected { state.withLockedValue { $0.isInboxLive = false } }
        board.tell(details)
        switch change.phase {
        case .connected:
            if let user { call.finish(.success(user)) }
        case .failed, .disconnected:
            let failure = change.cause ?? .disconnectedOnRequest
            call.finish(.failure(NCError(failure)))
        case .waiting, .suspended:
            sweepIfWaiting()
        case .idle, .connecting, .disconnecting:
            break
        }
    }

    // MARK: Signing in

    /// Handles the server's welcome: stores the user, opens the database, and connects again if the session has to resume from a stored
    /// position (rules NC-5 to NC-7).
    private func take(_ welcome: ChatWelcome) {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let (former, resume, resumedUser) = state.withLockedValue { state in
            let former = state.user
            state.user = welcome.user
            state.welcome = welcome
            state.epoch = welcome.place.epoch
            let (delta, isTooLarge) = now.subtractingReportingOverflow(welcome.time)
            state.clockDelta = isTooLarge ? .max : delta
            return (former, state.resume, state.resumedUser)
        }
        installation.remember(welcome.user, appKey: settings.appKey, token: signIn.token)
        if former?.isExactly(welcome.user) != true || !hasOpened {
            closeDatabase()
            open(for: welcome.user)
        }
        // The server has not resumed from this user's inbox position. If the user's database has a position, or if another user's position
        // was sent, the client connects again.
        guard resumedUser?.isExactly(welcome.user) != true else { return beginInbox(welcome) }
        let known = database?.place.flatMap { $0.epoch == welcome.place.epoch ? $0 : nil }
        let isBehind = known.map { $0.sequence < welcome.place.sequence } ?? false
        guard isBehind || resume != nil else { return beginInbox(welcome) }
        launch(resume: known)
    }

    /// Records whether the inbox continues without a gap. Without a gap, loading the history need not ask the server for the messages since
    /// the last connection (rule CD-22).
    private func beginInbox(_ welcome: ChatWelcome) {
        noteInbox { database, _ throws(ChatDatabaseError) in
            try database.beginInbox(
                at: welcome.time, isContinued: welcome.isResumed && !welcome.hasLost,
                hasEverything: welcome.settings.syncsDevices)
        }
    }

    /// Records in the database how the inbox begins or continues. A failed write is only logged, because the next use of the database fails
    /// for the same reason and reports it.
    private func noteInbox(_ body: (ChatDatabase, ChatClient) throws(ChatDatabaseError) -> Void) {
        guard let database else { return }
        do throws(ChatDatabaseError) {
            try body(database, self)
        } catch {
            settings.logger.error("the inbox state could not be saved in the local database", metadata: ["error": "\(error)"])
        }
    }

    /// The server's time in milliseconds since 1970; this device's time before the first connection.
    private var serverTime: Int64 {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        return now.subtractingReportingOverflow(clockDelta).partialValue
    }

    private var hasOpened: Bool { state.withLockedValue { $0.database != nil } }

    /// Opens the user's database and notifies the application (rule NC-6).
    func open(for user: String) {
        do {
            let (database, isRecreated) = try assembly.openDatabase(settings.directory.path, settings.appKey, user)
            state.withLockedValue { $0.database = database }
            tellOpened(isRecreated, nil)
        } catch {
            settings.logger.error("the local chat database could not be opened", metadata: ["error": "\(error)"])
            tellOpened(false, NCError(error.code, reason: "The local database could not be opened: \(error)"))
        }
    }

    private func tellOpened(_ isRecreated: Bool, _ error: NCError?) {
        let call = call
        tell { _ in call.opened(isRecreated, error) }
    }

    // MARK: Inbox

    /// Stores events of the inbox and acknowledges them (rule NC-8).
    private func receive(_ items: [ChatInboxItem], isOffline: Bool, hasMore: Bool) {
        guard let last = items.last, let epoch = state.withLockedValue({ $0.epoch }) else { return }
        let place = ChatPlace(epoch: epoch, sequence: last.sequence)
        state.withLockedValue { state in
            // When too many events wait, this batch is dropped, and a gap takes its place in the queue. If the last element of the queue is
            // a gap already, both gaps become one. If no batch waits, the new batch is always accepted, because it is stored at once (rule
            // NC-73).
            let isGap = !state.unkept.isEmpty && state.unkeptItems + items.count > Self.mostUnkept
            if isGap, state.unkept.last?.isGap == true { state.unkept.removeLast() }
            if !isGap { state.unkeptItems += items.count }
            state.unkept.append(
                Batch(items: isGap ? [] : items, place: place, isOffline: isOffline, hasMore: hasMore, isGap: isGap))
        }
        keep()
    }

    /// The largest number of inbox events that wait in memory while the database cannot store them.
    static var mostUnkept: Int { 10_000 }

    /// Stores waiting batches of inbox events, in order. A batch that cannot be stored stays in the queue and is not acknowledged, so it is
    /// never lost.
    func keep() {
        while let batch = state.withLockedValue({ $0.unkept.first }) {
            do {
                if batch.isGap { try database?.declareGap(at: serverTime) }
                try assembly.intake.received(
                    batch.items, place: batch.place, isOffline: batch.isOffline, hasMore: batch.hasMore, client: self)
            } catch {
                settings.logger.error(
                    "received messages could not be saved in the local database; retried every 2 s",
                    metadata: ["error": "\(error)"])
                // Opening the database again renames the damaged file and starts with an empty database; the application is notified of
                // this.
                if error as? ChatDatabaseError == .damaged, let user {
                    closeDatabase()
                    open(for: user)
                }
                sweepSoon()
                return
            }
            if batch.isGap { assembly.intake.missed(since: nil, client: self) }
            state.withLockedValue { state in
                guard !state.unkept.isEmpty else { return }
                state.unkept.removeFirst()
                state.unkeptItems -= batch.items.count
            }
            driver?.submit(.perform(.acknowledge(batch.place), nil))
        }
    }
}
