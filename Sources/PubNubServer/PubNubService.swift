import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import RealtimeHub
import ServerRuntime

/// What the PubNub front is told.
package struct PubNubServiceSettings: Sendable {
    /// Of several with the same subscribe key the first one counts.
    package var keysets: [Keyset]
    /// How long a poll is held before it is answered with nothing.
    package var pollHold: Duration
    /// How many messages of a channel are kept for polls to catch up with.
    package var pollQueueLength: Int
    /// The keyset whose public channels are shared with other services.
    package var bridgedKey: String?

    package init(keysets: [Keyset], pollHold: Duration, pollQueueLength: Int, bridgedKey: String? = nil) {
        self.keysets = keysets
        self.pollHold = pollHold
        self.pollQueueLength = pollQueueLength
        self.bridgedKey = bridgedKey
    }
}

extension ServiceName {
    package static let pubnub = ServiceName(rawValue: "pubnub")
}

/// All keysets of a server: those that are configured, and those that were and are not served any more.
package final class PubNubService: Sendable {
    let context: ServerContext
    let settings: PubNubServiceSettings
    let timeline: PubNubTimeline
    let mailboxes: [EventLoopMailbox<PubNubLoop>]
    private let loopCounts: [NIOLockedValueBox<PubNubCounts>]
    let pollKind: RequestKind
    let requestKind: RequestKind
    private let bridge: (any BridgeTap)?
    private let state = NIOLockedValueBox(State())

    private struct State: Sendable {
        /// By their numbers. A keyset that is not configured any more stays, so that it has what it had when it comes back.
        var applications: [PubNubApplication] = []
        /// Those of them that are configured.
        var configured: [Identifier: PubNubApplication] = [:]
    }

    package init(
        _ settings: PubNubServiceSettings, _ context: ServerContext, store: any MessageStore, restored: RestoredState,
        bridge: (any BridgeTap)? = nil
    ) {
        self.context = context
        self.settings = settings
        self.bridge = bridge
        timeline = PubNubTimeline(store: store, restored: restored, unixTicks: context.clock.unixTicks)
        let loopCounts = context.loops.map { _ in NIOLockedValueBox(PubNubCounts()) }
        self.loopCounts = loopCounts
        mailboxes = zip(context.loops, loopCounts).map { EventLoopMailbox($0.queue, PubNubLoop($0, $1)) }
        pollKind = context.requestKinds.add("poll")
        requestKind = context.requestKinds.add("pubnub")
        _ = context.names.other(.pubnub)
        take(PubNubReload(keysets: settings.keysets, new: make(settings.keysets, restored: restored)))
    }

    /// Has the store promise timetokens. To be called before the first request.
    package func prepare() async throws {
        try await timeline.prepare()
    }

    /// Messages, signals and fires that were published through PubNub's API since the start.
    package var published: Int { applications.reduce(0) { $0 + $1.publishedCount } }

    /// Polls and the messages in their answers; may lag behind by a second.
    package var counts: PubNubCounts { loopCounts.reduce(into: PubNubCounts()) { $0 += $1.withLockedValue { $0 } } }

    var applications: [PubNubApplication] { state.withLockedValue(\.applications) }

    /// The keyset that serves requests with this key.
    func application(subscribeKey: String) -> PubNubApplication? {
        let key = Identifier(subscribeKey)
        return state.withLockedValue { $0.configured[key] }
    }

    /// Closes the connections of all held polls.
    package func disconnectPolls() {
        for mailbox in mailboxes { mailbox.enqueue(.disconnect) }
    }
}

// What time brings.
extension PubNubService {
    /// Looks for users that have fallen silent, and forgets messages that nobody can catch up from any more.
    package func sweep() {
        timeline.sweep()
        let now = timeline.now
        for application in applications {
            sweepPresence(of: application)
            application.withState { $0.streams.sweep(at: now) }
        }
    }

    /// In slices, between which the event loop does other things (rule PV-116).
    private func sweepPresence(of application: PubNubApplication) {
        let time = application.occupancyTime
        let isUnfinished = application.change { state, news in
            state.occupancy.sweep(at: time, limit: PresenceLimits.slice, into: &news.events)
        }
        guard isUnfinished else { return }
        guard let loop = context.loops.first?.eventLoop else { return sweepPresence(of: application) }
        loop.execute { self.sweepPresence(of: application) }
    }
}

// MARK: - What a reload can change

/// Keysets that are about to be taken over, and those of them that have to be added, ready to serve.
package struct PubNubReload: Sendable {
    let keysets: [Keyset]
    let new: [PubNubApplication]
}

extension PubNubService {
    /// Makes what a change of the keysets needs. Changes nothing yet. Not to be called again before ``take(_:)``.
    ///
    /// - Throws: when the store does not say what it remembers of a new keyset.
    package func prepare(_ keysets: [Keyset]) async throws -> PubNubReload {
        let known = Set(applications.map { Identifier($0.subscribeKey) })
        guard keysets.contains(where: { !known.contains(Identifier($0.subscribeKey)) }) else {
            return PubNubReload(keysets: keysets, new: [])
        }
        return PubNubReload(keysets: keysets, new: make(keysets, restored: try await timeline.store.restore()))
    }

    /// Serves these keysets from now on, and no others. Of several with the same key the first one counts (rule PV-150).
    package func take(_ reload: PubNubReload) {
        var settings: [Identifier: Keyset] = [:]
        for keyset in reload.keysets where settings[Identifier(keyset.subscribeKey)] == nil {
            settings[Identifier(keyset.subscribeKey)] = keyset
        }
        let applications = state.withLockedValue { state in
            state.applications += reload.new
            state.configured = [:]
            for application in state.applications where settings[Identifier(application.subscribeKey)] != nil {
                state.configured[Identifier(application.subscribeKey)] = application
            }
            return state.applications
        }
        for application in applications { application.use(settings[Identifier(application.subscribeKey)]) }
    }

    /// Applications for keysets that are not known yet, numbered behind those that are.
    private func make(_ keysets: [Keyset], restored: RestoredState) -> [PubNubApplication] {
        let applications = applications
        var known = Set(applications.map { Identifier($0.subscribeKey) })
        var new: [PubNubApplication] = []
        for keyset in keysets where known.insert(Identifier(keyset.subscribeKey)).inserted {
            new.append(
                PubNubApplication(
                    keyset: keyset, number: applications.count + new.count,
                    slot: context.names.slot(.pubnub, keyset.subscribeKey), timeline: timeline, restored: restored,
                    limits: StreamLimits(perChannel: settings.pollQueueLength), clock: context.clock, mailboxes: mailboxes,
                    pollHold: settings.pollHold, pollKind: pollKind,
                    bridge: settings.bridgedKey?.isExactly(keyset.subscribeKey) == true ? bridge : nil))
        }
        return new
    }
}
