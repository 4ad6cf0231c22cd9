import ChatProtocol
import ConnectionEngine
import WireCoding

// Single requests to the chat service. A request needs a connection; only publishing waits for one.
extension ChatAdapter {
    /// Publishes a message. Without a connection the message waits. It is sent again after a lost connection, and the server delivers it
    /// once (rule NP-27).
    func publish(_ publication: Publication) async throws(LifelineError) -> PublishOutcome {
        let draft = try Self.draft(of: publication)
        let expiry = ChatExpiry(driver: driver, timers: timers)
        expiry.start(after: sendLimit)
        defer { expiry.stop() }
        do throws(ConnectionFailure) {
            let reply = try await driver.perform(.send(draft)) { [weak self] result in
                if case .success(.sent(let sent)) = result { self?.take(draft, sent) }
            }
            guard case .sent(let sent) = reply else {
                return .unknown(
                    LifelineError(
                        .init(.unknown),
                        "The server's answer to the published message has no message id, so its outcome is unknown."))
            }
            return .accepted(id: sent.id.description)
        } catch {
            // Rule LL-67.
            let isOpen = error.category == .unknown || (error.category == .cancelled && error != .withdrawnByCaller)
            return isOpen ? .unknown(LifelineError(error)) : .refused(LifelineError(error))
        }
    }

    func check(_ publication: Publication) throws(LifelineError) { _ = try Self.draft(of: publication) }

    /// The two room names of an open channel (rule NP-23), because only users who have entered an open channel may publish to it. Empty for
    /// other channels, to which users publish without a subscription.
    func roomsOfPublishers(to channel: String) -> [String] {
        // Publishing itself refuses invalid names, so the error is ignored here.
        guard let place = try? ChatChannel(name: channel), place.conversation == .open else { return [] }
        return [place.id, "\(place.conversation.word):\(place.id)"].filter { (try? ChatChannel(name: $0)) == place }
    }

    static func draft(of publication: Publication) throws(LifelineError) -> ChatMessageDraft {
        let channel = try ChatChannel(name: publication.channel)
        try checkPublishing(to: channel)
        let isObject = publication.json.utf8.first == UInt8(ascii: "{")
        let content = isObject ? publication.json : "{\"content\":\(publication.json)}"
        var options = ChatMessageOptions()
        if let isStored = publication.options.isStored { options.isPersisted = isStored }
        let draft = ChatMessageDraft(
            clientID: publication.id ?? ChatAdapterSettings.randomID(), conversation: channel.conversation, to: channel.id,
            type: publication.event == Message.defaultEvent ? ChatAdapterSettings.textType : publication.event,
            content: Array(content.utf8), options: options)
        if let problem = ChatProtocolLimits.problem(of: draft) {
            throw LifelineError(.badRequest, problem.reason, number: problem.code.rawValue)
        }
        return draft
    }

    /// Loads one page of the history with one request (rule LL-20).
    func history(of channel: String, _ request: HistoryRequest) async throws(LifelineError) -> HistoryPage {
        var question = ChatHistoryRequest(
            try ChatChannel(name: channel), limit: min(request.limit, ChatProtocolLimits.page.upperBound))
        if let before = request.before {
            guard let id = ChatMessageID(before) else { throw .notAnID }
            question.place = .before(id)
        }
        guard let page = try await answer(to: .history(question)).history else { throw Self.unreadable }
        let now = clock()
        return HistoryPage(
            messages: page.messages.reversed().map { Message($0, in: channel, at: now) },
            older: page.hasMore ? page.messages.last?.id.description : nil)
    }

    func members(of channel: String) async throws(LifelineError) -> [Member] {
        try check(.members, of: channel)
        let place = try ChatChannel(name: channel)
        if place.conversation == .group { return try await groupMembers(of: place.id) }
        guard let info = try await answer(to: Self.question(about: place.id)).openInfo else { throw Self.unreadable }
        return info.members.map { Member(id: $0.user) }
    }

    /// Rule LL-87.
    func check(_ feature: ChannelFeature, of channel: String) throws(LifelineError) {
        let place = try ChatChannel(name: channel)
        switch feature {
        case .subscribing, .history, .resuming: break
        case .publishing: try Self.checkPublishing(to: place)
        case .presence:
            guard hasPresence(channel) else {
                throw .unsupported(feature: "presence on channel \(channel)", service: serviceName)
            }
        case .ownPresenceData: throw noOwnPresence
        // Reactions are not supported: they could be stored only as message metadata, which has no owner, so every user with access to the
        // metadata could add a reaction in another user's name.
        case .reactions: throw noReactions
        case .typing:
            guard place.conversation == .direct else {
                throw .unsupported(feature: "typing indicator outside of direct channels", service: serviceName)
            }
        case .members:
            guard place.conversation == .open || place.conversation == .group else {
                throw .unsupported(feature: "question who is on a direct or system channel", service: serviceName)
            }
        default: throw unknown(feature)
        }
    }

    /// Sends a typing indicator (rule LL-123). Sends nothing when the user stops typing, because the chat protocol has no message for that.
    func sendTyping(_ isTyping: Bool, in channel: String) async throws(LifelineError) {
        try check(.typing, of: channel)
        let place = try ChatChannel(name: channel)
        try checkConnected()
        if isTyping { driver.submit(.perform(.typing(to: place.id, type: ChatAdapterSettings.textType), nil)) }
    }

    private static func checkPublishing(to channel: ChatChannel) throws(LifelineError) {
        guard channel.conversation != .system else {
            throw .unsupported(feature: "publishing to system channels", service: ChatAdapterSettings.serviceName)
        }
    }

    private func groupMembers(of group: String) async throws(LifelineError) -> [Member] {
        var members: [Member] = []
        var request = ChatMembersRequest(group, limit: ChatProtocolLimits.page.upperBound)
        // At most 1,000 pages, which is 100,000 members: more than a group can have (rule NP-32).
        for _ in 0..<1_000 {
            guard let page = try await answer(to: .groupMembers(request)).members else { throw Self.unreadable }
            members += page.members.map { Member(id: $0.user, info: #"{"role":"\#($0.role.rawValue)"}"#) }
            guard page.hasMore, let last = page.members.last?.user, last != request.after else { return members }
            request.after = last
        }
        throw Self.unreadable
    }

    private func answer(to request: ChatRequest) async throws(LifelineError) -> ChatAnswer {
        do throws(ConnectionFailure) {
            guard case .answer(let answer) = try await driver.perform(.request(request)) else { throw ConnectionFailure.noAnswer }
            return answer
        } catch {
            throw LifelineError(error)
        }
    }

    static func question(about openChannel: String) -> ChatRequest {
        .openInfo(openChannel, limit: ChatProtocolLimits.openInfo.upperBound)
    }

    /// The members in the answer to `openInfo`; empty for any other answer.
    static func members(in reply: ChatReply) -> [Member] {
        guard case .answer(let answer) = reply else { return [] }
        return answer.openInfo?.members.map { Member(id: $0.user) } ?? []
    }

    private static let unreadable = LifelineError(
        .init(.malformedResponse),
        "The chat server's answer lacks fields that the request needs. Check that the server supports this chat API.")
}

extension ConnectionFailure {
    fileprivate static let noAnswer = ConnectionFailure(
        .malformedResponse,
        "The chat server's answer belongs to another kind of request. Check that the server supports this chat API.",
        origin: .server)
}

extension ChatAdapterSettings {
    /// The chat message type of messages that are published without an event name.
    static let textType = "RC:TxtMsg"
}
