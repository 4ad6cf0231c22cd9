import ChatProtocol
import Identifiers
import WireCoding

/// What the test service stores about one connected chat client.
struct ChatPeer: Sendable {
    /// The client's user id; nil until the service has accepted the client's token and sent a welcome.
    var user: String?
    /// The open channels that the client has entered and not left.
    var inside: Set<Identifier> = []
}

/// The inbox of a chat user: the events for the user's devices, in order.
struct TestInbox: Sendable {
    var items: [(sequence: UInt64, body: [UInt8])] = []
    var last: UInt64 = 0
    /// The highest event number that any of the user's devices has acknowledged.
    var acknowledged: UInt64 = 0
    /// Whether events were dropped that no device has received. The next welcome reports this to the client.
    var hasLost = false

    /// Drops all events of the inbox, including events that no device has received.
    mutating func lose() {
        items = []
        last += 1
        hasLost = true
    }
}

/// Identifies a conversation, to find its messages in the service's history. A direct conversation has the same key for both users: the two
/// user ids, sorted. Every other conversation is identified by its own id.
struct ConversationKey: Hashable, Sendable {
    let word: String
    let ids: [Identifier]

    init(_ conversation: ChatConversationKind, from: String, to: String) {
        word = conversation.word
        ids = conversation == .direct ? [Identifier(from), Identifier(to)].sorted() : [Identifier(to)]
    }
}

/// A stored message of a conversation.
struct ChatEntry: Sendable {
    let id: UInt64
    let body: [UInt8]
}

extension ServiceState {
    /// Milliseconds since 1970.
    var chatTime: Int64 { Int64(latestTick / 10_000) }

    private static let epoch = "test"
    /// The prefix of a test service's tokens; the user id follows it.
    static let tokenPrefix = "test-token-of-"

    func chat(_ id: UInt64) -> ChatPeer? {
        if case .chat(let peer) = sockets[id]?.peer { peer } else { nil }
    }

    mutating func update(chat id: UInt64, _ change: (inout ChatPeer) -> Void) {
        guard var peer = chat(id) else { return }
        change(&peer)
        sockets[id]?.peer = .chat(peer)
    }

    /// The ids of the open sockets on which a user is signed in.
    func chatSockets(of user: String) -> [UInt64] {
        openSockets.filter { socket in
            if case .chat(let peer) = socket.peer { peer.user?.isExactly(user) ?? false } else { false }
        }.map(\.id)
    }

    /// All users who have ever signed in, sorted by user id.
    var chatUsers: [String] { inboxes.keys.map(\.text).sorted() }

    mutating func receivedChat(_ id: UInt64, _ text: [UInt8]) {
        let frame = text.withUnsafeBytes { bytes in try? ChatClientFrame(parsing: bytes) }
        switch frame {
        case .hello(let hello): welcome(id, hello)
        case .request(let request, let number):
            guard let user = chat(id)?.user else { return }
            switch answer(request, of: user, on: id) {
            case .success(let result): tell(id, ChatServerFrames.ok(number, result))
            case .failure(let refusal): tell(id, ChatServerFrames.no(number, refusal))
            case nil: return
            }
        case .acknowledge(let sequence):
            guard let user = chat(id)?.user else { return }
            let known = inboxes[Identifier(user)]?.acknowledged ?? 0
            inboxes[Identifier(user)]?.acknowledged = max(known, sequence)
        case .typing(let to, let type):
            guard let user = chat(id)?.user else { return }
            let event = ChatWireEvent.typing(from: user, to: to, type: type, time: chatTime)
            for other in chatSockets(of: to) { tell(other, ChatServerFrames.transient(event.body)) }
        case .leave, nil: return
        }
    }

    private mutating func welcome(_ id: UInt64, _ hello: ChatHello) {
        if case .refusing(let refusal) = mode, let bye = Self.bye(refusal) { return end(id, bye) }
        guard hello.token.hasPrefix(Self.tokenPrefix) else {
            let reason = "The access token was not made by the test service. Connect with service.token(for: \"ann\")."
            return end(id, ChatBye(code: .tokenIncorrect, reason: reason))
        }
        let user = String(hello.token.dropFirst(Self.tokenPrefix.count))
        update(chat: id) { $0.user = user }
        var inbox = inboxes[Identifier(user)] ?? TestInbox()
        let isResumed = hello.resume?.epoch == Self.epoch
        let start = isResumed ? hello.resume?.sequence ?? 0 : inbox.acknowledged
        inbox.acknowledged = max(inbox.acknowledged, start)
        let hasLost = inbox.hasLost
        inbox.hasLost = false
        inboxes[Identifier(user)] = inbox
        let place = ChatPlace(epoch: Self.epoch, sequence: hasLost ? inbox.last : start)
        tell(
            id,
            ChatServerFrames.welcome(
                ChatWelcome(
                    user: user, session: "session-\(id)", time: chatTime, place: place, isResumed: isResumed, hasLost: hasLost)))
        let missed = inbox.items.filter { $0.sequence > place.sequence }
        tell(id, ChatServerFrames.package(missed, hasMore: false))
    }

    /// Sends a `bye` with the reason for the end of the session, and closes the connection.
    mutating func end(_ id: UInt64, _ bye: ChatBye) {
        tell(id, ChatServerFrames.bye(bye))
        close(id, .closeFrame(bye.mayRetry ? 4001 : 4000, bye.reason))
    }

    private static func bye(_ refusal: Refusal) -> ChatBye? {
        switch refusal {
        case .unknownKey: ChatBye(code: .unknownApplication, reason: "There is no application with this key.")
        case .invalidToken: ChatBye(code: .tokenIncorrect, reason: "TestService.refuse(_:) refuses the access token.")
        case .unreachable, .overloaded: nil
        }
    }

    /// Adds an event to the inbox of a user, and delivers it to the user's connected devices.
    mutating func put(_ body: [UInt8], for user: String) {
        var inbox = inboxes[Identifier(user)] ?? TestInbox()
        inbox.last += 1
        inbox.items.append((inbox.last, body))
        inboxes[Identifier(user)] = inbox
        for id in chatSockets(of: user) { tell(id, ChatServerFrames.event(body, sequence: inbox.last)) }
    }

    /// Sends an event to all clients that have entered an open channel, except the socket `sender`.
    mutating func tellChat(_ event: ChatWireEvent, inside channel: String, but sender: UInt64? = nil) {
        let frame = ChatServerFrames.transient(event.body)
        for socket in openSockets where socket.id != sender {
            if case .chat(let peer) = socket.peer, peer.inside.contains(Identifier(channel)) { tell(socket.id, frame) }
        }
    }

    /// Delivers a message of another user to the chat channel `name`: `direct:USER`, `group:ID`, `system:ID` or an open channel.
    mutating func deliverChat(_ json: String, type: String?, on name: String, from: String?) {
        let (conversation, id) = Self.chatChannel(name)
        let sender = conversation == .direct || conversation == .system ? id : from ?? "somebody"
        let isObject = json.utf8.first == UInt8(ascii: "{")
        func message(to: String, _ tick: UInt64) -> ChatMessage {
            ChatMessage(
                id: ChatMessageID(rawValue: tick), conversation: conversation, from: sender, to: to,
                type: type ?? "RC:TxtMsg", content: Array((isObject ? json : "{\"content\":\(json)}").utf8))
        }
        switch conversation {
        case .open:
            let sent = message(to: id, nextTick())
            keep(sent)
            tellChat(.message(sent), inside: id)
        case .group:
            let sent = message(to: id, nextTick())
            keep(sent)
            for user in channel(name, { $0.members.map(\.id) }) where !user.isExactly(sender) && inboxes[Identifier(user)] != nil
            {
                put(sent.body, for: user)
            }
        case .direct, .system:
            for user in chatUsers where !user.isExactly(sender) {
                let sent = message(to: user, nextTick())
                keep(sent)
                put(sent.body, for: user)
            }
        }
    }

    mutating func keep(_ message: ChatMessage) {
        let key = ConversationKey(message.conversation, from: message.from, to: message.to)
        chatHistory[key, default: []].append(ChatEntry(id: message.id.rawValue, body: message.body))
    }

    /// Splits a channel name of the client API into chat's kind of conversation and its id.
    static func chatChannel(_ name: String) -> (ChatConversationKind, String) {
        guard let colon = name.firstIndex(of: ":"), let known = ChatConversationKind(word: String(name[..<colon])) else {
            return (.open, name)
        }
        return (known, String(name[name.index(after: colon)...]))
    }
}
