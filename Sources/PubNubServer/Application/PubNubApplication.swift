import NIOConcurrencyHelpers
import PubNubProtocol
import RealtimeHub

/// One keyset with all that it owns: streams, presence and groups under one lock, and the way to the store.
///
/// The lock is held for single steps only: never while something is stored, encoded for one subscriber or sent.
final class PubNubApplication: Sendable {
    let keyset: Keyset
    /// The place among the server's keysets.
    let number: Int
    /// Where the keyset is counted.
    let slot: MetricSlot
    let timeline: PubNubTimeline
    let clock: ServerClock
    /// Grants and revoked tokens, and message actions, each with a lock of its own.
    let grants = GrantBook()
    let actions = ActionBook()
    /// The bridge, if it takes this keyset's messages.
    let bridge: ServiceBridge?
    private let outlets: [LoopOutlet]
    private let state: NIOLockedValueBox<State>

    /// What the lock guards.
    struct State: Sendable {
        var streams: StreamBook<PubNubElement>
        var occupancy: OccupancyBook
        fileprivate(set) var groups: GroupBook
        fileprivate var groupIndex: PubNubGroupIndex
        /// Counts changes of groups, so that whoever resolved them knows when to do it again.
        fileprivate(set) var groupVersion = 0
        var audience = PubNubAudience()
        /// Messages, signals and fires that were acknowledged since the start, those of the bridge excepted.
        var published = 0
    }

    init(
        keyset: Keyset, number: Int, slot: MetricSlot = .otherPubNub, timeline: PubNubTimeline, restored: RestoredState,
        limits: StreamLimits, clock: ServerClock,
        outlets: [LoopOutlet], bridge: ServiceBridge? = nil
    ) {
        self.keyset = keyset
        self.number = number
        self.slot = slot
        self.timeline = timeline
        self.clock = clock
        self.outlets = outlets
        self.bridge = bridge?.settings.subscribeKey == keyset.subscribeKey ? bridge : nil
        let groups = GroupBook(restoring: restored.groups[keyset.subscribeKey] ?? [:])
        state = NIOLockedValueBox(
            State(
                streams: Self.streams(restored, keyset, timeline, limits),
                occupancy: OccupancyBook(settings: OccupancySettings(keyset: keyset)), groups: groups,
                groupIndex: PubNubGroupIndex(groups)))
    }

    /// Streams as they were, as far as the store remembers them; readers begin after all that is past.
    private static func streams(
        _ restored: RestoredState, _ keyset: Keyset, _ timeline: PubNubTimeline, _ limits: StreamLimits
    ) -> StreamBook<PubNubElement> {
        let start = timeline.last
        let recent = restored.recent[keyset.subscribeKey] ?? []
        let first = recent.first.map { $0.timetoken - 1 }
        var streams = StreamBook<PubNubElement>(
            limits: limits, startingAt: first ?? start, forgotten: restored.remembersStream ? first ?? 0 : start)
        for message in recent {
            let envelope = PubNubEnvelope(message, region: timeline.region, subscribeKey: keyset.subscribeKey)
            _ = streams.append(message, PubNubElement(shared: envelope.shared))
        }
        streams.assign(start)
        _ = streams.abandon(start)
        return streams
    }

    /// The time as presence wants it.
    var occupancyTime: OccupancyTime {
        OccupancyTime(instant: clock.monotonic(), unixSeconds: clock.unixSeconds())
    }

    /// How many messages have been published through PubNub's API since the start.
    var publishedCount: Int { state.withLockedValue(\.published) }

    /// Looks at, or changes, what the lock guards. Nothing in `body` may wait or call out.
    func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLockedValue(body)
    }

    /// Changes what the lock guards and tells what came of it: presence events that `body` collects are published, and polls
    /// woken.
    func change<Result>(_ body: (inout State, inout PubNubNews) throws -> Result) rethrows -> Result {
        let (result, calls) = try state.withLockedValue { state in
            var news = PubNubNews()
            let result = try body(&state, &news)
            return (result, news.isEmpty ? [] : announce(&news, &state))
        }
        for call in calls { outlets[call.partition].enqueue(.wake(application: number, call.wake)) }
        return result
    }

    // MARK: News

    /// Publishes presence events and finds whom to wake where.
    private func announce(_ news: inout PubNubNews, _ state: inout State) -> [(partition: Int, wake: PollWake)] {
        for event in news.events {
            let token = timeline.next()
            let envelope = PubNubPresenceEvent(event).envelope(
                timetoken: Timetoken(rawValue: token), region: timeline.region, subscribeKey: keyset.subscribeKey)
            let message = StoredMessage(
                timetoken: token, channel: envelope.channel, payload: envelope.payload, metadata: envelope.metadata,
                isStored: false)
            state.streams.assign(token)
            news.entries += state.streams.append(message, PubNubElement(shared: envelope.shared))
        }
        var partitions = PartitionSet()
        var sources: [PollSource] = []
        for entry in news.entries {
            let channel = entry.message.channel
            var candidates = [PollSource.channel(channel)]
            candidates += state.groupIndex.sources(of: channel)
            candidates += Wildcard.patterns(matching: channel).map { .pattern($0) }
            for source in candidates {
                let loops = state.audience[source]
                guard !loops.isEmpty else { continue }
                sources.append(source)
                for partition in loops { partitions.insert(partition) }
            }
        }
        var changed: [PollSource] = []
        for group in news.changedGroups {
            for source in [PollSource.group(group), .group(group + PubNubMessage.presenceSuffix)] {
                changed.append(source)
                for partition in state.audience[source] { partitions.insert(partition) }
            }
        }
        guard !partitions.isEmpty else { return [] }
        let wake = PollWake(sources: sources, changed: changed)
        return partitions.filter { $0 < outlets.count }.map { ($0, wake) }
    }
}

// MARK: - Groups

extension PubNubApplication {
    /// Changes a group, wakes its polls, and has the change stored.
    ///
    /// - Parameter body: makes the change in the book of groups.
    /// - Returns: once the store has it.
    func changeGroup(_ body: @Sendable (inout GroupBook) throws -> GroupChange) async throws -> GroupChange {
        let change = try change { state, news in
            let change = try body(&state.groups)
            guard change.hasChanged else { return change }
            state.groupIndex.apply(change)
            state.groupVersion += 1
            news.changedGroups.append(change.group)
            return change
        }
        if change.hasChanged {
            try await timeline.store.save(
                group: change.group, channels: change.channels, application: keyset.subscribeKey)
        }
        return change
    }
}

extension PubNubEnvelope {
    /// The element of a published message.
    init(_ message: StoredMessage, region: Int, subscribeKey: String) {
        self.init(
            channel: message.channel, kind: PubNubMessageKind(rawValue: message.kind), publisher: message.publisher,
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
            action, channel: event.channel, user: event.user, timestamp: event.timestamp, occupancy: event.occupancy,
            state: event.state.map { String(decoding: $0, as: UTF8.self) }, joined: event.joined, left: event.left,
            timedOut: event.timedOut, needsRefresh: event.needsRefresh)
    }
}
