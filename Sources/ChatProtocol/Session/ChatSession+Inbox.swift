import ConnectionEngine

// The inbox: events that must not be lost, with their acknowledgements (rules NS-8 and NS-9).
extension ChatSession {
    /// An acknowledgement is sent after this number of reported events, or after `acknowledgementPause` if there are fewer. Both values are
    /// well below the 200 events and five seconds of chat-protocol.md, section 4.
    static let acknowledgedEvents = 100
    static let acknowledgementPause = Duration.seconds(1)

    mutating func package(
        _ items: [ChatInboxItem], hasMore: Bool, memory: inout ChatMemory, out: inout Actions
    ) {
        guard isWelcome else { return }
        isCaughtUp = !hasMore
        packageDeadline = nil
        var new = items
        new.removeAll { item in
            guard item.sequence > memory.delivered else { return true }
            memory.delivered = item.sequence
            return false
        }
        if let last = items.last?.sequence { (packageEnd, received) = (last, max(received, last)) }
        if !new.isEmpty { out.emit(.received(new, isOffline: true, hasMore: hasMore)) }
        for item in new { tellProblem(of: item.event, out: &out) }
        if !hasMore { out.emit(.caughtUp) }
        // If all events of the package were reported before, the application does not acknowledge the package again, so the session does.
        acknowledgePackage(memory: memory, out: &out)
    }

    mutating func event(_ item: ChatInboxItem, memory: inout ChatMemory, out: inout Actions) {
        guard isWelcome else { return }
        guard isCaughtUp else {
            // Delivering the event now would hide that earlier events are still missing.
            let reason = "The server sent a new event before the last package of missed events."
            out.fault(ConnectionFailure(.malformedResponse, reason, origin: .server))
            return
        }
        received = max(received, item.sequence)
        guard item.sequence > memory.delivered else { return }
        memory.delivered = item.sequence
        toldSince += 1
        out.emit(.received([item], isOffline: false, hasMore: false))
        tellProblem(of: item.event, out: &out)
    }

    /// Reports an event that could not be read. The event keeps its position in the inbox (rule NC-40).
    private func tellProblem(of event: ChatWireEvent, out: inout Actions) {
        guard case .unknown(let kind, let problem?) = event else { return }
        let name = kind.isEmpty ? "An event" : "An event of the kind \(kind.prefix(64))"
        out.emit(.malformed(reason: "\(name) could not be read: \(problem)"))
    }

    mutating func acknowledge(_ place: ChatPlace, memory: inout ChatMemory, out: inout Actions) {
        guard Self.keep(place, memory: &memory), isWelcome else { return }
        acknowledgePackage(memory: memory, out: &out)
        // Part of a package needs no acknowledgement. Events that arrive together are acknowledged together.
        guard isCaughtUp, min(place.sequence, received) > acknowledged else { return }
        if toldSince >= Self.acknowledgedEvents {
            flushAcknowledgement(memory: memory, out: &out)
        } else if !isAcknowledging {
            isAcknowledging = true
            out.startTimer(Self.acknowledging, after: Self.acknowledgementPause)
        }
    }

    /// Records that all events up to the inbox position `place` are stored. Returns false when the position was recorded before or is not
    /// valid.
    static func keep(_ place: ChatPlace, memory: inout ChatMemory) -> Bool {
        guard let known = memory.resume, known.epoch == place.epoch, place.sequence > known.sequence,
            place.sequence <= memory.delivered
        else { return false }
        memory.resume = place
        return true
    }

    /// Acknowledges the present package once it is stored completely, so that the server sends the next one.
    private mutating func acknowledgePackage(memory: ChatMemory, out: inout Actions) {
        guard let end = packageEnd, let kept = memory.resume?.sequence, kept >= end else { return }
        flushAcknowledgement(memory: memory, out: &out)
        if !isCaughtUp { expectPackage(out: &out) }
    }

    /// Starts the time limit for the server's next package (rule NS-9).
    mutating func expectPackage(out: inout Actions) {
        let deadline = out.now + out.timing.request
        packageDeadline = deadline
        arm(deadline, out: &out)
    }

    /// Handles a frame that cannot be read. The session ends if the frame may have been a package, because the server waits without a time
    /// limit for the acknowledgement of a package.
    func malformed(_ reason: String, out: inout Actions) {
        out.emit(.malformed(reason: reason))
        guard isWelcome, !isCaughtUp else { return }
        out.fault(ConnectionFailure(.malformedResponse, "The package of missed events could not be read.", origin: .server))
    }

    /// Acknowledges the stored events that this connection has delivered.
    mutating func flushAcknowledgement(memory: ChatMemory, out: inout Actions) {
        guard isWelcome, let kept = memory.resume?.sequence else { return }
        let place = min(kept, received)
        let endsPackage = packageEnd.map { place >= $0 } ?? false
        guard place > acknowledged || endsPackage else { return }
        if endsPackage { packageEnd = nil }
        acknowledged = place
        toldSince = 0
        if isAcknowledging {
            isAcknowledging = false
            out.cancelTimer(Self.acknowledging)
        }
        Self.send(.acknowledge(place), out: &out)
    }
}
