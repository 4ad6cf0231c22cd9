import Observation

/// A channel for a view: its decoded messages, gaps at their positions, and members. On the main actor. Rules UI-2 to UI-6.
///
/// ```swift
/// @State private var prices = ChannelModel(client.channel("prices"), of: Price.self, event: "price", history: 20)
///
/// List(prices.rows) { row in … }
///     .task { await prices.run() }
/// ```
///
/// The channel is subscribed while ``run()`` runs. SwiftUI cancels a `task` when its view disappears, which ends the subscription.
@available(macOS 14, iOS 17, tvOS 17, visionOS 1, *)
@MainActor @Observable
public final class ChannelModel<Value: Decodable & Sendable> {
    /// The channel, for publishing and for checking its features.
    public let channel: Channel
    /// The state of the subscription.
    public private(set) var phase = ChannelPhase.idle
    /// The rows of the list, oldest first, as many as the limit allows.
    public var rows: [ChannelRow<Value>] { state.rows }
    /// The members of the channel, in the order of arrival; empty when the service does not report them.
    public private(set) var members: [Member] = []
    /// Why the history could not be loaded, at first or for older messages; nil when it was loaded. Live messages arrive regardless.
    public private(set) var historyProblem: LifelineError?
    /// Whether ``loadOlder(_:)`` may return more.
    public private(set) var hasOlder = false

    private var state: ChannelTimeline<Value>
    @ObservationIgnored private let history: Int
    @ObservationIgnored private var isRunning = false
    @ObservationIgnored private var isLoading = false
    /// Where the next older page ends. Rule UI-8: not always a row, because other events are left out.
    @ObservationIgnored private var older: String?
    /// How often ``run()`` has subscribed.
    @ObservationIgnored private var generation = 0

    /// A model that is not subscribed yet; see ``run()``.
    ///
    /// - Parameters:
    ///   - channel: a channel of a client, whether it is connected or not.
    ///   - type: the type of the payload.
    ///   - event: only messages of this event; nil for all.
    ///   - history: how many of the last messages the list begins with, if the service stores them; 0 for none.
    ///   - limit: how many rows are kept, at least 1; the oldest ones are dropped.
    public init(
        _ channel: Channel, of type: Value.Type = Value.self, event: String? = nil, history: Int = 0, limit: Int = 1_000
    ) {
        self.channel = channel
        self.history = channel.supports(.history) ? min(max(history, 0), max(limit, 1)) : 0
        state = ChannelTimeline(event: event, limit: limit)
    }

    /// The values of the rows that are messages, oldest first.
    public var values: [Value] { rows.compactMap(\.value) }

    /// Subscribes the channel and keeps the model up to date, until the task is cancelled, the service refuses the channel, or the client is
    /// released. Then the subscription has ended. Does nothing while another call runs.
    public func run() async {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        phase = .subscribing
        do throws(LifelineError) {
            let room = try await channel.subscribe()
            defer { room.unsubscribe() }
            // Opened first, so that no message is lost while the history is loaded.
            let deliveries = room.deliveries
            await begin()
            phase = .live
            await withTaskGroup(of: Void.self) { group in
                if let presence = try? room.presence {
                    let lists = presence.memberLists
                    group.addTask { [weak self] in
                        for await members in lists { await self?.take(members) }
                    }
                }
                await follow(deliveries)
                group.cancelAll()
            }
            members = []
            if case .live = phase { phase = .idle }
        } catch {
            phase = error.code == .cancelled ? .idle : .failed(error)
        }
    }

    /// Reads a page of messages that are older than the first row, and puts them in front. Does nothing when there are none, the limit is
    /// reached, or another call runs. A page may have no message of the requested event; while ``hasOlder`` is true, the next call continues
    /// before it.
    ///
    /// - Parameter count: the maximum number of messages, 1 to 100.
    public func loadOlder(_ count: Int = 50) async {
        guard hasOlder, !isLoading, let place = older else { return }
        let run = generation
        isLoading = true
        defer { isLoading = false }
        do throws(LifelineError) {
            let page = try await channel.history(before: place, limit: max(count, 1))
            // Another subscription began in the meantime, or rows were dropped that this page would precede.
            guard run == generation, !state.isCut else { return }
            state.take(older: page)
            hasOlder = page.older != nil && page.older != place && !state.isCut
            older = page.older
            historyProblem = nil
        } catch {
            if run == generation { historyProblem = error }
        }
    }

    private func begin() async {
        state.begin(withHistory: history > 0)
        generation += 1
        hasOlder = false
        historyProblem = nil
        guard history > 0 else { return }
        do throws(LifelineError) {
            let past = try await channel.readableHistory(last: history)
            state.take(past: past.messages)
            older = past.older
            hasOlder = older != nil && !state.isCut
        } catch {
            historyProblem = error
        }
    }

    private func follow(_ deliveries: Deliveries) async {
        for await delivery in deliveries {
            state.take(delivery)
            if state.isCut { hasOlder = false }
            if case .failed(let error, willRetry: false) = delivery, error.code != .decryptionFailed { phase = .failed(error) }
        }
    }

    private func take(_ members: [Member]) {
        self.members = members
    }
}
