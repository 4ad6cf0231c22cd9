import ConnectionEngine

// Simulates time, the network and the model server.
extension Simulator {
    /// Advances the clock to the next scheduled event and performs it.
    mutating func advance() throws(Violation) {
        let timer = timers.values.min { ($0.deadline, $0.id.generation) < ($1.deadline, $1.id.generation) }
        let next = due.indices.min { (due[$0].at, due[$0].order) < (due[$1].at, due[$1].order) }
        switch (timer, next) {
        case (nil, nil):
            now = now + .milliseconds(100)
        case (let timer?, nil):
            try fire(timer)
        case (let timer?, let next?) where timer.deadline < due[next].at:
            try fire(timer)
        case (_, let next?):
            let occurrence = due.remove(at: next)
            now = max(now, occurrence.at)
            try happen(occurrence.what)
        }
    }

    private mutating func fire(_ timer: (id: TimerID, deadline: Moment)) throws(Violation) {
        now = max(now, timer.deadline)
        timers[timer.id.kind] = nil
        staleTimers.append(timer.id)
        if staleTimers.count > 50 { staleTimers.removeFirst() }
        try feed(.timerFired(timer.id), "timer \(timer.id.kind)")
    }

    private mutating func happen(_ occurrence: Occurrence<Session>) throws(Violation) {
        let isOfLink = occurrence.attempt == link?.attempt
        switch occurrence {
        case .opened(let attempt):
            guard isOfLink, link?.phase == .dialling else { return }
            link?.phase = .open
            try feed(.opened(attempt), "opened \(attempt)")
            guard link?.attempt == attempt else { return }
            try react(with: { $0.linkOpened(&$1) })
        case .serverReceives(_, let outbound):
            guard isOfLink, link?.phase == .open || link?.phase == .closing else { return }
            try react(with: { $0.received(outbound, &$1) })
        case .clientReceives(let attempt, let inbound):
            guard isOfLink, link?.phase == .open else { return }
            try feed(.received(attempt, inbound), "received \(inbound)")
        case .closed(let attempt, let failure):
            guard isOfLink else { return }
            dropLink()
            try feed(.closed(attempt, failure), "closed \(failure.category)")
        case .jobEnds(let attempt, let id, let result):
            guard jobs.remove(id) != nil else { return }
            try feed(.finished(attempt, id, result), "finished \(id)")
        }
    }

    /// Sends the server's frames over the open connection, with a random delay.
    mutating func react(
        with behaviour: (inout Service, inout SeededRandom) -> [SimulatedReaction<Session.Inbound>]
    ) throws(Violation) {
        try service.timePasses(to: now)
        let reactions = behaviour(&service, &random)
        guard var link = self.link, link.phase == .open || link.phase == .closing else { return }
        for reaction in reactions {
            let latency = drawLatency()
            let arrival = max(link.lastArrivalDown, now + latency)
            link.lastArrivalDown = arrival
            switch reaction {
            case .deliver(let inbound): schedule(.clientReceives(link.attempt, inbound), at: arrival)
            case .close(let failure): schedule(.closed(link.attempt, failure), at: arrival)
            }
        }
        self.link = link
    }

    mutating func drawLatency() -> Duration {
        random.duration(in: .zero...(.milliseconds(200)))
    }

    mutating func schedule(_ occurrence: Occurrence<Session>, at moment: Moment) {
        order += 1
        due.append((moment, order, occurrence))
    }

    mutating func dropLink() {
        link = nil
        service.linkLost()
    }

    /// Causes one random fault, such as a reset connection, a half-open connection or a changed state of the network.
    mutating func breakSomething() throws(Violation) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            guard let attempt = link?.attempt, link?.phase != .dialling else { return }
            let failure = ConnectionFailure(.unexpectedDisconnect, "The simulator reset the connection.", errno: 104)
            dropLink()
            try feed(.closed(attempt, failure), "reset")
        case 2:
            if link?.phase == .open {
                note("half-open")
                link?.phase = .halfOpen
            }
        case 3:
            guard let attempt = link?.attempt, link?.phase == .open else { return }
            let codes: [StatusCategory] = [.serverRestart, .overloaded, .refused, .unknown]
            let category = codes.randomElement(using: &random) ?? .unknown
            dropLink()
            try feed(.closed(attempt, ConnectionFailure(category, "Closed.", origin: .server)), "closed \(category)")
        case 4:
            let change = SimulatedNetwork.allCases.randomElement(using: &random) ?? .working
            network = change
            note("network \(change)")
        default:
            network = .working
            note("network working")
        }
    }

    mutating func note(_ what: @autoclosure () -> String) {
        trail.append("\(now.seconds): \(what())")
        if trail.count > 200 { trail.removeFirst(100) }
    }
}
