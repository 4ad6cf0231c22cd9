import ChatProtocol
import Logging
import NIOConcurrencyHelpers
import ServerRuntime
import ServerStorage

/// One chat application: its state under a lock, and the only path from a decision to the store and to the receivers.
///
/// All changes take the same path. Under the lock, the state accepts or refuses the request, ids and positions are assigned, and the commit
/// is made. Once the store has saved the commit, every node notifies its devices and the request is answered (rules NV-1 to NV-4). Answers
/// are sent without a lock held.
package final class ServedChatApplication: Sendable {
    /// The key, which identifies the application while the server runs. A reload can change all other settings.
    package let key: String
    /// The number of the application, unique within the backend.
    let number: Int
    /// The index (slot) of the application's counters in the metrics.
    package let slot: MetricSlot
    let storage: ChatStorage
    let clock: ServerClock
    let logger: Logger
    let turns = ConversationQueue()
    /// Limits the calls of the server API that the application's server makes.
    let gate: ServerAPIRateLimiter
    /// The Unix time minus the monotonic time at the start, in milliseconds.
    private let steadyOffset: Int64
    /// Sends events to the application's webhook, if one is configured.
    let webhooks: ChatWebhooks
    /// The bridge, which passes messages of open channels to other services; nil for none.
    private let bridge: (any BridgeTap)?
    private let standing: NIOLockedValueBox<Standing>
    /// The application's state, guarded by the outer lock. Commits are made under this lock, so they have the order of their ids.
    private let state: NIOLockedValueBox<State>
    /// The connected sessions, guarded by the inner lock. The store's completion handlers take this lock, also while the outer lock is
    /// held.
    private let audience: NIOLockedValueBox<ChatAudience>

    /// The settings that a reload can change.
    private struct Standing: Sendable {
        var settings: ChatApplication
        /// Whether the current configuration contains the application.
        var isConfigured = true
    }

    private struct State: Sendable {
        var chat: ChatState
        /// Acknowledged positions of inboxes, which are stored with the next commit.
        var noted = ChatCommit()
    }

    init(
        settings: ChatApplication, number: Int, slot: MetricSlot = MetricSlot(index: 0), storage: ChatStorage,
        restored: RestoredChat.Application, clock: ServerClock, logger: Logger, bridge: (any BridgeTap)? = nil
    ) {
        key = settings.key
        standing = NIOLockedValueBox(Standing(settings: settings))
        self.number = number
        self.slot = slot
        self.storage = storage
        self.clock = clock
        self.logger = logger
        self.bridge = bridge
        gate = ServerAPIRateLimiter(since: storage.isFirstStart ? nil : clock.monotonic())
        steadyOffset = storage.ids.milliseconds - clock.monotonic().milliseconds
        webhooks = ChatWebhooks(settings, clock: clock, logger: logger, journal: storage.log?.webhooks)
        var chat = ChatState(settings, restoring: restored, epoch: storage.epoch)
        if storage.log != nil { chat.recordLiveChanges() }
        state = NIOLockedValueBox(State(chat: chat))
        audience = NIOLockedValueBox(ChatAudience())
    }

    /// The current time in milliseconds since 1970.
    var now: Int64 { storage.ids.milliseconds }

    /// Milliseconds since 1970 by the monotonic clock, which later changes of the wall clock do not affect: for grace periods and
    /// lifetimes.
    private var steadyTime: Int64 { clock.monotonic().milliseconds + steadyOffset }

    // MARK: Changes by a reload

    /// The current settings of the application, or its last settings when it is no longer configured.
    package var settings: ChatApplication { standing.withLockedValue(\.settings) }

    /// The refusal for every session while the application is disabled or not configured (rule NV-71); nil while it serves.
    package var refusal: ChatBye? {
        standing.withLockedValue { standing in
            standing.isConfigured ? (standing.settings.isEnabled ? nil : .disabledApplication) : .unknownApplication
        }
    }

    /// Applies changed settings, and ends all sessions when the application is no longer served (rules NV-70 and NV-71).
    ///
    /// - Parameter settings: the settings with the same key; nil when the application is no longer configured. Its data stays stored.
    func use(_ settings: ChatApplication?) {
        let hasChanged = standing.withLockedValue { standing in
            let new = Standing(settings: settings ?? standing.settings, isConfigured: settings != nil)
            defer { standing = new }
            return new.settings != standing.settings || new.isConfigured != standing.isConfigured
        }
        guard hasChanged else { return }
        if let settings {
            state.withLockedValue { $0.chat.application = settings }
            webhooks.follow(settings)
        }
        // Ends the present sessions. Sessions that sign in later are refused by a check in `signIn`.
        guard let refusal else { return }
        change(
            { _, change in
                change.end(withAudience { $0.all }, refusal)
                return ChatResult.done
            },
            reply: { result in
                guard case .failure = result else { return }
                // All sessions are ended even if the store fails.
                self.withAudience { $0.apply([.end($0.all, refusal)], of: self.number) }
            })
    }

    /// Reads the state. `body` must neither wait nor call other components.
    func read<Result>(_ body: (ChatState) throws -> Result) rethrows -> Result {
        try state.withLockedValue { try body($0.chat) }
    }

    /// Counts a request of a session against its quota.
    func spend(_ kind: ChatSpending, by peer: ChatSessionPeer) throws(ChatRefusal) {
        let now = now
        let result = state.withLockedValue { state in
            Result { () throws(ChatRefusal) in
                try state.chat.spend(kind, session: peer.chat.id, of: peer.user, at: now)
            }
        }
        try result.get()
    }

    /// Restores the sessions of the cluster's former leader, without notifications.
    func restore(_ live: ChatLive, _ peers: [ChatSessionPeer]) {
        let (now, steadyTime) = (now, steadyTime)
        state.withLockedValue { state in
            state.chat.steadyTime = steadyTime
            state.chat.restore(live, at: now)
            audience.withLockedValue { audience in for peer in peers { audience.insert(peer) } }
        }
    }

    /// Records acknowledged positions of inboxes. The caller needs no confirmation, so they are stored with the next commit, or within a
    /// second.
    func note(_ body: (inout ChatState, inout ChatCommit) -> Void) {
        state.withLockedValue { body(&$0.chat, &$0.noted) }
    }

    // MARK: Changing

    /// Decides and commits a change. Once it is durable, notifies the receivers and answers.
    ///
    /// - Parameters:
    ///   - decide: runs at once, under the lock, and must not call the application. When it throws ``ChatRequestRefusal`` or `ChatRefusal`,
    ///     it has changed nothing.
    ///   - reply: called once, without a lock held. All replies, also refusals, come in the order of the decisions.
    func change(
        _ decide: (inout ChatState, inout ChatChange) throws -> ChatResult, reply: @escaping ChatAnswering
    ) {
        change(decide, completion: reply)
    }

    /// Like ``change(_:reply:)``, with a result of any type: decides and commits a change.
    func change<Value: Sendable>(
        _ decide: (inout ChatState, inout ChatChange) throws -> Value,
        completion: @escaping @Sendable (Result<Value, ChatRequestRefusal>) -> Void
    ) {
        let ticket = CommitLatch()
        var change = ChatChange(ids: storage.ids)
        let steadyTime = steadyTime
        let decided: Result<Value, ChatRequestRefusal> = state.withLockedValue { state in
            state.chat.steadyTime = steadyTime
            do {
                let value = try decide(&state.chat, &change)
                if !state.noted.isEmpty {
                    change.commit.acknowledged += state.noted.acknowledged
                    state.noted = ChatCommit()
                }
                commit(change, state: &state, ticket: ticket)
                return .success(value)
            } catch {
                commit(ChatChange(ids: storage.ids), state: &state, ticket: ticket)
                return .failure(ChatRequestRefusal(error))
            }
        }
        let made = change
        ticket.release { isKept in
            if isKept {
                completion(decided)
            } else {
                self.takeBack(made)
                completion(.failure(.notStored))
            }
            self.audience.withLockedValue { $0.waiting -= 1 }
        }
    }

    /// Stores and publishes a change. Called under the outer lock.
    private func commit(_ change: ChatChange, state: inout State, ticket: CommitLatch) {
        if let log = storage.log, !storage.storesFirst {
            let live = state.chat.takeLiveChanges()
            audience.withLockedValue { audience in
                audience.waiting += 1
                log.append(change, live, of: self, sessions: audience.only)
            }
            if let message = change.carried, let bridge { log.whenKept { [key] in bridge.carry(message, of: key) } }
            return ticket.complete(true)
        }
        let live = storage.log == nil ? nil : state.chat.takeLiveChanges()
        // A change without data to store is published at once, unless an earlier change is still being stored.
        let isDone = audience.withLockedValue { audience in
            defer { audience.waiting += 1 }
            guard change.commit.isEmpty, audience.waiting == 0 else { return false }
            perform(change, live: live, to: &audience)
            return true
        }
        guard !isDone else { return ticket.complete(true) }
        storage.store.commit(change.commit, application: key) { error in
            self.audience.withLockedValue { audience in
                if error == nil {
                    self.perform(change, live: live, to: &audience)
                } else {
                    audience.failed.formUnion(change.commit.additions.lazy.map(\.event.id))
                    // The commit failed. The state contains the added and removed sessions and participants until a later change reverts
                    // them, so these are published nevertheless.
                    if let live, !live.isEmpty { self.perform(ChatChange(ids: self.storage.ids), live: live, to: &audience) }
                }
            }
            if let error {
                self.logger.error(
                    "a chat change could not be stored; the client's request fails", metadata: ["error": "\(type(of: error))"])
            }
            ticket.complete(error == nil)
        }
    }

    /// Publishes a change: through the log if there is one, otherwise directly to the nodes and the bridge.
    ///
    /// - Parameter live: the sessions and participants that the change adds or removes; nil without a log.
    private func perform(_ change: ChatChange, live: ChatLiveChanges?, to audience: inout ChatAudience) {
        if let log = storage.log, let live {
            log.append(change, live, of: self, sessions: audience.only)
            if let message = change.carried, let bridge { log.whenKept { [key] in bridge.carry(message, of: key) } }
            return
        }
        audience.apply(change.deliveries, of: number)
        if let message = change.carried { bridge?.carry(message, of: key) }
    }

    private func takeBack(_ change: ChatChange) {
        if !change.undoing.isEmpty {
            state.withLockedValue { state in
                for undo in change.undoing.reversed() { undo(&state.chat) }
            }
        }
        audience.withLockedValue { $0.failed.subtract(change.commit.additions.lazy.map(\.event.id)) }
    }

    /// Sends an event to webhooks once the event is durable. Call this function as soon as the event is decided, because the event is
    /// stored together with the decision.
    func tellWebhooks(_ event: () -> WebhookEvent) {
        guard let log = storage.log else { return webhooks.tell(event()) }
        guard let event = webhooks.keep(event) else { return }
        log.whenKept { [webhooks] in webhooks.tell(event) }
    }

    /// Whether an event was decided, but the store has failed to save it. The store never saves it later.
    func isLost(_ id: UInt64) -> Bool {
        audience.withLockedValue { $0.failed.contains(id) }
    }

    /// Reads or changes the connected sessions. Takes the inner lock.
    func withAudience<Result>(_ body: (inout ChatAudience) -> Result) -> Result {
        audience.withLockedValue(body)
    }
}

extension MonotonicInstant {
    fileprivate var milliseconds: Int64 { nanoseconds / 1_000_000 }
}

extension ChatRequestRefusal {
    static let notStored = ChatRequestRefusal(.storageFailed, "The server could not store the change: try again later.")

    /// Makes the refusal for an error that was thrown while a request was decided.
    init(_ error: any Error) {
        switch error {
        case let refusal as ChatRequestRefusal: self = refusal
        case let refusal as ChatRefusal:
            self.init(ChatErrorCode(refusal.code), refusal.reason, retryAfter: refusal.retryAfter)
        default: self = .notStored
        }
    }
}
