import Observation

/// The state of a channel for a view: its decoded messages, gaps at their positions, and members. On the main actor. Rules UI-2 to UI-6.
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
    /// Whether the channel is being subscribed, is subscribed, or was refused.
    public private(set) var phase = ChannelPhase.idle
    /// The rows of the list, oldest first. When there are more than the limit, the oldest rows are dropped.
    public var rows: [ChannelRow<Value>] { state.rows }
    /// The members of the channel, in the order in which they joined; empty when the service does not report members.
    public private(set) var members: [Member] = []
    /// The error of the latest attempt to load the history or older messages; nil when it succeeded. Live messages arrive in any case.
    public private(set) var historyProblem: LifelineError?
    /// Whether ``loadOlder(_:)`` may find more messages.
    public private(set) var hasOlder = false

    private var state: ChannelTimeline<Value>
    @ObservationIgnored private let history: Int
    @ObservationIgnored private var isRunning = false
    @ObservationIgnored private var isLoading = false
    /// The id before which the next older page ends. It may be the id of a message without a row, because only messages of the model's
    /// event have rows (rule UI-8).
    @ObservationIgnored private var older: String?
    /// How many subscriptions ``run()`` has made. A page that was requested for an earlier subscription is ignored.
    @ObservationIgnored private var generation = 0

    /// Makes a model. The channel is not subscribed until ``run()`` is called.
    ///
    /// - Parameters:
    ///   - channel: a channel of a client, whether the client is connected or not.
    ///   - type: the type of the payload.
    ///   - event: only messages of this event; nil for all messages.
    ///   - history: with how many of the latest messages the list begins, if the service stores them; 0 for none.
    ///   - limit: how many rows are kept, at least 1; the oldest rows are dropped.
    public init(
        _ channel: Channel, of type: Value.Type = Value.self, event: String? = nil, history: Int = 0, limit: Int = 1_000
    ) {
        self.channel = channel
        self.history = channel.supports(.history) ? min(max(history, 0), max(limit, 1)) : 0
        state = ChannelTimeline(event: event, limit: limit)
    }

    /// The decoded values of all rows that have one, oldest first.
    public var values: [Value] { rows.compactMap(\.value) }

    /// Subscribes the channel and keeps the model up to date, until the task is cancelled, the service refuses the channel, or the client
    /// is released. When the method returns, the subscription has ended. Does nothing while another call runs.
    public func run() async {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        phase = .subscribing
        do throws(LifelineError) {
            let room = try await channel.subscribe()
            defer { room.unsubscribe() }
            // The live sequence is opened before the history is loaded, so that no message between the two is lost.
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

    /// Loads a page of messages that are older than the first row, and inserts them before it. Does nothing when there are no older
    /// messages, when the limit is reached, or while another call runs.
    ///
    /// A page may have no message of the requested event. While ``hasOlder`` is true, the next call continues before that page.
    ///
    /// - Parameter count: the maximum number of messages, 1 to 100.
    public func loadOlder(_ count: Int = 50) async {
        guard hasOlder, !isLoading, let place = older else { return }
        let run = generation
        isLoading = true
        defer { isLoading = false }
        do throws(LifelineError) {
            let page = try await channel.history(before: place, limit: max(count, 1))
            // The page is ignored if a new subscription began during the request, or if rows that would follow the page were dropped.
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
