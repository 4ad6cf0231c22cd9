import ConnectionEngine

/// Records the events of a demonstration and checks that none is missing.
struct DemoJournal: Sendable {
    /// One kind of traffic: sender, receiver and channel.
    struct Route: Hashable, Sendable {
        let channel: String
        let from: String
        let to: String

        init(channel: String, from: String, to: String) {
            self.channel = Self.label(channel)
            self.from = from
            self.to = to
        }

        /// The name of a channel in tables. A direct channel of chat is called `direct`, because its two users have different names for it.
        static func label(_ channel: String) -> String { channel.hasPrefix("direct:") ? "direct" : channel }
    }

    /// A condition that the demonstration has to meet.
    struct Check: Sendable {
        let what: String
        let happened: Bool
    }

    struct Event: Sendable {
        var sentAt: Moment
        var received = 0
    }

    /// A period in which the client reported that it was not connected.
    struct Outage: Sendable {
        /// The name of the fault that interrupted the client's network connection.
        var fault: String
        var begunAt: Moment
        /// The time at which the client's network connection could be used again; nil while the fault lasts.
        var usableAt: Moment?
        var noticedAt: Moment?
        var confirmedAt: [String: Moment] = [:]
        var recoveredAt: Moment?
    }

    /// The name of the client whose network connection is interrupted.
    let subject: String
    /// An outage ends when the subscriptions to all these channels are confirmed.
    let channels: [String]
    /// The longest permitted time between the last received data and the client's report of the outage.
    let detection: Duration
    /// When a lost event counts as declared, that is, reported by the client as possibly missing. If true, a gap that the client reported
    /// must contain it. If false, it must have been sent during an outage that the client reported.
    let judgesByGaps: Bool
    private(set) var routes: [Route] = []
    private var events: [Route: [Int: Event]] = [:]
    private(set) var outages: [Outage] = []
    private(set) var phantoms = 0
    private(set) var problems: [String] = []
    private(set) var checks: [Check] = []
    /// The number of events that arrived after a later event of their route.
    private(set) var misordered = 0
    private var latest: [Route: Int] = [:]
    /// Routes for which a gap was reported and no event has arrived since.
    private var openGaps: Set<Route> = []
    private var inGaps: [Route: Set<Int>] = [:]

    init(subject: String, channels: [String], detection: Duration, judgesByGaps: Bool = false) {
        self.subject = subject
        self.channels = channels
        self.detection = detection
        self.judgesByGaps = judgesByGaps
    }

    // MARK: Traffic

    /// Records that an event is sent on a route. Returns its number, which begins with 1.
    mutating func send(_ route: Route, at now: Moment) -> Int {
        if events[route] == nil { routes.append(route) }
        let number = (events[route]?.count ?? 0) + 1
        events[route, default: [:]][number] = Event(sentAt: now)
        return number
    }

    mutating func receive(_ route: Route, _ number: Int) {
        guard let sent = events[route], sent[number] != nil else {
            phantoms += 1
            return
        }
        if openGaps.remove(route) != nil {
            inGaps[route, default: []].formUnion(sent.filter { $0.key < number && $0.value.received == 0 }.keys)
        }
        events[route]?[number]?.received += 1
        if let last = latest[route], last > number { misordered += 1 }
        latest[route] = number
    }

    /// Records a client's report that messages of a channel may be missing before the next message that arrives on this channel.
    mutating func declareGap(on channel: String, to name: String) {
        openGaps.formUnion(routes.filter { $0.channel == channel && $0.to == name })
    }

    mutating func problem(_ text: String) { problems.append(text) }

    mutating func check(_ what: String, _ happened: Bool) { checks.append(Check(what: what, happened: happened)) }

    /// The numbers of the events that have arrived on a route, in rising order.
    func received(_ route: Route) -> [Int] {
        (events[route] ?? [:]).filter { $0.value.received > 0 }.keys.sorted()
    }

    /// Whether the last event of every route has arrived.
    var isDrained: Bool {
        events.values.allSatisfy { sent in (sent[sent.count]?.received ?? 1) > 0 }
    }

    // MARK: Outages

    mutating func breakLine(_ fault: String, at now: Moment) {
        if judgesByGaps { return }
        outages.append(Outage(fault: fault, begunAt: now))
    }

    mutating func repairLine(at now: Moment) {
        guard let last = outages.indices.last, outages[last].usableAt == nil else { return }
        outages[last].usableAt = now
    }

    /// Records that the client whose network connection is interrupted has reported that it is not connected.
    mutating func noticed(at now: Moment) {
        guard let last = outages.indices.last, outages[last].noticedAt == nil else { return }
        outages[last].noticedAt = now
    }

    /// Records that a subscription of the client whose network connection was interrupted is confirmed. Returns whether this ended the
    /// outage.
    mutating func confirmed(_ channel: String, at now: Moment) -> Bool {
        guard let last = outages.indices.last, outages[last].noticedAt != nil, outages[last].recoveredAt == nil else {
            return false
        }
        outages[last].confirmedAt[channel] = now
        guard channels.allSatisfy({ outages[last].confirmedAt[$0] != nil }) else { return false }
        outages[last].recoveredAt = now
        return true
    }
}

// Evaluates the recorded events, outages and checks.
extension DemoJournal {
    struct Count: Hashable, Sendable {
        var sent = 0
        var received = 0
        var duplicated = 0
        var lost = 0
        /// How many of the lost events the client has declared as possibly missing.
        var declared = 0

        static func + (left: Count, right: Count) -> Count {
            Count(
                sent: left.sent + right.sent, received: left.received + right.received,
                duplicated: left.duplicated + right.duplicated, lost: left.lost + right.lost,
                declared: left.declared + right.declared)
        }
    }

    func count(_ route: Route) -> Count {
        var count = Count()
        for (number, event) in events[route] ?? [:] {
            count.sent += 1
            count.received += event.received > 0 ? 1 : 0
            count.duplicated += max(event.received - 1, 0)
            guard event.received == 0 else { continue }
            count.lost += 1
            let isDeclared =
                judgesByGaps ? inGaps[route]?.contains(number) == true : isDeclared(event.sentAt, on: route.channel)
            if isDeclared { count.declared += 1 }
        }
        return count
    }

    var total: Count { routes.reduce(Count()) { $0 + count($1) } }

    /// Whether an event was sent during a reported outage (rule CL-10). For a channel, an outage begins by ``detection`` earlier than the
    /// client's report, and ends when the channel is confirmed again.
    private func isDeclared(_ sentAt: Moment, on channel: String) -> Bool {
        outages.contains { outage in
            guard let noticedAt = outage.noticedAt else { return false }
            let end = outage.confirmedAt[channel]
            return sentAt + detection >= noticedAt && (end.map { sentAt <= $0 } ?? true)
        }
    }

    /// Whether the demonstration succeeded (rules CL-10, CL-14 and CL-30). Every lost event must be declared. No event may arrive twice,
    /// out of order, or without having been sent. Every expected step must have happened, and every outage must have ended and been
    /// detected in time.
    var addsUp: Bool {
        let total = total
        return total.lost == total.declared && total.duplicated == 0 && phantoms == 0 && misordered == 0
            && problems.isEmpty && checks.allSatisfy(\.happened)
            && outages.allSatisfy { $0.recoveredAt != nil && ($0.noticing ?? .seconds(1000)) <= detection }
    }
}

extension DemoJournal.Outage {
    /// The time from the fault to its detection; nil if the fault was not detected.
    var noticing: Duration? { noticedAt.map { $0.duration(since: begunAt) } }

    /// The time from the end of the fault to the last confirmation of a channel; nil until both have happened.
    var recovering: Duration? {
        guard let recoveredAt, let usableAt else { return nil }
        return max(recoveredAt.duration(since: usableAt), .zero)
    }
}
