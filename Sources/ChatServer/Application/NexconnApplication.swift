import Logging
import NIOConcurrencyHelpers
import NexconnProtocol
import RealtimeHub

/// One chat application: its book under a lock, and the only way from a decision to the store and to those who are told.
///
/// Everything goes the same way: the book decides, ids and places are given, all is committed under the lock; once the store has
/// it, devices are told and the request is answered (rules NV-1 to NV-4). Answers come without a lock held.
final class NexconnApplication: Sendable {
    let settings: ChatApplication
    /// The place among the server's chat applications.
    let number: Int
    let timeline: NexconnTimeline
    let clock: ServerClock
    let logger: Logger
    let turns = NexconnTurns()
    /// Limits calls of the server API.
    let gate = NexconnAPIGate()
    /// Nil where nobody is to be told.
    let webhooks: NexconnWebhooks?
    /// Messages that were stored since the start.
    let sentCount = NIOLockedValueBox(0)
    /// Messages that were stored since the start.
    var messageCount: Int { sentCount.withLockedValue { $0 } }
    /// The bridge, if it takes this application's messages.
    let bridge: ServiceBridge?
    private let outlets: [LoopOutlet]
    /// Outer lock. Commits are made under it, so that their order is that of ids.
    private let state: NIOLockedValueBox<State>
    /// Inner lock: taken by completions of the store, which may come while the outer one is held.
    private let audience: NIOLockedValueBox<NexconnAudience>

    private struct State: Sendable {
        var book: ChatBook
        /// Acknowledgements that are stored with the next commit.
        var noted = ChatCommit()
    }

    init(
        settings: ChatApplication, number: Int, timeline: NexconnTimeline, restored: RestoredChat.Application,
        clock: ServerClock, outlets: [LoopOutlet], logger: Logger, bridge: ServiceBridge? = nil,
        webhooks: NexconnWebhooks? = nil
    ) {
        self.settings = settings
        self.number = number
        self.timeline = timeline
        self.clock = clock
        self.outlets = outlets
        self.logger = logger
        self.bridge = bridge?.settings.chatKey == settings.key ? bridge : nil
        self.webhooks = webhooks
        state = NIOLockedValueBox(State(book: ChatBook(settings, restoring: restored, epoch: timeline.epoch)))
        audience = NIOLockedValueBox(NexconnAudience())
    }

    /// Milliseconds since 1970.
    var now: Int64 { timeline.milliseconds }

    /// Looks something up. Nothing in `body` may wait or call out.
    func read<Result>(_ body: (ChatBook) throws -> Result) rethrows -> Result {
        try state.withLockedValue { try body($0.book) }
    }

    /// Notes acknowledgements, for which nobody waits: they are stored with the next commit, or within a second.
    func note(_ body: (inout ChatBook, inout ChatCommit) -> Void) {
        state.withLockedValue { body(&$0.book, &$0.noted) }
    }

    // MARK: Changing

    /// Decides, commits, and once it is durable tells those whom it concerns and answers.
    ///
    /// - Parameters:
    ///   - decide: runs under the lock, at once. Throws ``NexconnRefusal`` or `ChatRefusal` when nothing has changed. Must not
    ///     call back into the application.
    ///   - reply: called once, with no lock held, in the order of decisions: also a refusal comes after the answers to what was
    ///     decided before.
    func change(
        _ decide: (inout ChatBook, inout NexconnChange) throws -> NexconnResult, reply: @escaping NexconnAnswering
    ) {
        change(decide, completion: reply)
    }

    /// As ``change(_:reply:)``, with whatever the decision yields.
    func change<Value: Sendable>(
        _ decide: (inout ChatBook, inout NexconnChange) throws -> Value,
        completion: @escaping @Sendable (Result<Value, NexconnRefusal>) -> Void
    ) {
        let ticket = NexconnTicket()
        var change = NexconnChange(timeline: timeline)
        let decided: Result<Value, NexconnRefusal> = state.withLockedValue { state in
            do {
                let value = try decide(&state.book, &change)
                if !state.noted.isEmpty {
                    change.commit.acknowledged += state.noted.acknowledged
                    state.noted = ChatCommit()
                }
                commit(change, ticket)
                return .success(value)
            } catch {
                commit(NexconnChange(timeline: timeline), ticket)
                return .failure(NexconnRefusal(error))
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

    /// Has a change stored and told. Under the outer lock.
    private func commit(_ change: NexconnChange, _ ticket: NexconnTicket) {
        // What is only told need not wait for the store, unless something is on its way that has to come first.
        let isDone = audience.withLockedValue { audience in
            defer { audience.waiting += 1 }
            guard change.commit.isEmpty, audience.waiting == 0 else { return false }
            perform(change, &audience)
            return true
        }
        guard !isDone else { return ticket.complete(true) }
        timeline.store.commit(change.commit, application: settings.key) { error in
            self.audience.withLockedValue { audience in
                if error == nil {
                    self.perform(change, &audience)
                } else {
                    audience.failed.formUnion(change.commit.additions.lazy.map(\.event.id))
                }
            }
            if let error { self.logger.error("chat not stored", metadata: ["error": "\(type(of: error))"]) }
            ticket.complete(error == nil)
        }
    }

    private func perform(_ change: NexconnChange, _ audience: inout NexconnAudience) {
        for delivery in change.deliveries { audience.perform(delivery, application: number, outlets: outlets) }
        for message in change.carried { bridge?.carry(message) }
    }

    private func takeBack(_ change: NexconnChange) {
        if !change.undoing.isEmpty {
            state.withLockedValue { state in
                for undo in change.undoing.reversed() { undo(&state.book) }
            }
        }
        audience.withLockedValue { $0.failed.subtract(change.commit.additions.lazy.map(\.event.id)) }
    }

    /// Whether an event that the book knows of is not, and will not be, in the store.
    func isLost(_ id: UInt64) -> Bool {
        audience.withLockedValue { $0.failed.contains(id) }
    }

    /// Looks at, or changes, who is connected. Takes the inner lock.
    func withAudience<Result>(_ body: (inout NexconnAudience) -> Result) -> Result {
        audience.withLockedValue(body)
    }
}

extension NexconnRefusal {
    static let notStored = NexconnRefusal(.storageFailed, "The server could not store it.")

    /// What a decision threw.
    init(_ error: any Error) {
        switch error {
        case let refusal as NexconnRefusal: self = refusal
        case let refusal as ChatRefusal:
            self.init(NexconnCode(refusal.code), refusal.reason, retryAfter: refusal.retryAfter)
        default: self = .notStored
        }
    }
}
