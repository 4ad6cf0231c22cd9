import HTTPTransport
import Identifiers
import PubNubProtocol
import WireCoding

/// A message in the stream or the history of the test service's PubNub channels.
struct TestPubNubMessage: Sendable {
    let tick: UInt64
    let channel: String
    /// The payload as JSON text.
    let payload: [UInt8]
    var publisher: String?
    var customType: String?
    var kind = PubNubMessageKind.message
    /// The metadata as JSON text; nil for none.
    var metadata: [UInt8]?

    func envelope(region: Int) -> PubNubEnvelope {
        PubNubEnvelope(
            channel: channel, kind: kind, publisher: publisher, customType: customType, timetoken: Timetoken(rawValue: tick),
            region: region, subscribeKey: "test", metadata: metadata, payload: payload)
    }

    /// The subscription that matches the message: the channel itself, or a wildcard; nil for none.
    func match(_ subscribed: [String]) -> String? {
        if subscribed.contains(where: { $0.isExactly(channel) }) { return channel }
        return subscribed.first { $0.hasByteSuffix(".*") && channel.hasBytePrefix(String($0.dropLast())) }
    }
}

extension ServiceState {
    var pubnubCursor: PubNubCursor { PubNubCursor(timetoken: Timetoken(rawValue: latestTick), region: region) }

    /// Adds a message to the stream, and to the history if `isStored`. Answers the polls that wait for it.
    mutating func publish(_ entry: TestPubNubMessage, isStored: Bool = true) {
        stream.append(entry)
        if isStored { stored.append(entry) }
        for id in openRequests where requests[id]?.poll != nil { answerPoll(id) }
    }

    mutating func streamPresence(
        _ action: PubNubPresenceEvent.Action, of member: TestMember, on name: String, count: Int
    ) {
        let tick = nextTick()
        let event = PubNubPresenceEvent(
            action, channel: name, user: member.id, timestamp: Int(tick / 10_000_000), occupancy: count, state: member.info)
        publish(
            TestPubNubMessage(
                tick: tick, channel: name + PubNubMessage.presenceSuffix, payload: event.payload, metadata: event.metadata),
            isStored: false)
    }

    /// `GET /v2/subscribe/KEY/CHANNELS/0`
    mutating func pubnubSubscribe(_ id: UInt64, _ line: DecodedRequest) {
        let channels = line.list(3)
        guard line.query["channel-group"] == nil else {
            let words = "TestService has no channel groups. Subscribe to channels in this test."
            return finish(id, status: 400, Array(#"{"status":400,"error":true,"message":"\#(words)"}"#.utf8))
        }
        let plain = channels.filter { !$0.hasByteSuffix(PubNubMessage.presenceSuffix) }
        let denied = plain.filter { isDenied($0) }
        guard denied.isEmpty else { return finish(id, .success(HTTPCallAnswer(.forbidden(channels: denied)))) }
        let user = line.query["uuid"] ?? "me"
        for name in plain {
            channel(name) { $0.isKnown = true }
            arrive(TestMember(id: user), on: name)
        }
        let after = line.query["tt"].flatMap { UInt64($0) } ?? 0
        if after == 0 {
            _ = nextTick()
            return finish(id, PubNubFrames.answer(pubnubCursor))
        }
        requests[id]?.poll = TestPoll(channels: channels, after: after)
        answerPoll(id)
    }

    /// Answers a waiting poll if the stream has messages for it, with the latest 100 messages at most.
    private mutating func answerPoll(_ id: UInt64) {
        guard let poll = requests[id]?.poll else { return }
        let entries = stream.filter { $0.tick > poll.after }.compactMap { entry in
            entry.match(poll.channels).map { (entry, $0) }
        }
        guard let last = entries.last else { return }
        let region = region
        let elements = entries.suffix(100).map { entry, match in
            (shared: entry.envelope(region: region).shared, matched: match.isExactly(entry.channel) ? nil : match)
        }
        let cursor = PubNubCursor(timetoken: Timetoken(rawValue: last.0.tick), region: region)
        finish(id, PubNubFrames.answer(cursor, elements))
    }
}

extension HTTPCallAnswer {
    init(_ refusal: PubNubErrorBody) {
        self.init(status: refusal.status, headers: [HTTPField("Content-Type", refusal.contentType)], body: refusal.body)
    }

    static let invalidSubscribeKey = HTTPCallAnswer(.invalidSubscribeKey)
    static let tokenIsExpired = HTTPCallAnswer(.tokenIsExpired)
}
