import ConnectionEngine
import Foundation
import LifelineTesting

@testable import PusherProtocol

/// A model of a Pusher server for the simulator: public, private and presence channels, silence, errors and losses.
struct PusherService: SimulatedService {
    typealias Session = PusherSession

    private static let channels = ["room", "private-a", "presence-b"]

    /// How many messages each channel ever had; they are numbered from 1.
    private var published: [String: Int] = [:]
    private var subscribed: Set<String> = []
    /// At which message the server confirmed, by channel.
    private var confirmedAt: [String: Int] = [:]
    /// Unconfirmed subscriptions that were given up: the confirmation that comes next may be theirs.
    private var ambiguous: Set<String> = []
    private var decoder = PusherFrameDecoder()
    private var links = 0

    /// What the user saw last, by channel; nil when not subscribed.
    private var seen: [String: Int] = [:]
    private var seenBefore: [String: Int] = [:]
    private var wanted: Set<String> = []
    private var mustDeclareGap: String?

    static var memory: PusherMemory { PusherMemory(key: "key", host: "localhost", port: 1, usesTLS: false) }

    static var policy: ConnectionPolicy {
        var policy = ConnectionPolicy.fast
        policy.overrides = PusherSession.policyOverrides
        return policy
    }

    mutating func linkOpened(_ random: inout SeededRandom) -> [Reaction<PusherInbound>] {
        links += 1
        if Int.random(in: 0..<10, using: &random) == 0 { return [] }
        return say(
            #"{"event":"pusher:connection_established","data":"{\"socket_id\":\"1.\#(links)\",\"activity_timeout\":120}"}"#)
    }

    mutating func received(_ outbound: WebSocketOutbound, _ random: inout SeededRandom) -> [Reaction<PusherInbound>] {
        switch outbound {
        case .ping(let payload):
            return [.deliver(.pong(payload))]
        case .binary:
            return []
        case .text(let text):
            guard let message = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else { return [] }
            return received(message, &random)
        }
    }

    private mutating func received(_ message: [String: Any], _ random: inout SeededRandom) -> [Reaction<PusherInbound>] {
        let channel = (message["data"] as? [String: Any])?["channel"] as? String ?? ""
        switch message["event"] as? String {
        case "pusher:ping":
            return say(#"{"event":"pusher:pong","data":{}}"#)
        case "pusher:subscribe":
            // Now and then a server that never confirms, or says something that cannot be understood.
            switch Int.random(in: 0..<20, using: &random) {
            case 0: return []
            case 1: return say("not JSON at all")
            default: break
            }
            guard subscribed.insert(channel).inserted else {
                return say(
                    #"{"event":"pusher:error","data":{"code":null,"message":"Existing subscription to channel \#(channel)"}}"#)
            }
            confirmedAt[channel] = published[channel] ?? 0
            let data =
                channel.hasPrefix("presence-") ? #"{\"presence\":{\"count\":1,\"ids\":[\"u\"],\"hash\":{\"u\":null}}}"# : "{}"
            return say(
                #"{"event":"pusher_internal:subscription_succeeded","channel":"\#(channel)","data":"\#(data)"}"#)
        case "pusher:unsubscribe":
            subscribed.remove(channel)
            return []
        case let event? where event.hasPrefix("client-"):
            if Int.random(in: 0..<10, using: &random) > 0 { return [] }
            return say(#"{"event":"pusher:error","data":{"code":4301,"message":"Rate limit"}}"#)
        default:
            return []
        }
    }

    mutating func somethingHappens(_ random: inout SeededRandom) -> [Reaction<PusherInbound>] {
        if Int.random(in: 0..<20, using: &random) == 0 { return say(#"{"event":"pusher:ping","data":{}}"#) }
        guard let channel = Self.channels.randomElement(using: &random) else { return [] }
        published[channel, default: 0] += 1
        guard subscribed.contains(channel) else { return [] }
        return say(#"{"event":"tick","channel":"\#(channel)","data":"\#(published[channel] ?? 0)"}"#)
    }

    private mutating func say(_ text: String) -> [Reaction<PusherInbound>] {
        var text = text
        return text.withUTF8 { decoder.text(UnsafeRawBufferPointer($0)) }.map { [.deliver($0)] } ?? []
    }

    mutating func linkLost() {
        subscribed = []
        confirmedAt = [:]
        ambiguous = []
        seenBefore.merge(seen) { _, latest in latest }
        seen = [:]
    }

    mutating func command(_ random: inout SeededRandom) -> PusherCommand {
        let channel = Self.channels.randomElement(using: &random) ?? "room"
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            wanted.insert(channel)
            return .subscribe(PusherSubscription(channel: channel))
        case 5..<7:
            wanted.remove(channel)
            seen[channel] = nil
            seenBefore[channel] = nil
            ambiguous.insert(channel)
            return .unsubscribe(channel: channel)
        case 7..<9:
            return .publish(channel: channel, event: "client-hello", json: "{}")
        default:
            return .publish(channel: channel, event: "hello", json: "{}")
        }
    }

    mutating func outcome(
        of job: PusherAuthorizeJob, _ random: inout SeededRandom
    ) -> Result<PusherAuthorization, ConnectionFailure> {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .failure(ConnectionFailure(.accessDenied, "No.", httpStatus: 403))
        case 1, 2: .failure(ConnectionFailure(.unknown, "Oops.", origin: .server, httpStatus: 500))
        default: .success(PusherAuthorization(auth: "key:sig", channelData: #"{"user_id":"u"}"#))
        }
    }

    mutating func observe(_ event: PusherSessionEvent) throws(Violation) {
        if let channel = mustDeclareGap {
            guard case .gap(channel, _) = event else { throw Violation("Messages of \(channel) were lost in silence.") }
            mustDeclareGap = nil
        }
        switch event {
        case .subscribed(let subscription):
            let channel = subscription.channel
            guard wanted.contains(channel) else { throw Violation("\(channel) was confirmed, but nobody wants it.") }
            guard seen[channel] == nil else { throw Violation("\(channel) was confirmed twice.") }
            let start = confirmedAt[channel] ?? 0
            if let before = seenBefore.removeValue(forKey: channel), before < start { mustDeclareGap = channel }
            seen[channel] = start
        case .message(let message):
            guard let channel = message.channel else { return }
            guard let last = seen[channel] else { throw Violation("A message of \(channel), which is not subscribed.") }
            guard let number = message.data.flatMap({ Int($0) }) else { throw Violation("Not a message of ours: \(message)") }
            let isNext = ambiguous.contains(channel) ? number > 0 : number == last + 1
            guard isNext else { throw Violation("\(channel): \(number) came after \(last).") }
            seen[channel] = number
        default:
            return
        }
    }

    mutating func observe(_ change: ConnectionChange) throws(Violation) {
        // An intentional disconnect ends the promise: nobody was listening.
        if change.phase == .disconnecting || change.phase == .disconnected {
            seen = [:]
            seenBefore = [:]
        }
    }
}
