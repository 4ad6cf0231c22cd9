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

/// Translates events of a PubNub subscription into `ServiceEvent`s. A pure value.
struct PubNubNews: Sendable {
    /// A here-now request for a channel.
    struct Question: Hashable, Sendable {
        var channel: String
        var number: UInt64
    }

    /// The events for the hub, and the requests that they make necessary.
    struct Report: Sendable {
        var events: [ServiceEvent] = []
        var questions: [Question] = []
    }

    /// This client's user id.
    private let user: String
    private let cipher: PubNubCipher?
    private let tracksPresence: Bool
    /// For how long a message may have been on its way when a link counts as alive (rule LL-8).
    let allowance: Duration
    /// Channels that were confirmed on this connection.
    private var confirmed: Set<Identifier> = []
    /// Channels that were confirmed on any connection.
    private var known: Set<Identifier> = []
    private var rosters: [Identifier: ChannelRoster] = [:]
    /// For each wildcard, the members on channels that it covers.
    private var below: [Identifier: WildcardMembers] = [:]
    /// The users on the channels of a group, by the group's room.
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
                // In case of an overflow, the report of it follows directly.
                var isOverflow = false
                if index + 1 < notices.count, case .event(.messageCountExceeded) = notices[index + 1] { isOverflow = true }
                gap(on: list, since: since, isOverflow ? .tooMany : .connectionLost, into: &report)
            case .event(let event):
                take(event, at: now, into: &report)
            case .dropped(let count):
                let error = LifelineError(.init(.messageCountExceeded), "\(count) events were dropped.")
                report.events.append(.problem(error, channel: nil))
            }
        }
        return report
    }

    /// Applies the answer to a here-now request. An outdated answer changes nothing.
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
            // The service's answer lists only the users on the wildcard itself.
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
            // A change of phase reports other problems.
            guard problem.category == .accessDenied else { return }
            // Groups have the leading colon that their rooms have.
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

    /// Rule LL-16: a message that was not in the latest answer may have been published before that answer came.
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
        // A room of a wildcard or a group has no reactions; there it stays a message.
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

    /// Rule LL-123. A missed signal that arrives later is outdated by then.
    ///
    /// - Parameter position: where the answer ends.
    /// - Returns: whether the message is about typing and nothing else.
    private func takeTyping(_ message: PubNubMessage, at position: Timetoken, into report: inout Report) -> Bool {
        guard message.kind == .signal, !message.isPresence, let signal = TypingSignal(message.payload) else { return false }
        guard let publisher = message.publisher, !publisher.isExactly(user),
            position.duration(since: message.timetoken) < TypingRoster.lifetime
        else { return true }
        report.events.append(.typing(channel: message.channel, user: publisher, isTyping: signal.isTyping))
        return true
    }

    /// The wildcard or the room of the group by which the message came; nil when it came by its channel (rules LL-21 and LL-55).
    private func pattern(of message: PubNubMessage) -> String? {
        guard let subscription = message.subscription else { return nil }
        if subscription.hasByteSuffix(".*") { return subscription }
        let room = PubNubGroupRoom.name(of: subscription)
        return confirmed.contains(Identifier(room)) && !confirmed.contains(Identifier(message.channel)) ? room : nil
    }

    /// Rule LL-18: a custom type is the event's name; otherwise the kind of message is.
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

    /// The payload decrypted, where the service's clients encrypt: messages and files.
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

    /// The wildcard whose room is subscribed and by which a presence event came; nil when there is none.
    private func presencePattern(of message: PubNubMessage) -> String? {
        guard let pattern = message.subscription?.droppingByteSuffix(PubNubMessage.presenceSuffix),
            pattern.hasByteSuffix(".*"), rosters[Identifier(pattern)] != nil
        else { return nil }
        return pattern
    }

    /// The rooms of groups that an event concerns: the group by which it arrived, and, if it arrived by a channel that is also
    /// subscribed directly, the groups that have known members on that channel.
    private func groups(of event: PubNubPresenceEvent, in message: PubNubMessage) -> [Identifier] {
        let subscription = message.subscription?.droppingByteSuffix(PubNubMessage.presenceSuffix)
        let room = subscription.map { Identifier(PubNubGroupRoom.name(of: $0)) }
        if let room, groups[room] != nil, rosters[Identifier(event.channel)] == nil { return [room] }
        return groups.filter { $0.key == room || $0.value.knows(event.channel) }.map(\.key)
    }

    /// Rule LL-118: a user on a channel of a group is a member of the group's room.
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

    /// Rule LL-57: a user on a channel below a wildcard is a member of the wildcard's room.
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
        // Interval events may omit users who joined or left; single events never do.
        let isIncomplete = event.needsRefresh || roster.count != event.occupancy
        if event.action == .interval, roster.question == nil, isIncomplete { ask(event.channel, into: &report) }
    }
}

extension PubNubPresenceEvent {
    /// The users who are present after the event and may be new.
    fileprivate var came: [String] {
        joined + ([.join, .stateChange].contains(action) ? [user].compactMap { $0 } : [])
    }

    /// The users who have left.
    fileprivate var went: [String] {
        left + timedOut + ([.leave, .timeout].contains(action) ? [user].compactMap { $0 } : [])
    }
}

extension LifelineError {
    /// A problem as an error. Its text includes the service's own message.
    init(_ problem: PubNubProblem) {
        self.init(problem.failure)
        if problem.failure.httpStatus != nil, let information = problem.information { reason += " It says: \(information)" }
    }

    static func undecryptable(_ error: PubNubCipherError) -> LifelineError {
        LifelineError(.init(.decryptionFailed), "A message could not be decrypted. \(error)")
    }
}

extension Timetoken {
    /// How much later this timetoken is; zero when it is not later.
    func duration(since earlier: Timetoken) -> Duration {
        let (difference, isEarlier) = rawValue.subtractingReportingOverflow(earlier.rawValue)
        // In microseconds: a tenth of any timetoken fits in an Int64.
        return isEarlier ? .zero : .microseconds(Int64(difference / 10))
    }

    /// The timetoken as a date; its unit is 100 ns since 1970.
    var date: Date { Date(timeIntervalSince1970: Double(rawValue) / 10_000_000) }
}
