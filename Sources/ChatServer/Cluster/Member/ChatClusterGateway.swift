import ChatProtocol
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage
import WireCoding

/// One chat application on a node of a cluster: the node's sessions, and access to the leader (rules CC-20 to CC-29).
final class ChatClusterGateway: ChatGateway {
    /// How long a session's request waits for an answer.
    static let callLimit: Duration = .seconds(3)

    let key: String
    /// The number of the application, unique within the node.
    let number: Int
    let slot: MetricSlot
    private let bus: any ClusterBus
    private let standing: NIOLockedValueBox<Standing>
    private let state = NIOLockedValueBox(State())

    private struct Standing: Sendable {
        var settings: ChatApplication
        var isConfigured = true
    }

    private struct State: Sendable {
        var node: (any ChatNode)?
        var sessions = ChatNodeSessions()
        /// Sessions that have ended on this node, while the leader of the cluster has not confirmed their end.
        var departing: Set<UInt64> = []
        /// The positions of inboxes that clients have acknowledged and that have not been sent to the leader of the cluster.
        var acknowledged: [Identifier: UInt64] = [:]
        /// Whether a request to the leader with acknowledged positions has not been answered yet.
        var isTelling = false
    }

    init(_ settings: ChatApplication, number: Int, slot: MetricSlot, bus: any ClusterBus) {
        key = settings.key
        self.number = number
        self.slot = slot
        self.bus = bus
        standing = NIOLockedValueBox(Standing(settings: settings))
    }

    // MARK: Changes by a reload

    var settings: ChatApplication { standing.withLockedValue(\.settings) }

    var refusal: ChatBye? {
        standing.withLockedValue { standing in
            standing.isConfigured ? (standing.settings.isEnabled ? nil : .disabledApplication) : .unknownApplication
        }
    }

    /// - Parameter settings: the settings with the same key; nil when the application is no longer configured.
    func use(_ settings: ChatApplication?) {
        standing.withLockedValue { $0 = Standing(settings: settings ?? $0.settings, isConfigured: settings != nil) }
        guard let refusal else { return }
        state.withLockedValue { state in
            for line in state.sessions.all.compactMap(\.line) { line.mailbox.enqueue(.end(line.connection, refusal)) }
        }
    }

    func use(_ node: any ChatNode) { state.withLockedValue { $0.node = node } }

    private func request(
        _ request: ChatClusterRequest, within limit: Duration? = callLimit, isRepeatable: Bool = true, isQuery: Bool = false,
        completion: @escaping @Sendable (Result<ChatClusterReply, ClusterFailure>) -> Void = { _ in }
    ) {
        bus.request(request, within: limit, isRepeatable: isRepeatable, isQuery: isQuery, completion: completion)
    }
}

// MARK: - Signing in and out

extension ChatClusterGateway {
    func signIn(
        _ hello: ChatHello, _ chat: ChatSessionID, session: String, address: String, line: ChatLine,
        completion: @escaping @Sendable (Result<ChatSessionAdmission, ChatRequestRefusal>) -> Void
    ) {
        let opening = ChatClusterRequest.Opening(
            id: chat.id, name: session, address: address, credentials: ChatSessionCredentials(hello))
        request(.signIn(app: key, opening)) { [self] result in
            switch result {
            case .success(.admitted(let admission)):
                // A reload may have removed the application from the configuration while this node waited for the leader's answer.
                if let bye = refusal {
                    depart(chat.id, leaving: nil)
                    return completion(.failure(ChatRequestRefusal(bye.code, bye.reason)))
                }
                let peer = ChatSessionPeer(
                    session: session, user: admission.user, device: hello.device, address: address, chat: chat, line: line)
                // From now on, changes that the leader of the cluster publishes are delivered to the session.
                state.withLockedValue { $0.sessions.insert(peer) }
                completion(
                    .success(
                        ChatSessionAdmission(application: self, peer: peer, start: admission.start, epoch: admission.epoch)))
            case .success(.refused(let refusal)): completion(.failure(refusal))
            // The leader has not admitted the session, so no sign-out is sent. A sign-out waits without a time limit until a leader answers
            // it. Clients that connect while the cluster has no leader could otherwise cause any number of waiting sign-outs (rule CC-44).
            case .failure(.unavailable), .failure(.overloaded), .failure(.closed): completion(.failure(.undecided))
            case .success, .failure(.unknown):
                // The leader may have admitted the session although its answer is missing, so the session is signed out.
                depart(chat.id, leaving: nil)
                completion(.failure(.undecided))
            }
        }
    }

    func signOut(_ peer: ChatSessionPeer, leaving: Bool?) {
        let place: ChatInboxPlace?? = state.withLockedValue { state in
            guard state.sessions.remove(peer) else { return .none }
            return .some(state.acknowledged.removeValue(forKey: peer.user).map { ChatInboxPlace(user: peer.user, sequence: $0) })
        }
        guard let place else { return }
        if let place { request(.acknowledge(app: key, [place]), within: nil) }
        depart(peer.chat.id, leaving: leaving)
    }

    /// Reports the end of a session to the leader, and repeats the report until a leader answers.
    private func depart(_ session: UInt64, leaving: Bool?) {
        state.withLockedValue { _ = $0.departing.insert(session) }
        request(.signOut(app: key, session: session, leaving: leaving), within: nil) { [self] _ in
            state.withLockedValue { _ = $0.departing.remove(session) }
        }
    }

    func signOutAll() {
        for peer in state.withLockedValue(\.sessions.all) { signOut(peer, leaving: nil) }
    }

    // MARK: Changes from the leader of the cluster

    func apply(_ deliveries: [ChatDelivery]) {
        state.withLockedValue { state in
            guard let node = state.node else { return }
            node.apply(deliveries, of: number, to: &state.sessions)
            for case .room(let frame, let channel, _) in deliveries { node.show(frame, in: channel, of: key) }
        }
    }

    /// The largest number of sessions in one `announce` request.
    private static let announced = 10_000

    func announcement() -> [ByteBuffer] {
        let all = state.withLockedValue { state in state.sessions.all.map(\.chat.id) + state.departing }
        return stride(from: 0, to: max(all.count, 1), by: Self.announced).map { start in
            ChatClusterRequest.announce(app: key, Array(all.clamped(from: start, to: start + Self.announced))).encoded()
        }
    }

    /// Makes all clients of this node reconnect, because the node may have missed changes. Their new sessions continue at the inbox
    /// positions of the old ones.
    func interrupt() {
        let peers = state.withLockedValue { state in
            defer {
                state.sessions = ChatNodeSessions()
                state.departing = []
            }
            return state.sessions.all
        }
        for line in peers.compactMap(\.line) {
            line.mailbox.enqueue(.end(line.connection, .interrupted(after: Int.random(in: 100...5_000))))
        }
    }
}

// MARK: - Calls of sessions

extension ChatClusterGateway {
    func perform(
        _ request: ChatRequest, _ number: UInt64, read frame: UnsafeRawBufferPointer, by peer: ChatSessionPeer,
        reply: @escaping @Sendable (ByteBuffer) -> Void
    ) {
        let perform = ChatClusterRequest.perform(app: key, session: peer.chat.id, number: number, frame: ByteBuffer(bytes: frame))
        self.request(perform, isQuery: request.spending == .query) { [self] in answer($0, to: number, reply: reply) }
    }

    func refuse(
        _ number: UInt64, _ refusal: ChatRequestRefusal, to peer: ChatSessionPeer, reply: @escaping @Sendable (ByteBuffer) -> Void
    ) {
        request(.refuse(app: key, session: peer.chat.id, number: number, refusal)) { [self] in
            answer($0, to: number, reply: reply)
        }
    }

    private func answer(
        _ result: Result<ChatClusterReply, ClusterFailure>, to number: UInt64, reply: @Sendable (ByteBuffer) -> Void
    ) {
        guard case .success(.frame(let frame, let isSent)) = result else {
            return reply(ChatWire.answer(number, .failure(.undecided)))
        }
        if isSent { state.withLockedValue(\.node)?.countMessage(at: slot) }
        reply(frame)
    }

    func acknowledge(_ sequence: UInt64, by user: Identifier) {
        let isFirst = state.withLockedValue { state in
            state.acknowledged[user] = max(sequence, state.acknowledged[user] ?? 0)
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if isFirst { tellAcknowledged() }
    }

    /// Sends acknowledged positions to the leader, one request at a time. Positions that arrive while a request waits for its answer are
    /// sent together with the next request.
    private func tellAcknowledged() {
        let places = state.withLockedValue { state in
            defer { state.acknowledged = [:] }
            if state.acknowledged.isEmpty { state.isTelling = false }
            return state.acknowledged.map { ChatInboxPlace(user: $0.key, sequence: $0.value) }
        }
        guard !places.isEmpty else { return }
        request(.acknowledge(app: key, places), within: nil) { [self] result in
            if case .failure(.closed) = result { return }
            tellAcknowledged()
        }
    }

    func tellTyping(_ type: String, to user: Identifier, by peer: ChatSessionPeer) {
        request(.typing(app: key, session: peer.chat.id, to: user, type: type), isRepeatable: false)
    }

    func tellPresence(to peer: ChatSessionPeer) {
        guard settings.hasPresence else { return }
        // The request is repeated until a leader answers it. Without it, the session would never get the status of users who are online
        // already.
        request(.presence(app: key, session: peer.chat.id), within: nil)
    }

    func readInbox(of user: Identifier, after sequence: UInt64, for line: ChatLine) {
        request(.inbox(app: key, user: user, after: sequence), isQuery: true) { result in
            guard case .success(.page(var page, let next)) = result else {
                _ = line.mailbox.enqueue(.page(line.connection, nil))
                return
            }
            // The entry after the page has no body: it only shows that more entries follow.
            if let next { page.append(ChatInboxEntry(sequence: next, body: [])) }
            line.mailbox.enqueue(.page(line.connection, page))
        }
    }
}

extension ChatRequestRefusal {
    /// The refusal of a request that the leader may or may not have processed. Clients retry. If the leader had accepted a message, it
    /// recognises the repetition by the client's message id.
    static let undecided = ChatRequestRefusal(
        .storageFailed, "The server cannot reach the leader of its cluster: try again later.", retryAfter: 1_000)
}
