import ChatProtocol
import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage
import ServerValues

/// Decides the requests of all chat applications of a cluster. It runs the same code as a single server, on the cluster's stored state and
/// with the sessions of all nodes (rules CC-1 to CC-9).
final class ChatClusterLeader: ClusterLeader {
    typealias Reply = @Sendable (ByteBuffer) -> Void

    let chat: LocalChat
    private let log: ChatClusterLog
    private let nodes: ChatNodeNumbers
    private let remote: RemoteChatNodes
    /// The server (node) whose metrics count messages that no session has sent, such as those of the server API; nil if no server counts
    /// them.
    private let counting: (any ChatNode)?
    private let logger: Logger
    private let parser = NIOLockedValueBox(ChatClientFrameParser(rememberedNames: 256))
    private let sweeping = NIOLockedValueBox<RepeatedTask?>(nil)

    init(
        _ chat: LocalChat, log: ChatClusterLog, nodes: ChatNodeNumbers, countingAt counting: (any ChatNode)?,
        on eventLoop: any EventLoop, logger: Logger
    ) {
        self.counting = counting
        self.chat = chat
        self.log = log
        self.nodes = nodes
        self.logger = logger
        remote = RemoteChatNodes(eventLoop: eventLoop)
        chat.join(remote)
    }

    func startSweeping(each interval: TimeAmount, on eventLoop: any EventLoop) {
        let task = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [chat, remote, log] _ in
            chat.sweep(by: remote)
            let expired = log.journal.expire()
            guard !expired.isEmpty else { return }
            for application in chat.applications {
                if let count = expired[Identifier(application.key)] { application.webhooks.countExpired(count) }
            }
        }
        sweeping.withLockedValue { $0 = task }
    }

    var isOpen: Bool { log.isOpen }

    func prepareToResign() async {
        await withTaskGroup(of: Void.self) { group in
            for application in chat.applications { group.addTask { await application.webhooks.hold() } }
        }
        await log.journal.settle()
    }

    func close() async {
        sweeping.withLockedValue { $0 }?.cancel()
        log.close()
        await withTaskGroup(of: Void.self) { group in
            for application in chat.applications {
                let former = application.webhooks.use(nil)
                group.addTask { await application.webhooks.close(former) }
            }
        }
    }

    // MARK: Applications

    /// Restores the stored sessions and presence of an application, before it accepts requests.
    func restoreLive(_ application: ServedChatApplication) async throws {
        let (sessions, live) = try await log.store.live(of: Identifier(application.key))
        application.restore(sessions, live: live, nodes: nodes)
    }

    /// Ends the sessions of users whose inboxes have unpublished entries. A former leader has stored these entries, and has ended before it
    /// could publish them. The clients reconnect and read these entries (rule CC-36).
    ///
    /// - Parameter inboxes: the last position of each inbox.
    func endUntold(
        _ application: ServedChatApplication, _ inboxes: [Identifier: (last: UInt64, acknowledged: UInt64)]
    ) async throws {
        let peers = application.withAudience { $0.only.all }
        let users = Array(Set(peers.map(\.user)))
        let told = try await log.store.toldPlaces(of: users, Identifier(application.key))
        let untold = Set(zip(users, told).filter { inboxes[$0]?.last ?? 0 > $1 }.map(\.0))
        for peer in peers where untold.contains(peer.user) {
            application.end([peer.chat], .interrupted(after: Int.random(in: 100...5_000)))
        }
    }

    /// Applies changed application settings from now on. Stored sessions of an added application are removed. The nodes announced these
    /// sessions before this leader served the application, so the leader has already had them ended on the nodes.
    func take(_ settings: [ChatApplication]) async throws {
        let reload = try await chat.prepare(settings)
        let known = nodes.all
        for application in reload.new {
            // CC-7: sessions are restored on a node of the application, because an application without nodes could not sign them out.
            application.withAudience { $0.join(remote) }
            try await restoreLive(application)
        }
        chat.take(reload)
        for application in reload.new { await application.signOut(remote) }
        nodes.releaseSilent(since: known)
    }

    // MARK: Requests

    func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping Reply) {
        do throws(ClusterCodingError) {
            try handle(try ChatClusterRequest(decoding: request), from: node, reply)
        } catch {
            logger.error(
                "a chat request of another node cannot be decoded: run the same version on all nodes",
                metadata: ["node": "\(node)"])
            reply(ChatClusterReply.done.encoded())
        }
    }

    private func handle(
        _ request: ChatClusterRequest, from node: ClusterNode, _ reply: @escaping Reply
    ) throws(ClusterCodingError) {
        let answer: @Sendable (ChatClusterReply) -> Void = { reply($0.encoded()) }
        switch request {
        case .signIn(let app, let opening): signIn(opening, app, from: node, answer)
        case .signOut(let app, let session, let leaving):
            if let (application, peer) = find(session, app) { application.signOut(peer, leaving: leaving) }
            answer(.done)
        case .perform(let app, let session, let number, let frame):
            guard let (application, peer) = find(session, app) else { return answer(.refusal(number, .notStored)) }
            perform(frame, number, by: peer, of: application, answer)
        case .refuse(let app, let session, let number, let refusal):
            guard let (application, peer) = find(session, app) else { return answer(.refusal(number, refusal)) }
            application.refuse(number, refusal, to: peer) { answer(.frame($0, isSent: false)) }
        case .acknowledge(let app, let places):
            if let application = application(app) {
                for place in places { application.acknowledge(place.sequence, by: place.user) }
            }
            answer(.done)
        case .typing(let app, let session, let user, let type):
            if let (application, peer) = find(session, app) { application.tellTyping(type, to: user, by: peer) }
            answer(.done)
        case .presence(let app, let session):
            if let (application, peer) = find(session, app) { application.tellPresence(to: peer) }
            answer(.done)
        case .inbox(let app, let user, let sequence):
            guard let application = application(app) else { return answer(.unreadable) }
            application.readInbox(of: user, after: sequence) { answer(ChatClusterReply($0)) }
        case .call(let request):
            ChatAPI(backend: chat, node: counting).answer(request) { answer(.answer($0)) }
        case .issueCall(let request, let hash):
            ChatAPI(backend: chat, node: counting, tokenHash: hash).answer(request) { answer(.answer($0)) }
        case .issueToken, .publish: performOther(request, answer)
        case .announce: throw ClusterCodingError()
        }
    }

    private func application(_ key: String) -> ServedChatApplication? { chat.application(key: Identifier(key)) }

    /// Finds a signed-in session, even if its application is no longer served.
    private func find(_ session: UInt64, _ key: String) -> (ServedChatApplication, ChatSessionPeer)? {
        let application = application(key) ?? chat.applications.first { Identifier($0.key) == Identifier(key) }
        guard let application, let peer = application.withAudience({ $0.only.peer(session) }) else { return nil }
        return (application, peer)
    }

    private func signIn(
        _ opening: ChatClusterRequest.Opening, _ app: String, from node: ClusterNode,
        _ answer: @escaping @Sendable (ChatClusterReply) -> Void
    ) {
        guard let application = application(app) else {
            return answer(.refused(ChatRequestRefusal(.unknownApplication, ChatBye.unknownApplication.reason)))
        }
        guard let number = nodes.number(of: node) else {
            return answer(.refused(ChatRequestRefusal(.tooManyConnections, ChatBye.full.reason)))
        }
        application.signIn(
            opening.credentials, ChatSessionID(id: opening.id, eventLoopID: number), session: opening.name,
            address: opening.address, line: nil
        ) { result in
            switch result {
            case .failure(let refusal): answer(.refused(refusal))
            case .success(let admission):
                answer(
                    .admitted(
                        ChatClusterReply.Admission(user: admission.peer.user, epoch: admission.epoch, start: admission.start)))
            }
        }
    }

    private func perform(
        _ frame: ByteBuffer, _ number: UInt64, by peer: ChatSessionPeer, of application: ServedChatApplication,
        _ answer: @escaping @Sendable (ChatClusterReply) -> Void
    ) {
        let parsed = frame.withUnsafeReadableBytes { bytes in
            parser.withLockedValue { parser in
                Result { () throws(ChatFrameError) in try parser.parse(bytes) }
            }
        }
        guard case .success(.request(let request, _)) = parsed else { return answer(.refusal(number, .unknown)) }
        application.perform(request, by: .session(peer)) { result in
            var isSent = false
            if case .success(.sent) = result { isSent = true }
            answer(.frame(ChatWire.answer(number, result), isSent: isSent))
        }
    }

    private func performOther(_ request: ChatClusterRequest, _ answer: @escaping @Sendable (ChatClusterReply) -> Void) {
        switch request {
        case .issueToken(let app, let hash, let user, let name):
            guard let application = application(app) else {
                return answer(.refused(ChatRequestRefusal(.unknownApplication, ChatBye.unknownApplication.reason)))
            }
            application.change(
                { state, change in
                    try state.issueToken(hash: hash, to: user, name: name, avatar: nil, at: change.now, into: &change.commit)
                    return ChatResult.done
                },
                reply: { result in
                    if case .failure(let refusal) = result { answer(.refused(refusal)) } else { answer(.done) }
                })
        case .publish(let app, let channel, let type, let content, let service, let user):
            let draft = ChatMessageDraft(clientID: "", conversation: .open, to: channel, type: type, content: content)
            application(app)?.send(
                draft, by: .bridge(service: service, user: user), options: ChatSendOptions(node: counting)
            ) { _ in }
            answer(.done)
        default: answer(.done)
        }
    }

    // MARK: Nodes

    func announced(_ requests: [ByteBuffer], by node: ClusterNode) {
        var announced: [Identifier: Set<UInt64>] = [:]
        for request in requests {
            guard case .announce(let app, let sessions)? = try? ChatClusterRequest(decoding: request) else {
                logger.error(
                    "a node's list of chat sessions cannot be decoded: run the same version on all nodes",
                    metadata: ["node": "\(node)"])
                continue
            }
            announced[Identifier(app), default: []].formUnion(sessions)
        }
        let number = nodes.announce(node)
        for application in chat.applications {
            let there = announced.removeValue(forKey: Identifier(application.key)) ?? []
            let kept = peers(of: application, at: number)
            for peer in kept where !there.contains(peer.chat.id) { application.signOut(peer, leaving: nil) }
            log.end(
                Array(there.subtracting(kept.map(\.chat.id))), app: application.key, on: node,
                .interrupted(after: Int.random(in: 100...5_000)))
        }
        for (app, sessions) in announced {
            log.end(Array(sessions), app: app.text, on: node, .unknownApplication)
        }
    }

    var restoredNodes: [ClusterNode] { nodes.all.compactMap(\.self) }

    func left(_ node: ClusterNode) {
        guard let number = nodes.number(known: node) else { return }
        for application in chat.applications {
            for peer in peers(of: application, at: number) { application.signOut(peer, leaving: nil) }
        }
        nodes.release(node)
    }

    /// The sessions of an application on the node with this number; empty without a number.
    private func peers(of application: ServedChatApplication, at number: Int?) -> [ChatSessionPeer] {
        guard let number else { return [] }
        return application.withAudience { $0.only.all.filter { $0.chat.eventLoopID == number } }
    }
}

extension ChatClusterReply {
    /// The answer that refuses a session's request.
    fileprivate static func refusal(_ number: UInt64, _ refusal: ChatRequestRefusal) -> ChatClusterReply {
        .frame(ChatWire.answer(number, .failure(refusal)), isSent: false)
    }
}

extension ChatBye {
    /// The `bye` for sessions that have to reconnect. `after` is the delay in ms. It differs for each connection, so that clients do not
    /// reconnect at the same time.
    static func interrupted(after: Int) -> ChatBye {
        ChatBye(
            code: .serverRestarts, reason: "The connection between the servers of the cluster was interrupted.", mayRetry: true,
            after: after)
    }
}

/// Stands for all nodes (servers) of a cluster. It delivers nothing itself, because the cluster's log carries the changes to the nodes.
private final class RemoteChatNodes: ChatNode {
    let eventLoopIDs = (0..<EventLoopSet.capacity).reduce(into: EventLoopSet()) { $0.insert($1) }
    let eventLoop: (any EventLoop)?

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func apply(_ changes: [ChatDelivery], of application: Int, to sessions: inout ChatNodeSessions) {}
    func countMessage(of application: ServedChatApplication) {}
}
