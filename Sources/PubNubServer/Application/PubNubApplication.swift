import Identifiers
import Logging
import NIOConcurrencyHelpers
import PubNubProtocol
import ServerRuntime
import ServerStorage

/// One keyset with its data: messages, presence and channel groups behind one lock, and access to the store.
///
/// The lock is held for single steps only: never while data is stored, encoded for one subscriber or sent.
package final class PubNubApplication: Sendable {
    /// The subscribe key. It identifies the keyset for as long as the server runs; a reload can change all other settings.
    let subscribeKey: String
    /// The index of the keyset in ``StreamBackend/applications``.
    let number: Int
    /// The index under which the server's metrics count the keyset.
    let slot: MetricSlot
    let storage: StreamStorage
    let clock: ServerClock
    /// Grants and revoked tokens. They are protected by a lock of their own, as are the message actions in `actions`.
    let grants: AccessGrants
    let actions: MessageActions
    /// The App Context data, behind a lock of its own.
    let objects: ApplicationObjects
    /// The devices that are registered for push notifications, and the webhook that receives the notifications.
    let push: PubNubPush
    let files: PubNubFiles
    private let shares = NIOLockedValueBox(OwnerShares())
    let occupancyLimits: OccupancyLimits
    /// Forwards published messages to other services; nil when no service is bridged.
    let bridge: (any BridgeTap)?
    /// Receives every decision, for the other nodes of a cluster; nil in a server without a cluster.
    private let log: (any PubNubApplicationLog)?
    private let groupQueue = ChangeQueue()
    /// The queue of grant changes. The store saves grant changes in the order in which they take effect.
    let grantQueue = ChangeQueue()
    /// Forwards presence requests to the cluster's leader when this keyset is a replica (``ClusterStreams``); nil otherwise.
    let relay: (any PresenceRelay)?
    /// The servers of this process that hold the keyset's polls.
    private let nodes: NodeList<any StreamNode>
    private let standing: NIOLockedValueBox<Standing>
    private let state: NIOLockedValueBox<State>

    /// The settings that a reload can change.
    private struct Standing: Sendable {
        var keyset: Keyset
        /// Whether the current configuration contains the keyset.
        var isConfigured = true
        /// Whether the keyset can serve polls: false for a replica that has not yet received the leader's state.
        var isComplete = true
    }

    /// The keyset's data that one lock protects.
    struct State: Sendable {
        var streams: MessageStreams<PubNubElement>
        var occupancy: OccupancyState
        var groups: ChannelGroups
        var groupIndex: PubNubGroupIndex
        /// The number of group changes so far. If it has changed since a caller has resolved groups to channels, the caller has to resolve
        /// them again.
        var groupVersion = 0
        var audience = PubNubAudience()
        /// The messages that a replica has to request from the leader for its polls.
        var catchUp = CatchUpQueue()
        /// The highest timetoken that the keyset has assigned, or a client's cursor if this is higher. The next timetoken exceeds it.
        var highestToken: UInt64 = 0
    }

    init(
        keyset: Keyset, number: Int, slot: MetricSlot = MetricSlot(index: 0), storage: StreamStorage,
        restored: RestoredState,
        limits: StreamLimits, clock: ServerClock, logger: Logger = PubNubServiceSettings.silent,
        nodes: NodeList<any StreamNode>, contents: any FileContents = MemoryFileContents(),
        bridge: (any BridgeTap)? = nil, log: (any PubNubApplicationLog)? = nil, relay: (any PresenceRelay)? = nil,
        occupancyLimits: OccupancyLimits = OccupancyLimits(), objectLimits: ObjectLimits = ObjectLimits()
    ) {
        self.log = log
        self.relay = relay
        self.occupancyLimits = occupancyLimits
        subscribeKey = keyset.subscribeKey
        standing = NIOLockedValueBox(Standing(keyset: keyset))
        self.number = number
        self.slot = slot
        self.storage = storage
        self.clock = clock
        self.nodes = nodes
        self.bridge = bridge
        let name = Identifier(keyset.subscribeKey)
        grants = AccessGrants(restoring: (restored.access[name] ?? []).filter { $0.holds(at: clock.unixSeconds()) })
        actions = MessageActions(restoring: restored.actions[name] ?? [:])
        objects = ApplicationObjects(restoring: restored.records[name] ?? [], limits: objectLimits)
        push = PubNubPush(
            restoring: restored.records[name] ?? [], store: storage.store,
            webhook: PushWebhook(keyset, clock: clock, logger: logger, journal: log?.webhooks), subscribeKey: keyset.subscribeKey)
        files = PubNubFiles(
            restoring: restored.records[name] ?? [], isComplete: restored.remembersStream, store: storage.store,
            contents: contents, subscribeKey: keyset.subscribeKey, clock: clock, logger: logger)
        let groups = ChannelGroups(restoring: restored.groups[name] ?? [:])
        state = NIOLockedValueBox(
            State(
                streams: Self.streams(restored, subscribeKey: keyset.subscribeKey, storage: storage, limits: limits),
                occupancy: OccupancyState(settings: OccupancySettings(keyset: keyset), limits: occupancyLimits), groups: groups,
                groupIndex: PubNubGroupIndex(groups)))
    }

    /// Makes the message streams from the recent messages of the store. Readers without a cursor begin after all restored messages.
    private static func streams(
        _ restored: RestoredState, subscribeKey: String, storage: StreamStorage, limits: StreamLimits
    ) -> MessageStreams<PubNubElement> {
        MessageStreams(
            limits: limits, restoring: restored, application: Identifier(subscribeKey), startingAt: storage.tokens.last
        ) { message in
            PubNubElement(
                shared: PubNubEnvelope(message, region: storage.region, subscribeKey: subscribeKey).shared)
        }
    }

    // MARK: Settings that a reload can change

    /// The current configuration of the keyset. If the keyset was removed from the configuration, this is the last one that it had.
    var keyset: Keyset { standing.withLockedValue(\.keyset) }

    /// The error answer to every request while the keyset is disabled or no longer configured (rule PV-151); nil while the keyset is
    /// served.
    var refusal: PubNubErrorBody? {
        standing.withLockedValue { standing in
            standing.isConfigured ? (standing.keyset.isEnabled ? nil : .disabledKeyset) : .invalidSubscribeKey
        }
    }

    /// The error answer to every poll while the keyset cannot serve polls; nil while it can.
    var pollRefusal: PubNubErrorBody? { refusal ?? (isComplete ? nil : .serviceUnavailable) }

    /// Whether the keyset serves all requests without checking rights.
    var isOpenToAll: Bool {
        standing.withLockedValue { $0.isConfigured && $0.keyset.isEnabled && !$0.keyset.requiresGrants && $0.isComplete }
    }

    /// Whether polls can be served. A replica that lacks the leader's state serves none (rule CB-24).
    var isComplete: Bool {
        get { standing.withLockedValue(\.isComplete) }
        set { standing.withLockedValue { $0.isComplete = newValue } }
    }

    /// How long polls of this keyset are held before they get an empty answer; nil to use the server's setting.
    var pollHold: Duration? { standing.withLockedValue(\.keyset.pollHold) }

    /// Applies a changed keyset, and makes the event loops check held polls again (rules PV-150 to PV-152).
    ///
    /// - Parameter keyset: the configuration with the same subscribe key; nil when the keyset is no longer configured. The keyset's data is
    ///   kept in any case.
    func use(_ keyset: Keyset?) {
        let hasChanged = standing.withLockedValue { standing in
            let new = Standing(
                keyset: keyset ?? standing.keyset, isConfigured: keyset != nil, isComplete: standing.isComplete)
            defer { standing = new }
            return new.keyset != standing.keyset || new.isConfigured != standing.isConfigured
        }
        guard hasChanged else { return }
        if let keyset {
            state.withLockedValue { $0.occupancy.settings = OccupancySettings(keyset: keyset) }
            push.follow(keyset)
        }
        // The cache is emptied only after the secret keys have changed. Otherwise a result for a removed key could enter the cache in
        // between.
        grants.forgetChecked()
        for node in nodes.all { node.apply(.review(application: number)) }
    }

    /// Monotonic time and Unix time of the same moment, for the presence state.
    var occupancyTime: OccupancyTime {
        OccupancyTime(instant: clock.monotonic(), unixSeconds: clock.unixSeconds())
    }

    /// Reads or changes the state behind the lock. `body` must neither wait nor call other components.
    func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLockedValue(body)
    }

    /// Changes the state behind the lock and sends the notifications that `body` has collected: presence events are published, and polls
    /// are woken.
    func change<Result>(_ body: (inout State, inout PendingNotifications) throws -> Result) rethrows -> Result {
        let (result, call) = try state.withLockedValue { state in
            var pending = PendingNotifications()
            let result = try body(&state, &pending)
            let call = pending.isEmpty ? nil : announce(&pending, &state)
            if let log { record(pending, &state, in: log) }
            return (result, call)
        }
        guard let call else { return result }
        for node in nodes.all where !node.eventLoopIDs.isDisjoint(with: call.eventLoopIDs) {
            node.apply(.wake(application: number, call.wake, on: call.eventLoopIDs))
        }
        return result
    }

    /// Makes event loops check their held polls of these subscriptions for new messages.
    func wake(_ sources: [PollSource], on eventLoopIDs: EventLoopSet) {
        let wake = PollWake(sources: sources, changed: [])
        for node in nodes.all where !node.eventLoopIDs.isDisjoint(with: eventLoopIDs) {
            node.apply(.wake(application: number, wake, on: eventLoopIDs))
        }
    }

    /// Removes the event loops of a server that has left, so that they are not woken for new messages any more.
    func forget(_ eventLoopIDs: EventLoopSet) {
        state.withLockedValue { $0.audience.remove(eventLoopIDs) }
    }

    /// The timetoken of an equal message that a former leader has stored without answering the publisher; nil without such a message (rule
    /// CR-62).
    func takeUnanswered(_ draft: PubNubDraft) -> UInt64? {
        guard let log, log.hasUnanswered else { return nil }
        let keyset = keyset
        let message = draft.message(timetoken: 0, storesByDefault: keyset.storesByDefault, retention: keyset.historyRetention)
        guard let timetoken = log.takeUnanswered(message, of: subscribeKey) else { return nil }
        push.tell(
            draft.message(timetoken: timetoken, storesByDefault: keyset.storesByDefault, retention: keyset.historyRetention))
        return timetoken
    }

    // MARK: Shares

    /// Adds to the count of an owner; returns true without counting when `owner` is nil. See ``OwnerShares/add(_:to:by:share:at:)``.
    func add(_ size: OwnerShares.Size, to kind: OwnerShares.Kind, by owner: Identifier?, share: OwnerShares.Size) -> Bool {
        guard let owner, size != OwnerShares.Size() else { return true }
        let now = clock.monotonic()
        return shares.withLockedValue { $0.add(size, to: kind, by: owner, share: share, at: now) }
    }

    // MARK: Timetokens

    /// Assigns the next timetoken of the keyset.
    func nextToken(_ state: inout State) -> UInt64 {
        state.highestToken = storage.tokens.next(after: state.highestToken)
        return state.highestToken
    }

    /// Makes the keyset's next timetoken exceed a client's cursor. Other keysets are not affected (rule HB-22).
    ///
    /// - Parameter limit: how far ahead of the clock the cursor may be, in units of 100 ns.
    /// - Returns: false, without a change, for a cursor that exceeds the limit.
    func advance(past cursor: UInt64, within limit: UInt64, _ state: inout State) -> Bool {
        guard cursor > state.highestToken, cursor > storage.tokens.last else { return true }
        guard storage.tokens.isNear(cursor, within: limit) else { return false }
        state.highestToken = cursor
        return true
    }

    /// Whether a poll may wait with a cursor that is ahead of the visible messages. A replica accepts such a cursor within limits, because
    /// the client may have got it from another node. The leader limits how far such a cursor advances the keyset's timetokens.
    func honours(_ cursor: UInt64, _ state: inout State) -> Bool {
        guard relay != nil else { return advance(past: cursor, within: TimetokenClock.furthestCursor, &state) }
        return cursor <= storage.tokens.time || storage.tokens.isNear(cursor, within: TimetokenClock.furthestSkew)
    }

    // MARK: Notifications

    /// Publishes the presence events, and returns which polls have to be woken on which event loops.
    private func announce(
        _ pending: inout PendingNotifications, _ state: inout State
    ) -> (eventLoopIDs: EventLoopSet, wake: PollWake)? {
        for event in pending.events {
            let token = nextToken(&state)
            let envelope = PubNubPresenceEvent(event).envelope(
                timetoken: Timetoken(rawValue: token), region: storage.region, subscribeKey: subscribeKey)
            let message = StoredMessage(
                timetoken: token, channel: Identifier(envelope.channel), payload: envelope.payload, metadata: envelope.metadata,
                isStored: false)
            state.streams.assign(token)
            pending.entries += state.streams.append(message, PubNubElement(shared: envelope.shared))
        }
        var eventLoopIDs = EventLoopSet()
        var sources: [PollSource] = []
        func wakeReaders(of channel: Identifier) {
            var candidates = [PollSource.channel(channel)]
            candidates += state.groupIndex.sources(of: channel)
            candidates += Wildcard.patterns(matching: channel).map { .pattern($0) }
            for source in candidates {
                let loops = state.audience[source]
                guard !loops.isEmpty else { continue }
                sources.append(source)
                eventLoopIDs.formUnion(loops)
            }
        }
        for entry in pending.entries { wakeReaders(of: entry.message.channel) }
        for channel in pending.passed { wakeReaders(of: channel) }
        var changed: [PollSource] = []
        for group in pending.changedGroups {
            for source in [PollSource.group(group), .group(group.presenceChannel)] {
                changed.append(source)
                eventLoopIDs.formUnion(state.audience[source])
            }
        }
        return eventLoopIDs.isEmpty ? nil : (eventLoopIDs, PollWake(sources: sources, changed: changed))
    }
}

// MARK: - Groups

extension PubNubApplication {
    /// Stores a change of a group, then applies it and wakes the polls of the group.
    ///
    /// - Parameters:
    ///   - owner: the user or client address whose share of the limits the addition uses; nil when it counts against no share.
    ///   - decide: changes the keyset's groups; it is called on a copy first.
    /// - Throws: the errors of `decide`, ``ShareUsed``, ``ChangeQueue/Full`` and errors of the store. After an error the groups are
    ///   unchanged.
    func changeGroup(
        by owner: Identifier? = nil, _ decide: @escaping @Sendable (inout ChannelGroups) throws -> ChannelGroupEffect
    ) async throws -> ChannelGroupEffect {
        try await groupQueue.run(for: owner) { [self] in
            // The change is first made to a copy, without holding the lock: the keyset's groups must not change before the store has saved
            // the change.
            let before = withState(\.groups)
            var groups = before
            let decided = try decide(&groups)
            guard decided.hasChanged else { return decided }
            let size = OwnerShares.Size(count: groups.count - before.count, bytes: groups.bytes - before.bytes)
            let share = OwnerShares.Size(count: groups.limits.groups, bytes: groups.limits.bytes).divided()
            guard add(size, to: .groups, by: owner, share: share) else { throw ShareUsed() }
            do {
                try await storage.store.save(group: decided.group, channels: decided.channels, application: subscribeKey)
            } catch {
                _ = add(-size, to: .groups, by: owner, share: share)
                throw error
            }
            return try change { state, pending in
                let change = try decide(&state.groups)
                state.groupIndex.apply(change)
                state.groupVersion += 1
                pending.changedGroups.append(change.group)
                return change
            }
        }
    }
}

extension PubNubEnvelope {
    /// Encodes a published message for subscribe answers.
    init(_ message: StoredMessage, region: Int, subscribeKey: String) {
        self.init(
            channel: message.channel.text, kind: PubNubMessageKind(rawValue: message.kind), publisher: message.publisher,
            sequence: message.sequence, origination: message.origination.map { Timetoken(rawValue: $0) },
            customType: message.customType, timetoken: Timetoken(rawValue: message.timetoken), region: region,
            subscribeKey: subscribeKey, metadata: message.metadata, payload: message.payload)
    }
}

extension PubNubPresenceEvent {
    init(_ event: OccupancyEvent) {
        let action: Action =
            switch event.action {
            case .join: .join
            case .leave: .leave
            case .timeout: .timeout
            case .stateChange: .stateChange
            case .interval: .interval
            }
        self.init(
            action, channel: event.channel.text, user: event.user?.text, timestamp: event.timestamp, occupancy: event.occupancy,
            state: event.state.map { String(decoding: $0, as: UTF8.self) }, joined: event.joined.texts, left: event.left.texts,
            timedOut: event.timedOut.texts, needsRefresh: event.needsRefresh)
    }
}
