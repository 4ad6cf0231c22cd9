import ClusterTestSupport
import NIOCore
import PusherProtocol
import ServerCluster
import ServerRuntime
import Testing

@testable import PusherServer
@testable import ServerTestSupport

/// What nodes and their leader tell each other survives the way, and bytes that were cut or added are noticed.
@Suite("Requests, answers and facts of Pusher (CP-1)")
struct PusherCodingTests {
    private let channel = ChannelID(application: "1001", name: "presence-é")
    private let socketID = SocketID(high: 12, low: 34)
    private let position = PusherPosition(epoch: "abc", number: 9)

    private func requests() throws -> [PusherRequest] {
        var reason = PusherCloseReason(4200, "again", explains: false)
        reason.concernsAll = true
        let member = PresenceMember(userID: "ann", info: #"{"name":"Ann"}"#)
        let recover = PusherRecoverRequest(position: position, socketID: "12.34")
        let connection = SignedInConnection(socketID: socketID, application: "1001", user: "ann", watchlist: ["bob", "cat"])
        let publication = ForwardedPublication(
            channel: channel, frame: ByteBuffer(string: "frame"), excluding: socketID, event: "e", data: "d", lifetime: 5,
            isBridged: true)
        return [
            .http(
                HTTPRequest(
                    method: "POST", target: try RequestTarget(parsing: "/apps/1001/events?a=b"), headers: [:], body: [1, 2])),
            .publish(publication),
            .relay(
                PusherClientEvent(name: "client-e", channel: channel.name, data: "{}", userID: "ann"), application: "1001",
                sender: socketID),
            .subscribe(socketID, channel, member: member),
            .subscribe(socketID, channel, member: nil, SubscriptionRecovery(request: recover, limit: 7)),
            .subscribe(socketID, channel, member: nil, SubscriptionRecovery(request: nil, limit: 0)),
            .subscribeAll(
                socketID, application: "1001",
                [BatchedSubscription(number: 7, channel: "a"), BatchedSubscription(number: 8, channel: "b")]),
            .unsubscribe(
                application: "1001", [EndedHolding(channel: "a", user: nil), EndedHolding(channel: "b", user: "ann")],
                isSilent: true),
            .signIn(connection, answers: [ByteBuffer(string: "1"), ByteBuffer(string: "2")]),
            .signOut(socketID, application: "1001"),
            .close(reason, application: "1001", user: "ann"),
            .connections([ApplicationCount(application: "1001", count: 7)]),
            .places(ApplicationCount(application: "1001", count: 7)),
            .connectionChanges([
                ApplicationCount(application: "1001", count: -7), ApplicationCount(application: "1002", count: 1),
            ]),
            .holdings([ChannelHolding(channel: channel, member: member, count: 2)]),
            .users([connection]),
            .recovering([channel]),
            .partition(
                .events(
                    application: "1001",
                    [
                        PublishRequest(event: "e", data: "d", channels: ["a", "b"], excluded: socketID, info: [.userCount]),
                        PublishRequest(event: "é", data: "", channels: ["c"], excluded: nil, info: []),
                    ])),
            .partition(.spend(application: "1001", publishes: 3, queries: 1)),
            .partition(
                .list(ChannelListQuery(application: "1001", prefix: "presence-", info: [.userCount, .subscriptionCount]))),
        ]
    }

    /// Requests that the version before does not have.
    private var newerRequests: [PusherRequest] {
        let member = PresenceMember(userID: "ann", info: #"{"name":"Ann"}"#)
        let recover = PusherRecoverRequest(position: position, socketID: "12.34")
        return [
            .join(socketID, channel, member: member),
            .join(socketID, channel, member: member, SubscriptionRecovery(request: recover, limit: 7)),
        ] + events.map { .events($0) }
    }

    /// Events as nodes send them to the leader.
    private var events: [EncodedEvents] {
        let first = PublishRequest(
            event: "e", data: "d", channels: ["a", "cache-b"], excluded: socketID, info: [.userCount, .subscriptionCount])
        let second = PublishRequest(
            event: "é", data: #"{"quoted":"\"}"#, channels: ["#server-to-user-\"é\""], excluded: nil, info: [])
        return [
            EncodedEvents(application: "1001", cost: 3, events: [first, second].map { EncodedEvent($0, EventMessage($0)) }),
            EncodedEvents(application: "1001", cost: 0, events: [EncodedEvent(second, EventMessage(second))]),
            EncodedEvents(application: "é", cost: Int(UInt32.max), events: []),
        ]
    }

    private var newerFacts: [PusherFact] {
        [
            .takesJoins, .takesEvents, .members(channel, .added(PresenceMember(userID: "ann", info: "{}"))),
            .members(channel, .removed(userID: "ann")),
        ]
    }

    private var newerAnswers: [SubscribeAnswer] {
        let confirmation = MemberConfirmation(
            before: ByteBuffer(string: "1"), recovery: PusherRecoveryOutcome(position: position, recovered: false),
            after: ByteBuffer(string: "2"))
        let members = [PresenceMember(userID: "ann", info: "{}"), PresenceMember(userID: "bob")]
        return [
            .joined(confirmation), .joined(MemberConfirmation()), .listed(members, confirmation),
            .listed([], MemberConfirmation()),
        ]
    }

    private var facts: [PusherFact] {
        [
            .deliver(ByteBuffer(string: "frame"), channel, excluding: socketID),
            .deliver(
                ByteBuffer(string: "frame"), channel, excluding: nil,
                at: LoggedPosition(position: position, isKept: false, user: "ann", time: 1_700_000_000_000)),
            .mark(HistoryMark(generation: 5, number: 6)),
            .uses(
                [ApplicationUse(application: "1001", use: ChannelUse(channels: 2, subscriptions: 3))], isWhole: true),
            .tell([socketID], ByteBuffer(string: "frame")),
            .close(.terminated, application: "1001", user: nil), .connections([ApplicationCount(application: "1001", count: 7)]),
            .settled(7, .confirmed(ByteBuffer(string: "frame"))), .settled(8, .refused(.tooManyChannels(limit: 9))),
        ]
    }

    private var answers: [SubscribeAnswer] {
        let refusals: [SubscribeRefusal] = [
            .tooManyMembers(limit: 1), .tooManyMemberBytes(limit: 2), .memberMissing, .tooManyChannels(limit: 3),
            .tooManySubscriptions(limit: 4), .unavailable,
        ]
        return refusals.map { .refused($0) } + [.confirmed(ByteBuffer(string: "frame"))]
    }

    /// Nothing that is shorter or longer than `buffer` may be read.
    private func checkCuts(of buffer: ByteBuffer, _ parse: (ByteBuffer) throws(ClusterCodingError) -> Void) {
        for length in 0..<buffer.readableBytes {
            guard let cut = buffer.getSlice(at: 0, length: length) else { continue }
            #expect(throws: ClusterCodingError.self) { try parse(cut) }
        }
        var longer = buffer
        longer.writeInteger(0 as UInt8)
        #expect(throws: ClusterCodingError.self) { try parse(longer) }
    }

    @Test func requestsSurvive() throws {
        for request in try requests() + newerRequests {
            let encoded = request.encoded()
            #expect(try PusherRequest(decoding: encoded).encoded() == encoded)
            checkCuts(of: encoded) { (buffer) throws(ClusterCodingError) in _ = try PusherRequest(decoding: buffer) }
        }
        #expect(throws: ClusterCodingError.self) { try PusherRequest(decoding: ByteBuffer(bytes: [99])) }
    }

    @Test func `CP-90: encoded events are read in both layouts, and a later version may add fields`() throws {
        for events in events {
            #expect(try EncodedEvents(decoding: events.encoded(.sequence)) == events)
            let tagged = events.encoded(.tagged)
            #expect(try EncodedEvents(decoding: tagged) == events)
            #expect(try EncodedEvents(decoding: RecordedValues.withLaterField(tagged)) == events)
            guard case .events(let read) = try PusherRequest(decoding: PusherRequest.events(events).encoded()) else {
                throw ClusterCodingError()
            }
            #expect(read == events)
        }
        // The data is sent twice only if a channel keeps it.
        #expect(events[0].events.map { $0.cached?.data } == ["d", nil])
    }

    @Test(
        "CP-90: The frame that a leader makes for a channel is that of a server alone, at each length of the frame's header",
        arguments: [0, 1, 60, 125, 126, 200, 65_400, 65_536, 100_000])
    func frames(_ length: Int) {
        for (name, channel) in [("e", "room"), ("é\"\\\n", "presence-cache-a"), ("e", "#server-to-user-\"é\\\"")] {
            let data = String(repeating: "x", count: length) + "\u{1}\"é"
            let request = PublishRequest(event: name, data: data, channels: [channel], excluded: nil, info: [])
            let frame = PusherWire.frame(EventMessage(request), to: channel)
            #expect(frame == PusherWire.frame(PusherFrames.event(name: name, channel: channel, data: data)))
        }
    }

    @Test func factsSurvive() throws {
        for fact in facts + newerFacts {
            #expect(try PusherFact(decoding: fact.encoded()) == fact)
            checkCuts(of: fact.encoded()) { (buffer) throws(ClusterCodingError) in _ = try PusherFact(decoding: buffer) }
        }
    }

    @Test func answersSurvive() throws {
        for answer in answers + newerAnswers {
            #expect(try SubscribeAnswer(decoding: answer.encoded()) == answer)
            checkCuts(of: answer.encoded()) { (buffer) throws(ClusterCodingError) in _ = try SubscribeAnswer(decoding: buffer) }
        }
    }

    @Test("What Redis keeps of a node's subscriptions can be read again (CP-50)")
    func recordsSurvive() throws {
        let node = ClusterNode(name: "a", incarnation: 7)
        for member in [nil, PresenceMember(userID: "ann"), PresenceMember(userID: "ann", info: "{}")] {
            let kept = KeptHolding(
                node: node, holding: ChannelHolding(channel: channel, member: member, count: 3), since: 9)
            #expect(try KeptHolding(field: kept.field, value: kept.value) == kept)
        }
    }

    @Test func `CP-70: requests, facts and answers of the version before are read, and a later version may add fields`() throws {
        #expect(try RecordedValues.failures(of: requests(), recordedAs: "PusherRequest") == [])
        #expect(try RecordedValues.failures(of: facts, recordedAs: "PusherFact") == [])
        #expect(try RecordedValues.failures(of: answers, recordedAs: "SubscribeAnswer") == [])
    }

    @Test func `CP-71: what the version before has stored is read under the names that it used`() throws {
        let node = ClusterNode(name: "a", incarnation: 7)
        let kept = [nil, PresenceMember(userID: "ann"), PresenceMember(userID: "ann", info: "{}")].map { member in
            KeptHolding(node: node, holding: ChannelHolding(channel: channel, member: member, count: 3), since: 9)
        }
        let names = try RecordedValues.bytes(of: "KeptHolding.field")
        #expect(kept.map(\.field) == names)
        for (kept, name) in zip(kept, names) {
            #expect(try KeptHolding(field: name, value: kept.value(.tagged)) == kept)
        }
        #expect(kept.map { $0.value(.sequence) } == (try RecordedValues.bytes(of: "KeptHolding.value")))
        let connection = SignedInConnection(socketID: socketID, application: "1001", user: "ann", watchlist: ["bob", "cat"])
        #expect(try RecordedValues.failures(of: [connection], recordedAs: "SignedInConnection") == [])
        #expect(try RecordedValues.failures(of: [position], recordedAs: "PusherPosition") == [])
        let cached = KeptCachedEvent(expires: 5, event: "e", data: "d")
        #expect(try RecordedValues.failures(of: [cached], recordedAs: "KeptCachedEvent") == [])
        let event = KeptEvent(
            epoch: "abc", isKept: true, expires: 5, excluding: socketID, user: "ann", frame: ByteBuffer(string: "frame"))
        #expect(try RecordedValues.failures(of: [event], recordedAs: "KeptEvent") == [])
        let history = KeptHistory(
            position: position, dropped: [.init(number: 3, origin: "ann")],
            unkept: [.init(number: 4, origin: nil), .init(number: 5, origin: socketID)])
        #expect(try RecordedValues.failures(of: [history], recordedAs: "KeptHistory") == [])
        #expect([RecordKeys.field(socketID, of: node)] == (try RecordedValues.bytes(of: "RecordKeys.user")))
        #expect([RecordKeys.connections(of: "1001", at: node)] == (try RecordedValues.bytes(of: "RecordKeys.connections")))
        #expect([RecordKeys.user(connection)] == (try RecordedValues.bytes(of: "RecordKeys.offline")))
        let absences = [nil, "ann"].map { RecordKeys.absence(of: $0, from: channel) }
        #expect(absences == (try RecordedValues.bytes(of: "RecordKeys.absence")))
    }

    @Test func `CR-42: numbers of subscriptions that no server can have are not counted one by one`() throws {
        let most = ChannelHolding(channel: channel, member: nil, count: Int(UInt32.max))
        guard case .holdings(let read) = try PusherRequest(decoding: PusherRequest.holdings([most]).encoded()) else {
            throw ClusterCodingError()
        }
        #expect(read.map(\.count) == [4_194_304])
        let node = ClusterNode(name: "a", incarnation: 1)
        let kept = KeptHolding(node: node, holding: most, since: .max)
        let found = try KeptHolding(field: kept.field, value: kept.value)
        #expect(found.holding.count == 4_194_304 && found.since == UInt64(Int64.max))
        // The next one gets a number, too.
        var holdings = NodeHoldings([found])
        let next = holdings.add(ChannelID(application: "1001", name: "other"), nil, of: node)
        #expect(next.since == UInt64(Int64.max) + 1)
    }
}
