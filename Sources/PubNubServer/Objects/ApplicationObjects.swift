import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import RealtimeHub

/// Owns the App Context of one keyset: decides about one change after the other, stores each before it becomes visible, and answers
/// from stored data (rules PO-7 and PO-9).
final class ApplicationObjects: Sendable {
    /// Whether the change is stored; nil then.
    typealias Completion = @Sendable (ObjectProblem?) -> Void

    let limits: ObjectLimits
    private let objects: NIOLockedValueBox<KeysetObjects>
    private let queue: ChangeQueue
    private let lists: ObjectLists

    /// - Parameter restored: what the store has.
    init(restoring restored: [KeysetRecord] = [], limits: ObjectLimits = ObjectLimits()) {
        self.limits = limits
        objects = NIOLockedValueBox(KeysetObjects(restoring: restored, limits: limits))
        queue = ChangeQueue(limit: limits.waiting)
        lists = ObjectLists(limit: limits.waitingLists)
    }

    // MARK: Reading

    /// Reads the stored state. Nothing in `body` may wait or take long.
    func read<Result>(_ body: (KeysetObjects) throws -> Result) rethrows -> Result {
        try objects.withLockedValue { try body($0) }
    }

    /// A page of a list; nil for one that takes long.
    func shortPage(of list: ObjectList, _ query: ObjectQuery) throws(ObjectProblem) -> ObjectPage? {
        let result: Result<ObjectPage?, ObjectProblem> = objects.withLockedValue { objects in
            Result { () throws(ObjectProblem) in
                objects.isShort(list, query) ? try objects.page(of: list, query) : nil
            }
        }
        return try result.get()
    }

    /// A page of a list that may take long: it waits for other such lists of the keyset.
    ///
    /// - Parameter owner: who may have a quarter of the lists that wait; nil for nobody's.
    func page(of list: ObjectList, _ query: ObjectQuery, for owner: Identifier? = nil) async throws(ObjectProblem) -> ObjectPage {
        guard lists.enter(for: owner) else { throw .busy }
        defer { lists.leave(owner) }
        let result = await lists.run { [objects] in
            let objects = objects.withLockedValue { $0 }
            return Result { () throws(ObjectProblem) in try objects.page(of: list, query) }
        }
        return try result.get()
    }

    // MARK: Changing

    /// Changes something once all changes before have been made.
    ///
    /// - Parameters:
    ///   - completion: called once the change is stored, holds and has been told, or with the reason why nothing was changed; on
    ///   any thread, with a store in memory before this returns.
    ///   - owner: whose share counts what is added; nil for nobody's.
    func change(
        _ call: ObjectCall, ifMatch eTag: String? = nil, by owner: Identifier? = nil, of application: PubNubApplication,
        completion: @escaping Completion
    ) {
        let isAccepted = queue.add(for: owner) { end in
            self.make(call, ifMatch: eTag, by: owner, of: application) { problem in
                completion(problem)
                end()
            }
        }
        if !isAccepted { completion(.busy) }
    }

    private func make(
        _ call: ObjectCall, ifMatch eTag: String?, by owner: Identifier?, of application: PubNubApplication,
        completion: @escaping Completion
    ) {
        let now = application.storage.tokens.now
        let decided: Result<ObjectDecision, ObjectProblem> = objects.withLockedValue { objects in
            Result { () throws(ObjectProblem) in try objects.decide(call, at: now, ifMatch: eTag) }
        }
        switch decided {
        case .failure(let problem): completion(problem)
        case .success(let decision) where decision.changes.isEmpty: completion(nil)
        case .success(let decision):
            let size = objects.withLockedValue { $0.growth(by: decision) }
            let share = OwnerShares.Size(count: limits.memberships, bytes: limits.bytes).divided()
            guard application.add(size, to: .objects, by: owner, share: share) else { return completion(.shareUsed) }
            store(decision, of: application) { isStored in
                if !isStored { _ = application.add(-size, to: .objects, by: owner, share: share) }
                completion(isStored ? nil : .unavailable)
            }
        }
    }

    /// Stores a change together with its events, which are not in the history but are stored as long as subscribers may catch up. Then
    /// the change takes effect, and subscribers are notified.
    private func store(
        _ decision: ObjectDecision, of application: PubNubApplication, completion: @escaping @Sendable (Bool) -> Void
    ) {
        let subscribeKey = application.subscribeKey
        let messages = application.withState { state in
            decision.events.map { event in
                let token = application.nextToken(&state)
                state.streams.assign(token)
                return StoredMessage(
                    timetoken: token, channel: event.channel, payload: event.payload, kind: PubNubMessageKind.object.rawValue,
                    isStored: false)
            }
        }
        let elements = messages.map { application.element(of: $0) }
        application.storage.store.commit(decision.changes.map(\.record), with: messages, application: subscribeKey) {
            [objects] error in
            if error == nil { objects.withLockedValue { $0.apply(decision) } }
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
    private let waiting = NIOLockedValueBox((all: 0, perOwner: [Identifier: Int]()))

    init(limit: Int) {
        self.limit = limit
    }

    /// Returns whether another call may begin for this owner; if so, ``leave(_:)`` must follow.
    nonisolated func enter(for owner: Identifier?) -> Bool {
        waiting.withLockedValue { waiting in
            guard waiting.all < limit else { return false }
            if let owner {
                let count = waiting.perOwner[owner] ?? 0
                guard count < max(1, limit / 4) else { return false }
                waiting.perOwner[owner] = count + 1
            }
            waiting.all += 1
            return true
        }
    }

    nonisolated func leave(_ owner: Identifier?) {
        waiting.withLockedValue { waiting in
            waiting.all -= 1
            if let owner, let count = waiting.perOwner.removeValue(forKey: owner), count > 1 {
                waiting.perOwner[owner] = count - 1
            }
        }
    }

    func run<Value: Sendable>(_ body: @Sendable () -> Value) -> Value { body() }
}
