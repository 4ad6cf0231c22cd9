import DequeModule
import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import RealtimeHub

/// Owns the App Context of one keyset: decides about one change after the other, has each stored before anybody sees it, and answers
/// from what is stored (rules PO-7 and PO-9).
final class ApplicationObjects: Sendable {
    /// Whether the change is stored; nil then.
    typealias Completion = @Sendable (ObjectProblem?) -> Void

    private struct Waiting: Sendable {
        var call: ObjectCall
        var eTag: String?
        var completion: Completion
    }

    private struct State: Sendable {
        var objects: KeysetObjects
        var waiting = Deque<Waiting>()
        /// Whether somebody is at work on what waits.
        var isBusy = false
    }

    let limits: ObjectLimits
    private let state: NIOLockedValueBox<State>
    private let lists: ObjectLists

    /// - Parameter restored: what the store has.
    init(restoring restored: [KeysetRecord] = [], limits: ObjectLimits = ObjectLimits()) {
        self.limits = limits
        state = NIOLockedValueBox(State(objects: KeysetObjects(restoring: restored, limits: limits)))
        lists = ObjectLists(limit: limits.waitingLists)
    }

    // MARK: Reading

    /// Reads what is stored. Nothing in `body` may wait or take long.
    func read<Result>(_ body: (KeysetObjects) throws -> Result) rethrows -> Result {
        try state.withLockedValue { try body($0.objects) }
    }

    /// A page of a list; nil for one that takes long.
    func shortPage(of list: ObjectList, _ query: ObjectQuery) throws(ObjectProblem) -> ObjectPage? {
        let result: Result<ObjectPage?, ObjectProblem> = state.withLockedValue { state in
            Result { () throws(ObjectProblem) in
                state.objects.isShort(list, query) ? try state.objects.page(of: list, query) : nil
            }
        }
        return try result.get()
    }

    /// A page of a list that may take long: it waits for other such lists of the keyset.
    func page(of list: ObjectList, _ query: ObjectQuery) async throws(ObjectProblem) -> ObjectPage {
        guard lists.enter() else { throw .busy }
        defer { lists.leave() }
        let result = await lists.run { [state] in
            let objects = state.withLockedValue(\.objects)
            return Result { () throws(ObjectProblem) in try objects.page(of: list, query) }
        }
        return try result.get()
    }

    // MARK: Changing

    /// Changes something once all changes before have been made.
    ///
    /// - Parameter completion: called once the change is stored, holds and has been told, or with the reason why nothing was changed; on
    ///   any thread, with a store in memory before this returns.
    func change(
        _ call: ObjectCall, ifMatch eTag: String? = nil, of application: PubNubApplication, completion: @escaping Completion
    ) {
        let isAccepted: Bool? = state.withLockedValue { state in
            guard state.waiting.count < limits.waiting else { return nil }
            state.waiting.append(Waiting(call: call, eTag: eTag, completion: completion))
            defer { state.isBusy = true }
            return !state.isBusy
        }
        guard let starts = isAccepted else { return completion(.busy) }
        if starts { work(for: application) }
    }

    /// Makes changes until none waits or one has to wait for the store.
    private func work(for application: PubNubApplication) {
        while let next = next() {
            let decision: ObjectDecision
            do throws(ObjectProblem) {
                decision = try read(next, at: application.storage.tokens.now)
            } catch {
                next.completion(error)
                continue
            }
            guard !decision.changes.isEmpty else {
                next.completion(nil)
                continue
            }
            // The completion may come at once, in this call, or later on a thread of the store: whoever is second goes on.
            let isFirst = NIOLockedValueBox(true)
            let goesOn: @Sendable () -> Bool = {
                isFirst.withLockedValue { isFirst in
                    defer { isFirst = false }
                    return !isFirst
                }
            }
            store(decision, of: application) { isStored in
                next.completion(isStored ? nil : .unavailable)
                if goesOn() { self.work(for: application) }
            }
            guard goesOn() else { return }
        }
    }

    private func next() -> Waiting? {
        state.withLockedValue { state in
            let next = state.waiting.popFirst()
            state.isBusy = next != nil
            return next
        }
    }

    private func read(_ next: Waiting, at now: UInt64) throws(ObjectProblem) -> ObjectDecision {
        let result: Result<ObjectDecision, ObjectProblem> = state.withLockedValue { state in
            Result { () throws(ObjectProblem) in try state.objects.decide(next.call, at: now, ifMatch: next.eTag) }
        }
        return try result.get()
    }

    /// Stores a change together with the events that tell of it, which are no history but kept as long as subscribers may catch up. Then the
    /// change holds, and subscribers are told.
    private func store(
        _ decision: ObjectDecision, of application: PubNubApplication, completion: @escaping @Sendable (Bool) -> Void
    ) {
        let subscribeKey = application.subscribeKey
        let messages = application.withState { state in
            decision.events.map { event in
                let token = application.storage.tokens.next()
                state.streams.assign(token)
                return StoredMessage(
                    timetoken: token, channel: event.channel, payload: event.payload, kind: PubNubMessageKind.object.rawValue,
                    isStored: false)
            }
        }
        let elements = messages.map { application.element(of: $0) }
        application.storage.store.commit(decision.changes.map(\.record), with: messages, application: subscribeKey) {
            [state] error in
            if error == nil { state.withLockedValue { $0.objects.apply(decision) } }
            if !messages.isEmpty {
                application.change { state, pending in
                    for (message, element) in zip(messages, elements) {
                        pending.entries +=
                            error == nil ? state.streams.append(message, element) : state.streams.abandon(message.timetoken)
                    }
                }
            }
            completion(error == nil)
        }
    }
}

/// Makes long lists, one after the other, so that they take one processor at most.
private actor ObjectLists {
    private let limit: Int
    private let waiting = NIOLockedValueBox(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether there is room for another one; ``leave()`` follows then.
    nonisolated func enter() -> Bool {
        waiting.withLockedValue { waiting in
            guard waiting < limit else { return false }
            waiting += 1
            return true
        }
    }

    nonisolated func leave() { waiting.withLockedValue { $0 -= 1 } }

    func run<Value: Sendable>(_ body: @Sendable () -> Value) -> Value { body() }
}
