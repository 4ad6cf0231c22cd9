import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import ServerStorage

/// The App Context of one keyset. It decides one change after the other, and stores each change before the change becomes visible. Reads
/// are answered from stored data only (rules PO-7 and PO-9).
final class ApplicationObjects: Sendable {
    /// Called with nil when the change is stored, otherwise with the reason why it was not stored.
    typealias Completion = @Sendable (ObjectProblem?) -> Void

    let limits: ObjectLimits
    private let objects: NIOLockedValueBox<KeysetObjects>
    private let queue: ChangeQueue
    private let lists: ObjectLists

    /// - Parameter restored: the records from the store.
    init(restoring restored: [KeysetRecord] = [], limits: ObjectLimits = ObjectLimits()) {
        self.limits = limits
        objects = NIOLockedValueBox(KeysetObjects(restoring: restored, limits: limits))
        queue = ChangeQueue(limit: limits.waiting)
        lists = ObjectLists(limit: limits.waitingLists)
    }

    // MARK: Reading

    /// Reads the current App Context under the lock. `body` must neither wait nor take long.
    func read<Result>(_ body: (KeysetObjects) throws -> Result) rethrows -> Result {
        try objects.withLockedValue { try body($0) }
    }

    /// A page of a list; nil when computing the page may take long. In this case call ``page(of:_:for:)``.
    func shortPage(of list: ObjectList, _ query: ObjectQuery) throws(ObjectProblem) -> ObjectPage? {
        let result: Result<ObjectPage?, ObjectProblem> = objects.withLockedValue { objects in
            Result { () throws(ObjectProblem) in
                objects.isShort(list, query) ? try objects.page(of: list, query) : nil
            }
        }
        return try result.get()
    }

    /// Computes a page of a long list. Long lists of a keyset are computed one after the other, in the order of the requests.
    ///
    /// - Parameter owner: the owner of the request; one owner may have a quarter of the waiting requests. Nil when the request counts for
    ///   no owner.
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

    /// Performs a change once all earlier changes have ended.
    ///
    /// - Parameters:
    ///   - completion: called once the change is stored, in effect and published, or with the reason why nothing was changed; on
    ///     any thread. With a store in memory it is called before this method returns.
    ///   - owner: the user or client address whose share of the limits the addition uses; nil when it counts against no share.
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

    /// Stores a change together with its events. When both are stored, the change takes effect, and its events are published. The events
    /// are not part of the history; the store keeps them only for as long as subscribers may catch up with them.
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

/// Computes the pages of a keyset's long lists one after the other, so that they use at most one processor.
private actor ObjectLists {
    private let limit: Int
    private let waiting = NIOLockedValueBox((all: 0, perOwner: [Identifier: Int]()))

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether another request of this owner may wait. If the result is true, call ``leave(_:)`` once the request has ended.
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
