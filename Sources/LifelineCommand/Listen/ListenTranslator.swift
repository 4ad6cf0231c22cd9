import ConnectionEngine
import Lifeline

/// Translates a client's events into the lines that are printed. A pure value.
struct ListenTranslator: Sendable {
    let subscriber: String
    let service: ServiceKind
    /// Whether lines about presence events are printed.
    let showsPresence: Bool
    /// Whether events that only this service has are printed.
    let showsNotices: Bool
    private var last: StatusWord?
    private var subscribed: [String] = []
    private var hasConnected = false
    private var hasSubscribed = false
    private var wasRefused = false

    /// Whether the client was connected, and at least one channel was confirmed if any was refused (rule CL-93).
    var hasListened: Bool { hasConnected && (hasSubscribed || !wasRefused) }

    /// Records that the client has refused a channel itself, without a request to the service.
    mutating func noteRefusal() { wasRefused = true }

    init(subscriber: String, service: ServiceKind = .pusher, showsPresence: Bool, showsNotices: Bool = false) {
        self.subscriber = subscriber
        self.service = service
        self.showsPresence = showsPresence
        self.showsNotices = showsNotices
    }

    /// The latest status that was printed.
    var status: StatusWord? { last }

    mutating func lines(for event: ClientEvent) -> [ListenLine] {
        switch event {
        case .status(let status):
            // Rule CL-3: a status is printed only when it differs from the last one.
            guard let line = ListenLine.Status(status, of: service), line.word != last else { return [] }
            last = line.word
            if line.word == .connected { hasConnected = true }
            return [self.line(status.at, .status(line))]
        case .subscribed(let channel, _, let at):
            if !subscribed.contains(channel) { subscribed.append(channel) }
            hasSubscribed = true
            return [line(at, .subscribed(channel: channel))]
        case .unsubscribed(let channel, let at):
            subscribed.removeAll { $0 == channel }
            return [line(at, .unsubscribed(channel: channel))]
        case .message(let message):
            return [
                line(
                    message.receivedAt,
                    .message(
                        channel: message.channel, event: (message.isClientEvent ? "client-" : "") + message.event,
                        data: message.data, id: message.id, user: message.user))
            ]
        case .gap(let gap):
            return [line(gap.at, .gap(channel: gap.channel, since: gap.since))]
        case .presence(let change, let at):
            guard showsPresence else { return [] }
            return [
                line(
                    at,
                    .presence(
                        channel: change.channel, action: change.action.rawValue, user: change.member.id, count: change.count))
            ]
        case .problem(let error, let channel, let willRetry, let at):
            if channel != nil { wasRefused = true }
            if !willRetry { subscribed.removeAll { $0 == channel } }
            return [line(at, .error(error, channel))]
        case .notice(let notice, let at):
            return showsNotices ? [line(at, .notice(notice))] : []
        case .dropped(_, let since, let at):
            // Events that were dropped because lines could not be printed in time are reported as a gap of every channel (rule CL-4).
            return subscribed.map { line(at, .gap(channel: $0, since: since)) }
        }
    }

    /// The lines for the answer to a publish: first the problem, if there is one, then the outcome.
    func lines(for outcome: PublishOutcome, in channel: String, at now: Moment) -> [ListenLine] {
        switch outcome {
        case .accepted(let id):
            [line(now, .published(channel: channel, outcome: "accepted", id: id))]
        case .refused(let error):
            [line(now, .error(error, channel)), line(now, .published(channel: channel, outcome: "refused", id: nil))]
        case .unknown(let error):
            [line(now, .error(error, channel)), line(now, .published(channel: channel, outcome: "unknown", id: nil))]
        }
    }

    /// The line for an error of a command.
    func line(for error: LifelineError, in channel: String?, at now: Moment) -> ListenLine {
        line(now, .error(error, channel))
    }

    /// The line for the command `status`; nil before the first `connect`.
    func line(for status: ConnectionStatus, at now: Moment) -> ListenLine? {
        ListenLine.Status(status, of: service).map { line(now, .status($0)) }
    }

    private func line(_ at: Moment, _ content: ListenLine.Content) -> ListenLine {
        ListenLine(at: at, subscriber: subscriber, content: content)
    }
}

extension ListenLine.Content {
    static func error(_ error: LifelineError, _ channel: String?) -> ListenLine.Content {
        .error(channel: channel, category: error.code.rawValue, code: error.number, reason: error.reason)
    }
}
