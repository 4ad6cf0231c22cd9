import ConnectionEngine
import EngineTesting
import Foundation
import PusherProtocol
import WireCoding

/// A model Pusher server for the simulator, with the rules that users rely on: nothing lost, doubled or reordered without a gap,
/// exact presence, one subscription per channel and connection.
struct PusherService: SimulatedService {
    typealias Session = PusherSession

    static let plain = "a", closed = "private-b", presence = "presence-c", encrypted = "private-encrypted-d"
    static let channels = [plain, closed, presence, encrypted]

    private(set) var user = PusherUserModel()
    /// How many events for users were told, and how many channels were recovered without a gap, as evidence.
    private(set) var (userEvents, recoveries) = (0, 0)

    // The server.
    private var decoder = PusherFrameDecoder()
    /// Events of each channel are numbered from 1; the number is the event's name.
    private var published: [String: Int] = [:]
    private var subscribed: Set<String> = []
    private var members: Set<String> = ["me", "u1"]
    private var key = [UInt8](repeating: 1, count: 32)
    private var problem: String?
    private var isLinkUp = false
    private var replays = PusherReplayModel()

    // What users saw.
    private var wanted: Set<String> = []
    private var seen: [String: Int] = [:]
    private var seenBefore: [String: Int] = [:]
    private var mayHaveMissed: Set<String> = []
    private var mustDeclareGap: String?
    /// Channels whose replay was told with holes; a gap has to say so.
    private var owesGap: Set<String> = []
    private var view: Set<String> = []
    /// Who has to be in view once the differences of a renewal have been told.
    private var target: Set<String>?

    static var memory: PusherMemory {
        var memory = PusherMemory(key: "k", host: "h", port: 1, usesTLS: false)
        memory.askForRecovery()
        return memory
    }

    static var policy: ConnectionPolicy {
        var policy = ConnectionPolicy.fast
        policy.overrides = PusherSession.policyOverrides
        return policy
    }

    mutating func timePasses(to now: Moment) throws(Violation) { try user.timePasses(to: now) }

    mutating func clientSends(_ outbound: WebSocketOutbound) {
        if case .text(let text) = outbound { user.clientSends(text) }
    }

    private mutating func deliver(_ frame: [UInt8]) -> SimulatedReaction<PusherInbound> {
        let inbound = frame.withUnsafeBytes { decoder.text($0) }
        return .deliver(inbound ?? .malformed(reason: "", text: nil))
    }

    mutating func linkOpened(_ random: inout SeededRandom) -> [SimulatedReaction<PusherInbound>] {
        isLinkUp = true
        replays.linkOpened(&random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0: return []
        case 1: return [deliver(PusherFrames.error(code: 4201, message: "busy"))]
        default:
            return [deliver(PusherFrames.connectionEstablished(socketID: "1.2", activityTimeout: 1, recovery: replays.offer))]
        }
    }

    mutating func received(
        _ outbound: WebSocketOutbound, _ random: inout SeededRandom
    ) -> [SimulatedReaction<PusherInbound>] {
        switch outbound {
        case .ping(let payload): [.deliver(.pong(payload))]
        case .binary: []
        case .text(let text): message(text, &random)
        }
    }

    private mutating func message(_ text: String, _ random: inout SeededRandom) -> [SimulatedReaction<PusherInbound>] {
        guard let envelope = try? PusherEnvelope(parsing: text) else {
            problem = "The client sent no message: \(text)"
            return []
        }
        switch envelope.event {
        case PusherEventName.ping:
            return [deliver(PusherFrames.pong)]
        case PusherEventName.subscribe:
            guard let data = PusherSubscribeData(parsing: envelope.data) else {
                problem = "A subscription without a channel."
                return []
            }
            let channel = data.channel
            let needsUser = PusherChannelName.isReserved(channel) || (channel == Self.presence && data.channelData == nil)
            if needsUser, user.serverUser == nil {
                problem = "\(channel) was subscribed as a user, but nobody is signed in."
            }
            guard subscribed.insert(channel).inserted else {
                problem = "\(channel) was subscribed twice on one connection."
                return []
            }
            let (events, outcome, asked) = replays.subscribe(channel, data.recover)
            if let asked { problem = problem ?? asked }
            // Now and then a confirmation that never comes, with or without the replay.
            switch Int.random(in: 0..<30, using: &random) {
            case 0: return []
            case 1: return events.map { deliver($0) }
            default: return (events + [confirmation(of: channel, outcome)]).map { deliver($0) }
            }
        case PusherEventName.signin:
            return user.signin(envelope, &random).map { deliver($0) }
        case PusherEventName.unsubscribe:
            if let channel = PusherSubscribeData(parsing: envelope.data)?.channel { subscribed.remove(channel) }
            return []
        default:
            let refused = Int.random(in: 0..<6, using: &random) == 0
            return refused ? [deliver(PusherFrames.error(code: 4301, message: "too fast"))] : []
        }
    }

    /// The data tells the model where the subscription starts.
    private func confirmation(of channel: String, _ outcome: PusherRecoveryOutcome?) -> [UInt8] {
        let ids = members.sorted().map { JSONValue.string($0) }
        var data: JSONValue = ["start": .number(JSONNumber(published[channel] ?? 0))]
        if channel == Self.presence {
            data = ["start": .number(JSONNumber(published[channel] ?? 0)), "presence": ["ids": .array(ids)]]
        }
        let frame = PusherFrames.event(name: PusherEventName.subscriptionSucceeded, channel: channel, data: data.text)
        return PusherReplayModel.extended(frame, outcome)
    }

    mutating func somethingHappens(_ random: inout SeededRandom) -> [SimulatedReaction<PusherInbound>] {
        replays.timePasses(&random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            key = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            return []
        case 1, 2:
            let user = "u\(Int.random(in: 1...4, using: &random))"
            let left = members.remove(user) != nil
            if !left { members.insert(user) }
            let frame =
                left
                ? PusherFrames.memberRemoved(channel: Self.presence, userID: user)
                : PusherFrames.memberAdded(channel: Self.presence, member: PusherMember(userID: user))
            let positioned = replays.add(frame, to: Self.presence)
            return subscribed.contains(Self.presence) ? [deliver(positioned)] : []
        case 3:
            return [deliver(Array("{\"event\":\"x".utf8))]
        default:
            guard let channel = (Self.channels + PusherUserModel.channels).randomElement(using: &random) else { return [] }
            let number = (published[channel] ?? 0) + 1
            published[channel] = number
            let nonce = PusherEncryption.randomNonce(using: &random)
            let sealed = try? PusherEncryption.encrypt("\(number)", sharedSecret: key, nonce: nonce)
            let data = channel == Self.encrypted ? sealed : "\(number)"
            let frame = replays.add(PusherFrames.event(name: "e\(number)", channel: channel, data: data ?? ""), to: channel)
            return subscribed.contains(channel) ? [deliver(frame)] : []
        }
    }

    mutating func linkLost() {
        isLinkUp = false
        user.linkLost()
        subscribed = []
        // What was replayed from an unknown place, and has not been heard since, is known no better now.
        let known = seen.filter { !($0.value == 0 && mayHaveMissed.contains($0.key)) }
        seenBefore.merge(known) { _, latest in latest }
        seen = [:]
        mayHaveMissed = []
    }

    // Users.
    mutating func command(_ random: inout SeededRandom) -> PusherCommand {
        let channel = Self.channels.randomElement(using: &random) ?? Self.plain
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<5:
            wanted.insert(channel)
            return .subscribe(PusherSubscription(channel: channel))
        case 5..<7:
            wanted.remove(channel)
            forget(channel)
            return .unsubscribe(channel: channel)
        case 7..<9:
            return .publish(channel: channel, event: "client-e", json: "{}")
        case 9, 10:
            let command = user.command(&random)
            if case .signOut = command { PusherUserModel.channels.forEach { forget($0) } }
            return command
        default:
            return .send(event: "x", json: "1")
        }
    }

    private mutating func forget(_ channel: String) {
        owesGap.remove(channel)
        seen[channel] = nil
        seenBefore[channel] = nil
    }

    mutating func outcome(
        of job: PusherAuthorizeJob, _ random: inout SeededRandom
    ) -> Result<PusherAuthorization, ConnectionFailure> {
        if job.purpose == .user { return user.outcome(&random) }
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .failure(ConnectionFailure(.accessDenied, "Denied.", httpStatus: 403))
        case 1: return .failure(ConnectionFailure(.unknown, "Broken.", httpStatus: 500))
        default:
            let secret = PusherEncryption.sharedSecret(channel: "", masterKey: [])
            let asUser = job.channel == Self.presence && Bool.random(using: &random)
            let current = Int.random(in: 0..<4, using: &random) > 0
            return .success(
                PusherAuthorization(
                    auth: "k:s", channelData: asUser ? nil : #"{"user_id":"me"}"#,
                    sharedSecret: Data(current ? key : secret).base64EncodedString()))
        }
    }

    mutating func observe(_ event: PusherSessionEvent) throws(Violation) {
        if let problem = problem ?? user.problem { throw Violation(problem) }
        try user.observe(event)
        if let channel = mustDeclareGap {
            guard case .gap(channel, _) = event else { throw Violation("Events of \(channel) were lost in silence.") }
            mustDeclareGap = nil
            return
        }
        // Once the differences are told, members come and go as before.
        if target == view { target = nil }
        switch event {
        case .memberAdded(_, let member):
            guard view.insert(member.userID).inserted else { throw Violation("\(member.userID) came twice.") }
            return
        case .memberRemoved(_, let member):
            guard view.remove(member.userID) != nil else { throw Violation("\(member.userID) left, but was not there.") }
            return
        case .gap(let channel, _):
            mayHaveMissed.insert(channel)
            owesGap.remove(channel)
            return
        default:
            break
        }
        if let target, target != view { throw Violation("In view are \(view.sorted()), there are \(target.sorted()).") }
        target = nil
        switch event {
        case .subscribed(let confirmation): try confirmed(confirmation)
        case .unsubscribed(Self.presence): view = []
        case .unsubscribed(let channel) where PusherChannelName.isReserved(channel): forget(channel)
        case .message(let message):
            guard let channel = message.channel, let number = Int(message.event.dropFirst()) else { return }
            try self.event(number, of: channel)
        case .decryptionFailed(let channel, let name, _):
            guard channel == Self.encrypted, let number = Int(name.dropFirst()) else {
                throw Violation("\(channel) is not encrypted.")
            }
            try self.event(number, of: channel)
        case .subscriptionFailed(let channel, _, _, _):
            guard wants(channel) else { throw Violation("\(channel) failed, but nobody wants it.") }
        default:
            return
        }
    }

    private func wants(_ channel: String) -> Bool { wanted.contains(channel) || user.allows(channel) }

    private mutating func confirmed(_ confirmation: PusherSubscribed) throws(Violation) {
        let channel = confirmation.channel
        guard wants(channel) else { throw Violation("\(channel) was confirmed, but nobody wants it.") }
        guard seen[channel] == nil else { throw Violation("\(channel) was confirmed twice.") }
        let start = (try? JSONText(confirmation.data))?["start"]?.integer ?? 0
        let before = seenBefore.removeValue(forKey: channel)
        if confirmation.isRecovered, let before {
            guard !owesGap.contains(channel) else { throw Violation("\(channel) is said to be complete, and is not.") }
            // Events that wait for a key come later, but all of them.
            seen[channel] = before
            recoveries += 1
        } else {
            if owesGap.contains(channel) || (before ?? start) < start { mustDeclareGap = channel }
            seen[channel] = replays.replayed.contains(channel) ? before ?? 0 : start
            if before == nil, replays.replayed.contains(channel) { mayHaveMissed.insert(channel) }
        }
        guard channel == Self.presence else { return }
        let present = Set(confirmation.members.map(\.userID))
        if confirmation.isRenewal { target = present } else { view = present }
    }

    /// Whether the server has the subscription, without having confirmed it (rule PS-36).
    private func isEarly(_ channel: String) -> Bool { replays.offer == nil && subscribed.contains(channel) }

    private mutating func event(_ number: Int, of channel: String) throws(Violation) {
        guard wants(channel) else { throw Violation("An event of \(channel), which nobody wants.") }
        // What waited for a key is told when the link is lost already.
        guard let last = seen[channel] else {
            guard let before = seenBefore[channel] else {
                guard isLinkUp else { return }
                // Who disconnects between two attempts still gets what was missed since the loss, from wherever that was.
                guard replays.replayed.contains(channel) || isEarly(channel) else {
                    throw Violation("An event of \(channel), which is not confirmed.")
                }
                seenBefore[channel] = number
                return
            }
            if isLinkUp {
                guard replays.replayed.contains(channel) || isEarly(channel) else {
                    throw Violation("An event of \(channel), which is not confirmed.")
                }
                guard number > before else { throw Violation("\(channel): \(number) was replayed after \(before).") }
            }
            if number > before + 1 { owesGap.insert(channel) }
            seenBefore[channel] = max(before, number)
            return
        }
        guard number == last + 1 || (number > last && mayHaveMissed.contains(channel)) else {
            throw Violation("\(channel): message \(number) was delivered directly after message \(last).")
        }
        mayHaveMissed.remove(channel)
        seen[channel] = number
        if PusherChannelName.isReserved(channel) { userEvents += 1 }
    }

    mutating func observe(_ change: ConnectionChange) throws(Violation) {
        if let problem = problem ?? user.problem { throw Violation(problem) }
        user.observe(change)
        // An intentional disconnect ends the promise: nobody was listening.
        if change.phase == .disconnecting || change.phase == .disconnected {
            seen = [:]
            seenBefore = [:]
            owesGap = []
        }
    }
}
