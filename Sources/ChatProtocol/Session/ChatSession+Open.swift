import ConnectionEngine
import Identifiers
import WireCoding

// Open channels: entering and leaving them, also after reconnects (rules NS-18 to NS-22).
extension ChatSession {
    /// The state of an open channel on this connection.
    struct OpenState: Sendable {
        /// The number of the unanswered request to enter the channel; nil if there is none.
        var request: UInt64?
        /// Whether `request` asks only for messages after the last one that was received on an earlier connection.
        var isRenewal = false
        /// Whether the user has entered the channel on this connection.
        var isInside = false
        /// Messages that arrived before the answer to the first request to enter. They are reported after the answer.
        var held: [ChatMessage] = []
        /// The ids of the messages in the latest answer to a request to enter the channel. Messages with these ids are dropped when they
        /// arrive again.
        var known: Set<ChatMessageID> = []
    }

    /// The largest number of messages that are held for a channel that is being entered.
    static let heldLimit = 1_000

    mutating func enter(
        _ entry: ChatEntryRequest, id: RequestID?, memory: inout ChatMemory, out: inout Actions
    ) {
        guard Self.want(entry, id: id, memory: &memory, out: &out), isWelcome else { return }
        // Another request to enter the channel is in progress. Its answer will answer this command, too.
        if open[entry.channel]?.request != nil { return }
        ask(entry, isRenewal: false, out: &out)
    }

    /// Records that the user wants to be in an open channel. Returns false when no server would accept the request; the function has then
    /// answered the request with a failure.
    static func want(
        _ entry: ChatEntryRequest, id: RequestID?, memory: inout ChatMemory, out: inout Actions
    ) -> Bool {
        guard ChatProtocolLimits.accepts(id: entry.channel), ChatProtocolLimits.entryMessages.contains(entry.count) else {
            let reason = "The id of an open channel must have 1 to 64 characters, and entering it may request 0 to 50 messages."
            out.answer(id, .failure(ConnectionFailure(chat: .badArgument, .badRequest, reason, origin: .local)))
            return false
        }
        var wanted = memory.entries[entry.channel] ?? WantedEntry(entry: entry)
        wanted.entry = entry
        wanted.waiters.removeAll { !out.isAwaited($0) }
        if let id { wanted.waiters.append(id) }
        memory.entries[entry.channel] = wanted
        return true
    }

    /// Enters a channel on a new connection, and continues after the last received message.
    mutating func renew(_ name: String, memory: inout ChatMemory, out: inout Actions) {
        guard let wanted = memory.entries[name] else { return }
        ask(wanted.renewal, isRenewal: wanted.wasIn, out: &out)
    }

    private mutating func ask(_ entry: ChatEntryRequest, isRenewal: Bool, out: inout Actions) {
        let number = ask(.enter(entry), kind: .enter(entry.channel), out: &out)
        open[entry.channel, default: OpenState()].request = number
        open[entry.channel]?.isRenewal = isRenewal
    }

    mutating func entered(
        _ name: String, number: UInt64, answer: ChatAnswer, memory: inout ChatMemory, out: inout Actions
    ) {
        guard let state = open[name], state.request == number, var wanted = memory.entries[name] else { return }
        guard var entrance = answer.entrance(of: name) else {
            let refusal = ChatRequestRefusal(.noAcknowledgement, "The server's answer has no data of the open channel.")
            entryRefused(name, number: number, refusal: refusal, memory: &memory, out: &out)
            return
        }
        let (waiters, lostAt) = (wanted.waiters, wanted.lostAt)
        let isTold = state.isRenewal || waiters.isEmpty
        if isTold, wanted.wasIn, let lastSeen = wanted.lastSeen { entrance.messages.removeAll { $0.id <= lastSeen } }
        wanted.waiters = []
        wanted.lostAt = nil
        wanted.wasIn = true
        // After a reconnect, the session requests the messages after `lastSeen`. If no message was received, `lastSeen` is the time of
        // entering. For a user who returns within the grace period, the server gives a time of entering before this connection, so
        // `lastSeen` is at least the time of the welcome.
        let start = ChatMessageID(milliseconds: max(entrance.entered, welcomedAt))
        wanted.lastSeen = ([wanted.lastSeen, entrance.messages.last?.id].compactMap { $0 } + [start]).max()
        memory.entries[name] = wanted
        open[name] = OpenState(isInside: true, known: Set(entrance.messages.map(\.id)))

        if state.isRenewal, entrance.hasMore || isForgetful { out.emit(.openGap(channel: name, since: lostAt)) }
        if isTold {
            out.emit(.reentered(entrance))
            // The event `reentered` has reported these messages, so the callers that wait for the answer get it without messages.
            entrance.messages = []
        }
        for id in waiters { out.answer(id, .success(.entered(entrance))) }
        for other in entrance.left { leave(other, memory: &memory, out: &out) }
        for message in state.held { openMessage(message, memory: &memory, out: &out) }
    }

    mutating func entryRefused(
        _ name: String, number: UInt64, refusal: ChatRequestRefusal, memory: inout ChatMemory, out: inout Actions
    ) {
        guard open[name]?.request == number else { return }
        open[name] = nil
        guard let wanted = memory.entries.removeValue(forKey: name) else { return }
        if wanted.wasIn || wanted.waiters.isEmpty { out.emit(.entryFailed(channel: name, refusal)) }
        for id in wanted.waiters { out.answer(id, .failure(ConnectionFailure(refusal))) }
    }

    /// Handles a request to enter a channel that was not answered in time (rule NS-21).
    mutating func entryOverdue(
        _ name: String, number: UInt64, memory: inout ChatMemory, out: inout Actions
    ) {
        guard open[name]?.request == number, let wanted = memory.entries[name] else { return }
        if wanted.wasIn {
            ask(wanted.renewal, isRenewal: true, out: &out)
            return
        }
        // The request is withdrawn by leaving the channel. Otherwise the user could be in a channel for which every caller got a failure.
        Self.send(.request(.exit(name), number: nextNumber()), out: &out)
        let refusal = ChatRequestRefusal(
            .noAcknowledgement,
            "The server did not answer the request to enter the open channel within \(out.timing.request.inSeconds) s.")
        open[name] = nil
        memory.entries.removeValue(forKey: name)
        if wanted.waiters.isEmpty { out.emit(.entryFailed(channel: name, refusal)) }
        for id in wanted.waiters { out.answer(id, .failure(Self.unanswered)) }
    }

    mutating func exit(_ name: String, id: RequestID?, memory: inout ChatMemory, out: inout Actions) {
        Self.forget(name, memory: &memory, out: &out)
        if open.removeValue(forKey: name) != nil {
            Self.send(.request(.exit(name), number: nextNumber()), out: &out)
        }
        out.answer(id, .success(.done))
    }

    static func forget(_ name: String, memory: inout ChatMemory, out: inout Actions) {
        guard let wanted = memory.entries.removeValue(forKey: name) else { return }
        for id in wanted.waiters {
            out.answer(
                id, .failure(ConnectionFailure(.cancelled, "The client left the open channel before entering it was complete.")))
        }
    }

    /// Handles an event that the server does not store.
    mutating func transient(_ event: ChatWireEvent, memory: inout ChatMemory, out: inout Actions) {
        guard isWelcome else { return }
        switch event {
        case .message(let message) where message.conversation == .open:
            openMessage(message, memory: &memory, out: &out)
            return
        case .openDestroyed(let name, _, _):
            lose(name, code: .noSuchOpenChannel, memory: &memory, out: &out)
        case .openSync(let name, isJoin: false, isOtherDevice: true):
            out.emit(.transient(event))
            leave(name, memory: &memory, out: &out)
            return
        case .openBan(let name, let users, _, _):
            if let user = memory.user, users.contains(where: { $0.isExactly(user) }) {
                lose(name, code: .bannedFromOpenChannel, memory: &memory, out: &out)
            }
        default:
            break
        }
        out.emit(.transient(event))
    }

    /// Handles the user's leaving of a channel that was caused by entering another channel, on this device or on another device of the
    /// user.
    private mutating func leave(_ name: String, memory: inout ChatMemory, out: inout Actions) {
        guard memory.entries[name] != nil else { return }
        lose(name, code: .notInOpenChannel, memory: &memory, out: &out)
        out.emit(
            .entryFailed(
                channel: name, ChatRequestRefusal(.notInOpenChannel, "The user left this open channel by entering another one."))
        )
    }

    /// Handles a channel that the user has left, and that is not entered again automatically.
    private mutating func lose(
        _ name: String, code: ChatErrorCode, memory: inout ChatMemory, out: inout Actions
    ) {
        open[name] = nil
        guard let wanted = memory.entries.removeValue(forKey: name) else { return }
        let refusal = ChatRequestRefusal(code, "The user has left the open channel, or was removed from it.")
        for id in wanted.waiters { out.answer(id, .failure(ConnectionFailure(refusal))) }
    }

    /// Reports a message of an open channel. Messages of other channels are ignored. Messages that arrive before the answer to `open.enter`
    /// are held until then. No message is reported twice.
    private mutating func openMessage(
        _ message: ChatMessage, memory: inout ChatMemory, out: inout Actions
    ) {
        guard let state = open[message.to], !state.known.contains(message.id) else { return }
        guard state.isInside else {
            if state.held.count < Self.heldLimit { open[message.to]?.held.append(message) }
            return
        }
        // Only messages that are in the history advance `lastSeen`. A message that is not in the history may arrive before an older one
        // that is.
        if message.options.isPersisted, !message.options.isStatus {
            let lastSeen = memory.entries[message.to]?.lastSeen ?? message.id
            memory.entries[message.to]?.lastSeen = max(lastSeen, message.id)
        }
        out.emit(.transient(.message(message)))
    }
}

extension ChatMessageID {
    /// The lowest id that a message of this millisecond can have.
    fileprivate init(milliseconds: Int64) {
        let (value, isTooLarge) = UInt64(max(milliseconds, 0)).multipliedReportingOverflow(by: 10_000)
        self.init(rawValue: isTooLarge ? 0 : value)
    }
}
