import Crypto
import Identifiers
import NIOCore
import NexconnProtocol
import RealtimeHub
import ServerRuntime
import WireCoding

/// A session that has been let in.
struct NexconnAdmission: Sendable {
    var application: NexconnApplication
    var peer: NexconnPeer
    /// Where it begins to read its user's inbox.
    var start: ChatInboxStart
}

extension NexconnApplication {
    /// What admission and metrics know the application by.
    var name: ApplicationName { ApplicationName(.chat, key) }

    /// What the state knows a token by.
    static func hash(ofToken token: String) -> Identifier {
        Identifier(Hex.text(SHA256.hash(data: Array(token.utf8))))
    }

    /// Checks a token, gives the device its place among the user's sessions, and ends those that it displaces (rules NV-6 to NV-8).
    ///
    /// - Parameter completion: called from any thread. From then on everything is delivered to the connection.
    func signIn(
        _ hello: NexconnHello, _ chat: ChatSession, session: String, address: String, mailbox: EventLoopMailbox<NexconnLoop>,
        connection: NIOLoopBound<NexconnConnection>,
        completion: @escaping @Sendable (Result<NexconnAdmission, NexconnRefusal>) -> Void
    ) {
        let hash = Self.hash(ofToken: hello.token)
        change(
            { state, change in
                // The application may have been taken away since it was found.
                if let bye = refusal { throw NexconnRefusal(bye.code, bye.reason) }
                // So may the node, with its connections.
                guard withAudience({ $0.node(of: chat) }) != nil else { throw NexconnRefusal.nodeGone }
                let now = change.now
                let token = try state.checkToken(hash: hash, at: now)
                let signIn = ChatSignIn(
                    user: token.user, device: Identifier(hello.device.id),
                    deviceClass: ChatDeviceClass(rawValue: hello.device.class.rawValue) ?? .mobile,
                    isReconnect: hello.isReconnect, yields: hello.yields, tokenIssued: token.issued)
                let admittance = try state.signIn(chat, signIn, at: now)
                let peer = NexconnPeer(
                    session: session, user: token.user, device: hello.device, address: address, chat: chat, mailbox: mailbox,
                    connection: connection)
                withAudience { $0.insert(peer) }
                change.undo { state in
                    _ = self.withAudience { $0.remove(peer) }
                    var commit = ChatCommit()
                    _ = state.signOut(chat, of: peer.user, isDeliberate: true, at: now, into: &commit)
                }
                change.end(admittance.kicked, .kicked)
                tell(admittance.news, &change)
                let resume = hello.resume.map { ChatResume(epoch: $0.epoch, sequence: $0.sequence) }
                return NexconnAdmission(
                    application: self, peer: peer, start: state.inboxStart(of: token.user, resume: resume))
            },
            completion: { (result: Result<NexconnAdmission, NexconnRefusal>) in
                if case .success(let admission) = result { self.report(.connected, of: admission.peer) }
                completion(result)
            })
    }

    private func report(_ status: WebhookEvent.Status, of peer: NexconnPeer) {
        webhooks.tell(WebhookEvent(status, of: peer, at: now))
    }

    /// Takes a session out. Whoever only lost the connection stays in open channels and online for a while.
    ///
    /// - Parameter leaving: whether the client said that it leaves, and if so whether it wants no more notifications.
    func signOut(_ peer: NexconnPeer, leaving: Bool?) {
        change(
            { state, change in
                guard withAudience({ $0.remove(peer) }) else { return false }
                let news = state.signOut(
                    peer.chat, of: peer.user, isDeliberate: leaving != nil, at: change.now, into: &change.commit)
                tell(news, &change)
                return true
            },
            completion: { (result: Result<Bool, NexconnRefusal>) in
                if case .success(false) = result { return }
                self.report(leaving == true ? .loggedOut : .disconnected, of: peer)
            })
    }

    /// Takes out what sessions a node still has. Returns when all that was decided before has been answered.
    func signOut(_ node: any ChatNode) async {
        for peer in withAudience({ $0.peers(on: node) }) { signOut(peer, leaving: nil) }
        await withCheckedContinuation { continuation in
            change({ _, _ in NexconnResult.done }, reply: { _ in continuation.resume() })
        }
    }

    /// A device has kept what lies in its user's inbox up to a place. Stored with the next commit, or within a second.
    func acknowledge(_ sequence: UInt64, by user: Identifier) {
        note { state, commit in _ = state.acknowledge(sequence, by: user, into: &commit) }
    }

    /// Reads one more than a package from a user's inbox.
    func readInbox(
        of user: Identifier, after sequence: UInt64, for connection: NIOLoopBound<NexconnConnection>,
        on mailbox: EventLoopMailbox<NexconnLoop>
    ) {
        let (store, key, logger) = (storage.store, key, logger)
        Task {
            do {
                let page = try await store.inbox(
                    of: user, after: sequence, limit: InboxReader.packageLength + 1, application: key)
                mailbox.enqueue(.page(connection, page))
            } catch {
                logger.error("inbox not read", metadata: ["error": "\(type(of: error))"])
                mailbox.enqueue(.page(connection, nil))
            }
        }
    }

    /// Ends sessions from outside, such as those of a user who is banned.
    func end(_ sessions: [ChatSession], _ bye: NexconnBye) {
        change(
            { _, change in
                change.end(sessions, bye)
                return NexconnResult.done
            }, reply: { _ in })
    }

    /// What time alone brings.
    func sweep() {
        webhooks.sweep()
        change(
            { state, change in
                let news = state.sweep(at: change.now, into: &change.commit)
                tell(news, &change)
                return NexconnResult.done
            }, reply: { _ in })
    }
}

extension NexconnRefusal {
    /// Tells the client to come back, as to a server that has begun to stop.
    fileprivate static let nodeGone = NexconnRefusal(.storageFailed, "The server is shutting down.")
}
