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
                ClientEvent(name: "client-e", channel: channel.name, data: "{}", userID: "ann"), application: "1001",
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
            .partition(.list(ChannelList(application: "1001", prefix: "presence-", info: [.userCount, .subscriptionCount]))),
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
        for request in try requests() {
            let encoded = request.encoded
            #expect(try PusherRequest(parsing: encoded).encoded == encoded)
            checkCuts(of: encoded) { (buffer) throws(ClusterCodingError) in _ = try PusherRequest(parsing: buffer) }
        }
        #expect(throws: ClusterCodingError.self) { try PusherRequest(parsing: ByteBuffer(bytes: [99])) }
    }

    @Test func factsSurvive() throws {
        for fact in facts {
            #expect(try PusherFact(parsing: fact.encoded) == fact)
            checkCuts(of: fact.encoded) { (buffer) throws(ClusterCodingError) in _ = try PusherFact(parsing: buffer) }
        }
    }

    @Test func answersSurvive() throws {
        let refusals: [SubscribeRefusal] = [
            .tooManyMembers(limit: 1), .tooManyMemberBytes(limit: 2), .memberMissing, .tooManyChannels(limit: 3),
            .tooManySubscriptions(limit: 4), .unavailable,
        ]
        for answer in refusals.map({ SubscribeAnswer.refused($0) }) + [.confirmed(ByteBuffer(string: "frame"))] {
            #expect(try SubscribeAnswer(parsing: answer.encoded) == answer)
            checkCuts(of: answer.encoded) { (buffer) throws(ClusterCodingError) in _ = try SubscribeAnswer(parsing: buffer) }
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
}
