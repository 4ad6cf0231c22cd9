import ChatProtocol
import Crypto
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime
import ServerStorage
import WireCoding

extension ChatGateway {
    /// The application's name in admission control and metrics.
    var name: ApplicationName { ApplicationName(.chat, key) }
}

/// The credentials with which a device signs in.
struct ChatSessionCredentials: Hashable, Sendable {
    /// The SHA-256 of the device's token, under which the state stores the token.
    var token: Identifier
    var device: ChatDevice
    var isReconnect: Bool
    var yields: Bool
    var resume: ChatPlace?

    init(_ hello: ChatHello) {
        token = ServedChatApplication.hash(ofToken: hello.token)
        device = hello.device
        isReconnect = hello.isReconnect
        yields = hello.yields
        resume = hello.resume
    }

    init(token: Identifier, device: ChatDevice, isReconnect: Bool, yields: Bool, resume: ChatPlace?) {
        self.token = token
        self.device = device
        self.isReconnect = isReconnect
        self.yields = yields
        self.resume = resume
    }
}

extension ServedChatApplication {
    /// The SHA-256 of a token in hexadecimal. Only this hash of the token is stored.
    static func hash(ofToken token: String) -> Identifier {
        Identifier(Hex.text(SHA256.hash(data: Array(token.utf8))))
    }

    package func signIn(
        _ hello: ChatHello, _ chat: ChatSessionID, session: String, address: String, line: ChatLine,
        completion: @escaping @Sendable (Result<ChatSessionAdmission, ChatRequestRefusal>) -> Void
    ) {
        signIn(ChatSessionCredentials(hello), chat, session: session, address: address, line: line, completion: completion)
    }

    /// - Parameter line: access to the connection; nil when another process has the connection.
    func signIn(
        _ credentials: ChatSessionCredentials, _ chat: ChatSessionID, session: String, address: String, line: ChatLine?,
        completion: @escaping @Sendable (Result<ChatSessionAdmission, ChatRequestRefusal>) -> Void
    ) {
        let replaced = NIOLockedValueBox<[ChatSessionID]>([])
        change(
            { state, change in
                // A reload may have removed the application from the configuration after the caller has found it.
                if let bye = refusal { throw ChatRequestRefusal(bye.code, bye.reason) }
                // The server (node) with the connection may have stopped after it had sent this request to the leader of the cluster.
                guard withAudience({ $0.node(of: chat) }) != nil else { throw ChatRequestRefusal.nodeGone }
                let now = change.now
                let token = try state.checkToken(hash: credentials.token, at: now)
                let signIn = ChatSignIn(
                    user: token.user, device: Identifier(credentials.device.id),
                    deviceClass: credentials.device.class,
                    isReconnect: credentials.isReconnect, yields: credentials.yields, tokenIssued: token.issued)
                let admittance = try state.signIn(chat, signIn, at: now)
                let peer = ChatSessionPeer(
                    session: session, user: token.user, device: credentials.device, address: address, chat: chat, line: line)
                withAudience { $0.insert(peer) }
                change.undo { state in
                    _ = self.withAudience { $0.remove(peer) }
                    var commit = ChatCommit()
                    _ = state.signOut(chat, of: peer.user, isDeliberate: true, at: now, into: &commit)
                }
                replaced.withLockedValue { $0 = admittance.kicked }
                change.end(admittance.kicked, .kicked)
                tell(admittance.news, &change)
                return ChatSessionAdmission(
                    application: self, peer: peer, start: state.inboxStart(of: token.user, resume: credentials.resume),
                    epoch: storage.epoch)
            },
            completion: { (result: Result<ChatSessionAdmission, ChatRequestRefusal>) in
                switch result {
                case .success(let admission): self.report(.connected, of: admission.peer)
                case .failure:
                    // The sign-in could not be stored. The state has already signed out the sessions that the sign-in replaces, so their
                    // connections are ended.
                    let replaced = replaced.withLockedValue { $0 }
                    if !replaced.isEmpty { self.end(replaced, .signInNotStored) }
                }
                completion(result)
            })
    }

    private func report(_ status: WebhookEvent.Status, of peer: ChatSessionPeer) {
        let now = now
        tellWebhooks { WebhookEvent(status, of: peer, at: now) }
    }

    package func signOut(_ peer: ChatSessionPeer, leaving: Bool?) {
        change(
            { state, change in
                guard withAudience({ $0.remove(peer) }) else { return false }
                let news = state.signOut(
                    peer.chat, of: peer.user, isDeliberate: leaving != nil, at: change.now, into: &change.commit)
                tell(news, &change)
                return true
            },
            completion: { (result: Result<Bool, ChatRequestRefusal>) in
                if case .success(false) = result { return }
                self.report(leaving == true ? .loggedOut : .disconnected, of: peer)
            })
    }

    /// Removes the remaining sessions of a node. Returns when all requests that were decided earlier have been answered.
    func signOut(_ node: any ChatNode) async {
        for peer in withAudience({ $0.peers(on: node) }) { signOut(peer, leaving: nil) }
        await withCheckedContinuation { continuation in
            change({ _, _ in ChatResult.done }, reply: { _ in continuation.resume() })
        }
    }

    /// Acknowledged positions of inboxes are stored with the next commit, or within a second.
    package func acknowledge(_ sequence: UInt64, by user: Identifier) {
        note { state, commit in _ = state.acknowledge(sequence, by: user, into: &commit) }
    }

    package func readInbox(of user: Identifier, after sequence: UInt64, for line: ChatLine) {
        readInbox(of: user, after: sequence) { line.mailbox.enqueue(.page(line.connection, $0)) }
    }

    /// Reads the entries of a user's inbox for one package, and one further entry that shows whether more entries follow. Returns nil when
    /// the store cannot read them.
    func readInbox(
        of user: Identifier, after sequence: UInt64, completion: @escaping @Sendable ([ChatInboxEntry]?) -> Void
    ) {
        let (store, key, logger) = (storage.store, key, logger)
        Task {
            do {
                let page = try await store.inbox(
                    of: user, after: sequence, limit: InboxReader.packageLength + 1, application: key)
                completion(page)
            } catch {
                logger.error(
                    "a chat inbox could not be read from the store; the session is closed",
                    metadata: ["error": "\(type(of: error))"])
                completion(nil)
            }
        }
    }

    /// Ends sessions for a reason other than their own requests, for example when a user is banned. Sessions end even if the store fails.
    func end(_ sessions: [ChatSessionID], _ bye: ChatBye) {
        change(
            { _, change in
                change.end(sessions, bye)
                return ChatResult.done
            },
            reply: { result in
                guard case .failure = result else { return }
                self.withAudience { $0.apply([.end(sessions, bye)], of: self.number) }
            })
    }

    /// Runs time-dependent work, such as the end of restrictions.
    func sweep() {
        webhooks.sweep()
        change(
            { state, change in
                let news = state.sweep(at: change.now, into: &change.commit)
                tell(news, &change)
                return ChatResult.done
            }, reply: { _ in })
    }
}

extension ChatRequestRefusal {
    /// The refusal for a sign-in on a node that has stopped. The client reconnects, as when a server shuts down.
    fileprivate static let nodeGone = ChatRequestRefusal(.storageFailed, "The server is shutting down.")
}

extension ChatBye {
    fileprivate static let signInNotStored = ChatBye(
        code: .serverRestarts, reason: "The server could not store the sign-in that replaces this session.", mayRetry: true,
        after: 1_000)
}
