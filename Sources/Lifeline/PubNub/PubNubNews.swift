import ConnectionEngine
import EngineRuntime
import Identifiers
import PubNubProtocol
import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Translates events of a PubNub subscription into `ServiceEvent`s. A value without side effects.
struct PubNubNews: Sendable {
    /// A numbered here-now request for a channel or the room of a group.
    struct Question: Hashable, Sendable {
        var channel: String
        var number: UInt64
    }

    /// The result of one input: events for the client's hub, which distributes them to sequences, and here-now requests for the adapter.
    struct Report: Sendable {
        var events: [ServiceEvent] = []
        var questions: [Question] = []
    }

    /// This client's user id.
    private let user: String
    private let cipher: PubNubCipher?
    private let tracksPresence: Bool
    /// The longest time for which a live connection can delay a message (rule LL-8).
    let allowance: Duration
    /// The channels that the service has confirmed on the present connection.
    private var confirmed: Set<Identifier> = []
    /// The channels that the service has confirmed on any connection; a further confirmation is a renewal.
    private var known: Set<Identifier> = []
    private var rosters: [Identifier: ChannelRoster] = [:]
    /// For each wildcard subscription, the members on the channels that the wildcard covers.
    private var below: [Identifier: WildcardMembers] = [:]
    /// For each subscribed group, by its room name, the users on the group's channels.
    private var groups: [Identifier: GroupRoster] = [:]
    private var lastQuestion: UInt64 = 0

    init(user: String, cipher: PubNubCipher?, tracksPresence: Bool, allowance: Duration) {
        self.user = user
        self.cipher = cipher
        self.tracksPresence = tracksPresence
        self.allowance = allowance
    }

    mutating func take(_ notices: [Notice<PubNubSession>], at now: Moment) -> Report {
        var report = Report()
        for (index, notice) in notices.enumerated() {
            switch notice {
            case .change(let change):
                if change.phase != .connected { confirmed = [] }
                report.events.append(.change(change))
            case .event(.gap(let list, let since, _)):
                // If the gap was caused by an overflow of the service's queue, the next notice reports the overflow.
                var isOverflow = false
                if index + 1 < notices.count, case .event(.messageCountExceeded) = notices[index + 1] { isOverflow = true }
                gap(on: list, since: since, isOverflow ? .tooMany : .connectionLost, into: &report)
            case .event(let event):
                take(event, at: now, into: &report)
            case .dropped(let count):
                let error = LifelineError(
                    .init(.messageCountExceeded),
                    "\(count) events were dropped, because the client did not process them fast enough.")
                report.events.append(.problem(error, channel: nil))
            }
        }
        return report
    }

    /// Applies the answer to a here-now request. The answer to an outdated request changes nothing.
    mutating func answered(_ question: Question, _ answer: Result<[GroupRoster.Channel], LifelineError>) -> Report {
        if groups[Identifier(question.channel)]?.question == question.number {
            switch answer {
            case .success(let channels):
                let present = groups[Identifier(question.channel)]?.answered(channels) ?? []
                return Report(events: [.present(channel: question.channel, present)])
            case .failure(let error):
                groups[Identifier(question.channel)]?.failed()
                return Report(events: [.problem(error, channel: question.channel)])
            }
        }
        guard rosters[question.channel]?.question == question.number else { return Report() }
        switch answer {
        case .success(let channels):
            let members = channels.first { $0.name.isExactly(question.channel) }?.members ?? []
            var present = rosters[question.channel]?.answered(members) ?? members
            // The service's answer lists only the users on the wildcard itself, so the known users on covered channels are added.
            let others = below[Identifier(question.channel)]?.members ?? []
            let known = others.isEmpty ? [] : Set(present.map { Identifier($0.id) })
            present += others.filter { !known.contains(Identifier($0.id)) }
            return Report(events: [.present(channel: question.channel, present)])
        case .failure(let error):
            rosters[question.channel]?.failed()
            return Report(events: [.problem(error, channel: question.channel)])
        }
    }

    private mutating func take(_ event: PubNubSessionEvent, at now: Moment, into report: inout Report) {
        switch event {
        case .subscribed(let list, _, _, _):
            for channel in list.rooms where confirmed.insert(Identifier(channel)).inserted {
                let isRenewal = !known.insert(Identifier(channel)).inserted
                report.events.append(.subscribed(channel: channel, members: nil, isRenewal: isRenewal))
                if tracksPresence { ask(channel, into: &report) }
            }
        case .unsubscribed(let list, _):
            for channel in list.rooms {
                confirmed.remove(Identifier(channel))
                known.remove(Identifier(channel))
                rosters[channel] = nil
                below[Identifier(channel)] = nil
                groups[Identifier(channel)] = nil
                report.events.append(.unsubscribed(channel: channel))
            }
        case .messages(let batch):
            for message in batch.messages where !takeTyping(message, at: batch.current.timetoken, into: &report) {
                take(message, at: now, into: &report)
            }
        case .problem(let problem):
            // Other problems are not reported here, because a change of the connection's phase reports them.
            guard problem.category == .accessDenied else { return }
            // The names of denied groups begin with a colon, as the names of their rooms do.
            let denied = (problem.channels + problem.channelGroups).filter { !$0.hasByteSuffix(PubNubMessage.presenceSuffix) }
            for channel in denied {
                report.events.append(.subscriptionFailed(channel: channel, LifelineError(problem), willRetry: true))
            }
            if denied.isEmpty { report.events.append(.problem(LifelineError(problem), channel: nil)) }
        case .unreadable(let count, _, _):
            report.events.append(.problem(LifelineError(PubNubProblem.unreadable(count).failure), channel: nil))
        case .leaveFailed(let problem):
            report.events.append(.problem(LifelineError(problem), channel: nil))
        case .gap, .messageCountExceeded, .heartbeat:
            return
        }
    }

    /// Reports a gap for each room. It begins earlier than `since` by the allowance, because a message that the latest answer did not
    /// contain may have been published before that answer arrived (rule LL-16).
    private func gap(on list: PubNubList, since: Moment, _ reason: Gap.Reason, into report: inout Report) {
        let since = since + (.zero - allowance)
        for channel in list.rooms {
            report.events.append(.gap(channel: channel, since: since, reason))
        }
    }
}

/// Messages.
extension PubNubNews {
    private mutating func take(_ message: PubNubMessage, at now: Moment, into report: inout Report) {
        if message.isPresence {
            guard let event = PubNubPresenceEvent(message) else { return }
            if !groups.isEmpty { take(event, in: groups(of: event, in: message), into: &report) }
            if rosters[Identifier(event.channel)] == nil, let pattern = presencePattern(of: message) {
                take(event, below: pattern, into: &report)
            } else {
                take(event, into: &report)
            }
            return
        }
        let pattern = pattern(of: message)
        // A room of a wildcard or a group has no reactions, so in such a room a message action stays a message.
        if message.kind == .action, pattern == nil, let change = ReactionChange(message) {
            report.events.append(.reaction(channel: message.channel, change))
            return
        }
        do throws(PubNubCipherError) {
            report.events.append(
                .message(
                    Message(
                        channel: message.channel, pattern: pattern,
                        event: Self.event(message.customType, message.kind),
                        text: try Self.opened(message.payload, message.kind, with: cipher), id: message.timetoken.description,
                        user: message.publisher, publishedAt: message.timetoken.date, receivedAt: now)))
        } catch {
            report.events.append(.problem(.undecryptable(error), channel: pattern ?? message.channel))
        }
    }

    /// Handles typing signals (rule LL-123). A signal that is older than ``TypingRoster/lifetime``, such as one that the client fetches
    /// after an outage, is ignored.
    ///
    /// - Parameter position: the timetoken at which the answer with the message ends.
    /// - Returns: whether the message is a typing signal.
    private func takeTyping(_ message: PubNubMessage, at position: Timetoken, into report: inout Report) -> Bool {
        guard message.kind == .signal, !message.isPresence, let signal = TypingSignal(message.payload) else { return false }
        guard let publisher = message.publisher, !publisher.isExactly(user),
            position.duration(since: message.timetoken) < TypingRoster.lifetime
        else { return true }
        report.events.append(.typing(channel: message.channel, user: publisher, isTyping: signal.isTyping))
        return true
    }

    /// The wildcard or the room name of the group by whose subscription the message arrived; nil for the channel's own subscription (rules
    /// LL-21 and LL-55).
    private func pattern(of message: PubNubMessage) -> String? {
        guard let subscription = message.subscription else { return nil }
        if subscription.hasByteSuffix(".*") { return subscription }
        let room = PubNubGroupRoom.name(of: subscription)
        return confirmed.contains(Identifier(room)) && !confirmed.contains(Identifier(message.channel)) ? room : nil
    }

    /// The event name of a message: its custom type, or otherwise the kind of message (rule LL-18).
    static func event(_ customType: String?, _ kind: PubNubMessageKind?) -> String {
        if let customType { return customType }
        switch kind {
        case .signal?: return "signal"
        case .object?: return "object"
        case .action?: return "action"
        case .file?: return "file"
        default: return Message.defaultEvent
        }
    }

    /// Decrypts the payload of a message or a file. Other kinds of messages are never encrypted and are returned unchanged.
    static func opened(
        _ payload: String, _ kind: PubNubMessageKind?, with cipher: PubNubCipher?
    ) throws(PubNubCipherError) -> String {
        guard let cipher, kind == nil || kind == .message || kind == .file else { return payload }
        return try cipher.decrypt(message: payload)
    }
}

/// Presence.
extension PubNubNews {
    private mutating func ask(_ channel: String, into report: inout Report) {
        lastQuestion += 1
        if PubNubGroupRoom.group(of: channel) == nil {
            rosters[channel, default: ChannelRoster()].asked(lastQuestion)
        } else {
            groups[Identifier(channel), default: GroupRoster()].asked(lastQuestion)
        }
        report.questions.append(Question(channel: channel, number: lastQuestion))
    }

    /// The subscribed wildcard by which a presence event arrived; nil for an event of another subscription.
    private func presencePattern(of message: PubNubMessage) -> String? {
        guard let pattern = message.subscription?.droppingByteSuffix(PubNubMessage.presenceSuffix),
            pattern.hasByteSuffix(".*"), rosters[Identifier(pattern)] != nil
        else { return nil }
        return pattern
    }

    /// The rooms of groups that a presence event concerns: the room of the group by which the event arrived. If the event's channel is also
    /// subscribed directly, the rooms of all groups with known members on that channel.
    private func groups(of event: PubNubPresenceEvent, in message: PubNubMessage) -> [Identifier] {
        let subscription = message.subscription?.droppingByteSuffix(PubNubMessage.presenceSuffix)
        let room = subscription.map { Identifier(PubNubGroupRoom.name(of: $0)) }
        if let room, groups[room] != nil, rosters[Identifier(event.channel)] == nil { return [room] }
        return groups.filter { $0.key == room || $0.value.knows(event.channel) }.map(\.key)
    }

    /// Applies a presence event to the rooms of groups. A user on a channel of a group is a member of the group's room (rule LL-118).
    private mutating func take(_ event: PubNubPresenceEvent, in rooms: [Identifier], into report: inout Report) {
        for room in rooms {
            guard var roster = groups[room] else { continue }
            for id in event.came {
                let member = roster.joined(id, on: event.channel, info: id == event.user ? event.state : nil)
                report.events.append(.joined(channel: room.text, member))
            }
            for id in event.went where roster.left(id, event.channel) {
                report.events.append(.left(channel: room.text, memberID: id))
            }
            groups[room] = roster
            guard event.action == .interval, roster.question == nil else { continue }
            if event.needsRefresh || roster.count(on: event.channel) != event.occupancy { ask(room.text, into: &report) }
        }
    }

    /// Applies a presence event to the room of a wildcard. A user on a covered channel is a member of the wildcard's room (rule LL-57).
    private mutating func take(_ event: PubNubPresenceEvent, below pattern: String, into report: inout Report) {
        var members = below[Identifier(pattern)] ?? WildcardMembers()
        for id in event.came {
            let member = members.joined(id, on: event.channel, info: id == event.user ? event.state : nil)
            report.events.append(.joined(channel: pattern, member))
        }
        for id in event.went where members.left(id, event.channel) {
            guard rosters[Identifier(pattern)]?.contains(id) != true else { continue }
            report.events.append(.left(channel: pattern, memberID: id))
        }
        below[Identifier(pattern)] = members
    }

    private mutating func take(_ event: PubNubPresenceEvent, into report: inout Report) {
        guard var roster = rosters[event.channel] else { return }
        for id in event.came {
            let member = roster.joined(id, info: id == event.user ? event.state : nil)
            report.events.append(.joined(channel: event.channel, member))
        }
        for id in event.went {
            roster.left(id)
            guard below[Identifier(event.channel)]?.contains(id) != true else { continue }
            report.events.append(.left(channel: event.channel, memberID: id))
        }
        rosters[event.channel] = roster
        // Only interval events can omit users who joined or left, so the members are requested again if the event's count differs.
        let isIncomplete = event.needsRefresh || roster.count != event.occupancy
        if event.action == .interval, roster.question == nil, isIncomplete { ask(event.channel, into: &report) }
    }
}

extension PubNubPresenceEvent {
    /// The users whom the event reports as present: those who joined, or who changed state.
    fileprivate var came: [String] {
        joined + ([.join, .stateChange].contains(action) ? [user].compactMap { $0 } : [])
    }

    /// The users whom the event reports as gone: those who left or timed out.
    fileprivate var went: [String] {
        left + timedOut + ([.leave, .timeout].contains(action) ? [user].compactMap { $0 } : [])
    }
}

extension LifelineError {
    /// Makes an error from a problem. The error's reason includes the service's own message.
    init(_ problem: PubNubProblem) {
        self.init(problem.failure)
        if problem.failure.httpStatus != nil, let information = problem.information { reason += " It says: \(information)" }
    }

    static func undecryptable(_ error: PubNubCipherError) -> LifelineError {
        LifelineError(.init(.decryptionFailed), "A message could not be decrypted. \(error)")
    }
}

extension Timetoken {
    /// The time from `earlier` to this timetoken; zero when this timetoken is not later.
    func duration(since earlier: Timetoken) -> Duration {
        let (difference, isEarlier) = rawValue.subtractingReportingOverflow(earlier.rawValue)
        // The difference is converted from 100 ns to microseconds, because a tenth of any timetoken fits in an Int64.
        return isEarlier ? .zero : .microseconds(Int64(difference / 10))
    }

    /// The timetoken as a date; its unit is 100 ns since 1970.
    var date: Date { Date(timeIntervalSince1970: Double(rawValue) / 10_000_000) }
}
