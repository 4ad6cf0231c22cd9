import ChatProtocol
import ConnectionEngine
import EngineRuntime
import Identifiers
import WireCoding

/// Translates events of a chat session into `ServiceEvent`s, and tracks which channels are subscribed. A value without side effects.
struct ChatEventTranslation: Sendable {
    /// The result of one state change: events for the client's hub, which distributes them to sequences, and tasks for the adapter, each in
    /// order.
    struct Report: Sendable {
        var events: [ServiceEvent] = []
        var tasks: [Task] = []
    }

    /// A request or another action that the adapter has to perform.
    enum Task: Hashable, Sendable {
        /// Acknowledge all inbox events up to a position. No caller waits for the result.
        case acknowledge(ChatPlace)
        case exit(String)
        /// Answered by ``entered(_:_:)``.
        case enter(Inquiry)
        /// Answered by ``checked(_:_:)``.
        case checkMembership(Inquiry)
        /// Check after a pause whether the user is a member of the group, unless a newer inquiry about the channel was made by
        /// then.
        case checkLater(Inquiry, after: Duration)
        /// Answered by ``counted(_:_:)``.
        case askMembers(Inquiry)
        case resume([UInt64], LifelineError?)
    }

    /// A numbered request about a channel. Only the answer to the channel's latest request is used.
    struct Inquiry: Hashable, Sendable {
        var channel: ChatChannel
        var number: UInt64
    }

    /// The subscription state of a channel that a room or a caller has requested.
    struct Wanted: Sendable {
        /// The names by which the channel was requested: `room` and `open:room` are one channel.
        var names: [String] = []
        var isConfirmed = false
        /// The number of the request about this channel that is in progress; nil for none.
        var inquiry: UInt64?
        /// The ids of the callers that wait for the confirmation.
        var waiters: [UInt64] = []
        /// How many checks of the user's group membership have failed in a row without an answer.
        var failures = 0
        /// Messages that arrived before the service confirmed the subscription; they are delivered after the confirmation.
        var held: [ChatMessage] = []
        /// The moment from which messages may be missing; nil for none. Reported as a gap after the confirmation.
        var gap: Moment?
        var roster = ChannelRoster()
    }

    /// The most messages that are stored for a channel until the service confirms its subscription. Also the most inbox events that are
    /// stored until the first inbox channel is requested.
    static let heldLimit = 1_000

    let tracksPresence: Bool
    /// When the client was made: the start of a gap whose real start is unknown.
    let start: Moment
    var isConnected = false
    /// The error with which the connection failed for good; nil in every phase other than `failed`.
    var failure: LifelineError?
    var user: String?
    var epoch: String?
    /// The requested channels, in the order in which they were requested.
    var order: [ChatChannel] = []
    var wanted: [ChatChannel: Wanted] = [:]
    /// Channel names that have been confirmed; the next confirmation of such a name is a renewal.
    var known: Set<Identifier> = []
    /// Inbox events that arrived before any inbox channel was requested. They are not acknowledged yet (rule NP-26).
    var unclaimed: [ChatInboxItem] = []
    /// When the first inbox event of `unclaimed` arrived; nil when there is none.
    var unclaimedSince: Moment?
    var hasDroppedUnclaimed = false
    var wantsInbox = false
    /// The ids of the latest own messages of the user that were delivered to rooms.
    var own = RecentMessages()
    private var lastInquiry: UInt64 = 0
    private var random: SeededRandom

    init(tracksPresence: Bool, start: Moment, seed: UInt64) {
        self.tracksPresence = tracksPresence
        self.start = start
        random = SeededRandom(seed: seed)
    }

    mutating func inquiry(about channel: ChatChannel) -> Inquiry {
        lastInquiry += 1
        return Inquiry(channel: channel, number: lastInquiry)
    }
}

// Subscribing.
extension ChatEventTranslation {
    mutating func subscribe(_ name: String, waiter: UInt64, at now: Moment) -> Report {
        var report = Report()
        let channel: ChatChannel
        do throws(LifelineError) {
            channel = try ChatChannel(name: name)
        } catch {
            report.events.append(.subscriptionFailed(channel: name, error, willRetry: false))
            report.tasks.append(.resume([waiter], error))
            return report
        }
        if let failure {
            // The connection has failed for good, so the caller gets the error at once instead of waiting forever.
            report.tasks.append(.resume([waiter], failure))
            return report
        }
        let isNew = wanted[channel] == nil
        if isNew { order.append(channel) }
        var want = wanted[channel] ?? Wanted()
        let isNewName = !want.names.contains(name)
        if isNewName { want.names.append(name) }
        if want.isConfirmed {
            if isNewName { report.events.append(confirmation(of: name)) }
            report.tasks.append(.resume([waiter], nil))
        } else {
            want.waiters.append(waiter)
        }
        wanted[channel] = want
        if isNew { begin(channel, at: now, into: &report) }
        if channel.isInInbox { claimInbox(at: now, into: &report) }
        return report
    }

    /// Starts the subscription of a newly requested channel.
    private mutating func begin(_ channel: ChatChannel, at now: Moment, into report: inout Report) {
        // An open channel is entered at once: without a connection, the session enters the channel when it connects.
        if channel.conversation == .open { return ask(channel, into: &report) { .enter($0) } }
        if isConnected { renew(channel, at: now, into: &report) }
    }

    /// Renews the subscription of a channel on a new connection (rule NP-24).
    private mutating func renew(_ channel: ChatChannel, at now: Moment, into report: inout Report) {
        switch channel.conversation {
        case .direct, .system: confirm(channel, at: now, into: &report)
        case .group: ask(channel, into: &report) { .checkMembership($0) }
        // Nothing is requested here: the session itself enters an open channel again and reports the result.
        case .open: return
        }
    }

    private mutating func ask(
        _ channel: ChatChannel, into report: inout Report, _ task: (Inquiry) -> Task
    ) {
        let inquiry = inquiry(about: channel)
        wanted[channel]?.inquiry = inquiry.number
        report.tasks.append(task(inquiry))
    }

    mutating func unsubscribe(_ name: String) -> Report {
        var report = Report()
        guard let channel = try? ChatChannel(name: name), var want = wanted[channel],
            let index = want.names.firstIndex(of: name)
        else { return report }
        want.names.remove(at: index)
        known.remove(Identifier(name))
        wanted[channel] = want
        report.events.append(.unsubscribed(channel: name))
        if want.names.isEmpty {
            let error = LifelineError(.cancelled, "The channel was unsubscribed before the service confirmed its subscription.")
            forget(channel, error, into: &report)
            if channel.conversation == .open { report.tasks.append(.exit(channel.id)) }
        }
        return report
    }

    /// Removes a caller whose task was cancelled while waiting for a confirmation.
    mutating func abandon(waiter: UInt64) -> Report {
        for channel in order { wanted[channel]?.waiters.removeAll { $0 == waiter } }
        return Report(tasks: [.resume([waiter], LifelineError(.cancelled, "The task was cancelled while it was subscribing."))])
    }

    func confirmation(of name: String) -> ServiceEvent {
        .subscribed(channel: name, members: nil, isRenewal: known.contains(Identifier(name)))
    }

    mutating func confirm(_ channel: ChatChannel, at now: Moment, into report: inout Report) {
        guard var want = wanted[channel], !want.isConfirmed else { return }
        want.isConfirmed = true
        want.inquiry = nil
        want.failures = 0
        for name in want.names {
            report.events.append(confirmation(of: name))
            known.insert(Identifier(name))
            if let gap = want.gap { report.events.append(.gap(channel: name, since: gap, .connectionLost)) }
        }
        if !want.waiters.isEmpty { report.tasks.append(.resume(want.waiters, nil)) }
        let held = want.held
        (want.gap, want.held, want.waiters) = (nil, [], [])
        if tracksPresence, channel.conversation == .open {
            let inquiry = inquiry(about: channel)
            want.roster.asked(inquiry.number)
            report.tasks.append(.askMembers(inquiry))
        }
        wanted[channel] = want
        for message in held { tell(message, of: channel, at: now, into: &report) }
    }

    /// Removes a channel whose subscription the service has refused for good.
    mutating func fail(_ channel: ChatChannel, _ error: LifelineError, into report: inout Report) {
        for name in wanted[channel]?.names ?? [] {
            known.remove(Identifier(name))
            report.events.append(.subscriptionFailed(channel: name, error, willRetry: false))
        }
        forget(channel, error, into: &report)
    }

    private mutating func forget(_ channel: ChatChannel, _ error: LifelineError, into report: inout Report) {
        order.removeAll { $0 == channel }
        guard let want = wanted.removeValue(forKey: channel), !want.waiters.isEmpty else { return }
        report.tasks.append(.resume(want.waiters, error))
    }
}

// Handling the service's answers to requests.
extension ChatEventTranslation {
    mutating func entered(_ inquiry: Inquiry, _ failure: ConnectionFailure?, at now: Moment) -> Report {
        var report = Report()
        guard wanted[inquiry.channel]?.inquiry == inquiry.number else { return report }
        if let failure {
            settle(inquiry.channel, failure, into: &report)
        } else {
            confirm(inquiry.channel, at: now, into: &report)
        }
        return report
    }

    mutating func checked(_ inquiry: Inquiry, _ failure: ConnectionFailure?, at now: Moment) -> Report {
        entered(inquiry, failure, at: now)
    }

    /// Handles a failed request. A refusal ends the subscription. A lost connection does not, because the next connection repeats the
    /// request.
    private mutating func settle(_ channel: ChatChannel, _ failure: ConnectionFailure, into report: inout Report) {
        wanted[channel]?.inquiry = nil
        switch failure.category {
        case .accessDenied, .badRequest:
            fail(channel, LifelineError(failure), into: &report)
        case .disconnected, .cancelled:
            // The user disconnected or cancelled the request: waiting callers get the error, and `ClientHub` drops the channel if no room
            // needs it.
            let waiters = wanted[channel]?.waiters ?? []
            wanted[channel]?.waiters = []
            report.tasks.append(.resume(waiters, LifelineError(failure)))
        default:
            // After other failures the session no longer tries to enter an open channel, so its subscription ends. A group's membership is
            // checked again.
            guard let want = wanted[channel] else { return }
            if channel.conversation == .open {
                fail(channel, LifelineError(failure), into: &report)
            } else if isConnected {
                for name in want.names {
                    report.events.append(.subscriptionFailed(channel: name, LifelineError(failure), willRetry: true))
                }
                report.tasks.append(.resume(want.waiters, LifelineError(failure)))
                wanted[channel]?.waiters = []
                checkLater(channel, after: failure, into: &report)
            }
        }
    }

    /// Schedules another membership check, because otherwise the group's messages would be held back until the next connection (rule
    /// NP-30).
    private mutating func checkLater(_ channel: ChatChannel, after failure: ConnectionFailure, into report: inout Report) {
        guard var want = wanted[channel] else { return }
        want.failures += 1
        let asked = failure.retryAfter.map { $0.clamped(to: .zero...Self.pauses.cap) } ?? .zero
        let pause = Self.pauses.pause(afterFailures: want.failures, wasConnected: false, using: &random) ?? .zero
        let inquiry = inquiry(about: channel)
        want.inquiry = inquiry.number
        wanted[channel] = want
        report.tasks.append(.checkLater(inquiry, after: max(pause, asked)))
    }

    private static let pauses = RetrySchedule.jittered(
        first: .seconds(1), base: .seconds(1), cap: .seconds(30), atLeast: .seconds(1))

    /// Checks a group's membership again, after the pause of ``Task/checkLater(_:after:)``.
    func checkAgain(_ inquiry: Inquiry) -> Report {
        guard isConnected, wanted[inquiry.channel]?.inquiry == inquiry.number else { return Report() }
        return Report(tasks: [.checkMembership(inquiry)])
    }

    mutating func counted(_ inquiry: Inquiry, _ answer: Result<[Member], ConnectionFailure>) -> Report {
        var report = Report()
        guard var want = wanted[inquiry.channel], want.roster.question == inquiry.number else { return report }
        switch answer {
        case .success(let members):
            let present = want.roster.answered(members)
            report.events = want.names.map { .present(channel: $0, present) }
        case .failure(let failure):
            want.roster.failed()
            // Without a connection there is no problem to report, because the next connection repeats the request.
            if isConnected { report.events = want.names.map { .problem(LifelineError(failure), channel: $0) } }
        }
        wanted[inquiry.channel] = want
        return report
    }
}

// The connection.
extension ChatEventTranslation {
    mutating func take(_ notices: [Notice<ChatSession>], at now: Moment) -> Report {
        var report = Report()
        for notice in notices {
            switch notice {
            case .change(let change): take(change, at: now, into: &report)
            case .event(let event): take(event, at: now, into: &report)
            case .dropped(let count):
                let error = LifelineError(
                    .init(.messageCountExceeded),
                    "\(count) events were dropped, because the client did not process them fast enough.")
                report.events.append(.problem(error, channel: nil))
            }
        }
        return report
    }

    private mutating func take(_ change: ConnectionChange, at now: Moment, into report: inout Report) {
        report.events.append(.change(change))
        isConnected = change.phase == .connected
        let error = change.cause.map { LifelineError($0) } ?? LifelineError(.disconnectedOnRequest)
        failure = change.phase == .failed ? error : nil
        if isConnected {
            for channel in order { renew(channel, at: now, into: &report) }
            return
        }
        for channel in order {
            wanted[channel]?.isConfirmed = false
            wanted[channel]?.roster.failed()
            // For open channels the request stays pending, because the session itself repeats the entry.
            if channel.conversation != .open { wanted[channel]?.inquiry = nil }
        }
        if change.phase.isTerminal { dismissWaiters(error, into: &report) }
    }

    /// Resumes all waiting callers with an error after `disconnect()`, with or without a connection.
    mutating func disconnected() -> Report {
        var report = Report()
        dismissWaiters(LifelineError(.disconnectedOnRequest), into: &report)
        return report
    }

    private mutating func dismissWaiters(_ error: LifelineError, into report: inout Report) {
        for channel in order {
            guard let waiters = wanted[channel]?.waiters, !waiters.isEmpty else { continue }
            wanted[channel]?.waiters = []
            report.tasks.append(.resume(waiters, error))
        }
    }

    private mutating func take(_ event: ChatSessionEvent, at now: Moment, into report: inout Report) {
        switch event {
        case .welcomed(let welcome):
            user = welcome.user
            if epoch != welcome.place.epoch { (unclaimed, unclaimedSince, hasDroppedUnclaimed) = ([], nil, false) }
            epoch = welcome.place.epoch
        case .received(let items, _, _): receive(items, at: now, into: &report)
        case .transient(let event): take(event, at: now, into: &report)
        case .gap(let since):
            for channel in order where channel.isInInbox { gap(channel, since, into: &report) }
        case .openGap(let channel, let since): gap(ChatChannel(.open, channel), since, into: &report)
        case .reentered(let entrance):
            let channel = ChatChannel(.open, entrance.channel)
            confirm(channel, at: now, into: &report)
            for message in entrance.messages { take(message, at: now, into: &report) }
        case .entryFailed(let channel, let refusal):
            let error = LifelineError(ConnectionFailure(refusal))
            fail(ChatChannel(.open, channel), error, into: &report)
        case .malformed(let reason):
            report.events.append(.problem(LifelineError(.init(.malformedResponse), reason), channel: nil))
        case .caughtUp: return
        }
    }

    mutating func gap(_ channel: ChatChannel, _ since: Moment?, into report: inout Report) {
        guard let want = wanted[channel] else { return }
        let since = since ?? start
        if want.isConfirmed {
            report.events += want.names.map { .gap(channel: $0, since: since, .connectionLost) }
        } else {
            wanted[channel]?.gap = min(want.gap ?? since, since)
        }
    }
}
