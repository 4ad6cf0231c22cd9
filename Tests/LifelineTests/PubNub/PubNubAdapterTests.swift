import ConnectionEngine
import HTTPTransport
import PubNubProtocol
import Testing

@testable import Lifeline

@Suite("PubNub through the neutral API", .timeLimit(.minutes(1)))
struct PubNubAdapterTests {
    @Test("Messages arrive with id, user and event; objects keep their kind (LL-18)")
    func messages() async throws {
        let fixture = PubNubFixture()
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        fixture.publish(
            PubNubFixture.message(#"{"a":1}"#, 1001), PubNubFixture.message("2", 1002, customType: "new-price"),
            PubNubFixture.message("3", 1003, kind: .signal), PubNubFixture.message("4", 1004, in: "other"))
        fixture.publish(PubNubFixture.message("5", 1005, publisher: nil, kind: .object))
        var seen: [Message] = []
        for await message in room.messages.prefix(4) { seen.append(message) }
        #expect(seen.map(\.data) == [#"{"a":1}"#, "2", "3", "5"])
        #expect(seen.map(\.event) == ["message", "new-price", "signal", "object"])
        #expect(seen.map(\.id) == ["1001", "1002", "1003", "1005"])
        #expect(seen.map(\.user) == ["ben", "ben", "ben", nil])
    }

    @Test(
        "LL-8: a gap reaches back by the time limit of a poll and the probe when polls are the only sign of life",
        arguments: [(Liveness.balanced, 3), (.frugal, 340)] as [(Liveness, Double)])
    func gapReachesBack(_ liveness: Liveness, seconds: Double) async throws {
        let fixture = PubNubFixture(options: ClientOptions(timing: .fast, backlog: 1, liveness: liveness))
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        fixture.publish(PubNubFixture.message("1", 1001))
        let received = fixture.timers.now
        fixture.publish(PubNubFixture.message("2", 1002))
        var iterator = room.deliveries.makeAsyncIterator()
        _ = await iterator.next()
        guard case .gap(let gap) = await iterator.next() else {
            Issue.record("no gap")
            return
        }
        #expect(received.duration(since: gap.since) == .seconds(seconds))
    }

    @Test("A connection needs no channel; several share one subscription; a channel is confirmed once (LL-4)")
    func subscribing() async throws {
        let fixture = PubNubFixture(presence: false)
        let events = fixture.client.events
        try await fixture.connect()
        _ = try await fixture.client.channel("a").subscribe()
        _ = try await fixture.client.channel("b").subscribe()
        _ = try await fixture.client.channel("a").subscribe()
        fixture.client.channel("a").unsubscribe()
        await fixture.disconnect()
        var told: [String] = []
        for await event in events.prefix(7) {
            switch event {
            case .status(let status): told.append("\(status.phase)")
            case .subscribed(let channel, _, _): told.append("+\(channel)")
            case .unsubscribed(let channel, _): told.append("-\(channel)")
            default: told.append("\(event)")
            }
        }
        #expect(told == ["connecting", "connected", "+a", "+b", "-a", "disconnecting", "disconnected"])
        let lists = fixture.service.targets.filter { $0.contains("/v2/subscribe/") }.compactMap {
            $0.split(separator: "/").dropFirst(3).first.map(String.init)
        }
        // Handshake and poll for each subscription, and the poll that goes on without `a`.
        #expect(lists == ["a", "a", "a,b", "a,b", "a,b", "a,b", "b"])
        #expect(fixture.service.targets.last?.contains("/channel/b/leave") == true)
    }

    @Test("A channel that is left and wanted again at once is subscribed anew (LL-4)")
    func again() async throws {
        let fixture = PubNubFixture()
        try await fixture.connect()
        let first = try await fixture.client.channel("room").subscribe()
        first.unsubscribe()
        let second = try await fixture.client.channel("room").subscribe()
        fixture.publish(PubNubFixture.message("1", 1001))
        #expect(first.isEnded)
        for await message in second.messages {
            #expect(message.data == "1")
            break
        }
    }

    /// Answers questions who is there, and takes every state.
    private static let state = ScriptedHTTP.json { call in
        call.url.contains("/data")
            ? #"{"status":200,"message":"OK","payload":{"mood":"busy"},"service":"Presence"}"#
            : #"{"status":200,"message":"OK","occupancy":0,"uuids":[],"service":"Presence"}"#
    }

    @Test("LL-112: the service is told one's own data again with every connection, until the channel is left")
    func ownData() async throws {
        let fixture = PubNubFixture(http: Self.state)
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        try await room.presence.setOwnData(["mood": "busy"])
        fixture.loseLink()
        func hasState(_ target: String?) -> Bool { target?.contains("state=%7B%22room%22") == true }
        #expect(hasState(fixture.service.targets.last { $0.contains("/v2/subscribe/") }))
        room.unsubscribe()
        let again = try await fixture.client.channel("room").subscribe()
        #expect(!hasState(fixture.service.targets.last { $0.contains("/v2/subscribe/") }))
        #expect(!again.isEnded)
        let ended = await #expect(throws: LifelineError.self) { try await room.presence.setOwnData(["mood": "busy"]) }
        #expect(ended?.code == .notSubscribed)
    }

    @Test("LL-112: what is no object, and what the service could read against the client's wish, is not sent")
    func refusedOwnData() async throws {
        let fixture = PubNubFixture(http: Self.state)
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        let presence = try room.presence
        for json in ["1", "[]", "\"busy\"", "{"] {
            let error = await #expect(throws: LifelineError.self) { try await presence.setOwnData(json: json) }
            #expect(error?.code == .badRequest, "\(json)")
        }
        let pattern = try await fixture.client.channel("room.*").subscribe()
        let refused = await #expect(throws: LifelineError.self) { try await pattern.presence.setOwnData(["mood": "busy"]) }
        #expect(refused?.code == .badRequest && !pattern.channel.supports(.ownPresenceData))
        var options = ClientOptions()
        options.requiresEncryption = true
        let service = Service.pubnub(publishKey: "p", subscribeKey: "s", userID: "ann", cipherKey: "key")
        #expect(!LifelineClient(service, options: options).channel("room").supports(.ownPresenceData))
        #expect(LifelineClient(service).channel("room").supports(.ownPresenceData))
    }

    @Test("What was missed in an outage is caught up with, in order and without a gap (LL-16)")
    func catchUp() async throws {
        let fixture = PubNubFixture()
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        fixture.publish(PubNubFixture.message("1", 1001))
        fixture.loseLink { fixture.publish(PubNubFixture.message("2", 1002), PubNubFixture.message("3", 1003)) }
        fixture.publish(PubNubFixture.message("4", 1004))
        var told: [String] = []
        for await delivery in room.deliveries.prefix(4) {
            if case .message(let message) = delivery { told.append(message.data) } else { told.append("\(delivery)") }
        }
        #expect(told == ["1", "2", "3", "4"])
    }

    @Test("More than the service keeps is a gap before the messages, reaching back before the loss (LL-16)")
    func overflow() async throws {
        let fixture = PubNubFixture()
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        fixture.publish(PubNubFixture.message("0", 1001))
        let heardAt = fixture.timers.now
        fixture.timers.advance(by: .milliseconds(100))
        fixture.loseLink { fixture.publish((1...150).map { PubNubFixture.message("\($0)", 1001 + UInt64($0)) }) }
        var told: [String] = []
        for await delivery in room.deliveries.prefix(102) {
            switch delivery {
            case .message(let message): told.append(message.data)
            case .gap(let gap): told.append("gap \(gap.reason) \(gap.since <= heardAt)")
            case .failed: told.append("failed")
            }
        }
        #expect(told == ["0", "gap tooMany true"] + (51...150).map { "\($0)" })
    }

    @Test("Members come from the service's answer and from events, and after a loss as a difference (LL-9, LL-17)")
    func presence() async throws {
        let answers = ScriptedHTTP.json { call in
            call.url.contains("offset")
                ? "{}"
                : #"{"status":200,"occupancy":2,"uuids":[{"uuid":"ann"},{"uuid":"ben","state":{"mood":"good"}}]}"#
        }
        // The first members are told once somebody looks at changes.
        answers.holdsAnswers = true
        let fixture = PubNubFixture(http: answers)
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        let changes = try room.presence.changes
        answers.holdsAnswers = false
        while try room.presence.members.count < 2 { await Task.yield() }
        #expect(try room.presence.members == [Member(id: "ann"), Member(id: "ben", info: #"{"mood":"good"}"#)])
        func event(_ action: PubNubPresenceEvent.Action, _ user: String, _ timetoken: UInt64, state: String? = nil) {
            let event = PubNubPresenceEvent(
                action, channel: "room", user: user, timestamp: 1, occupancy: 2, state: state)
            fixture.publish(PubNubFixture.presence(event, timetoken))
        }
        event(.join, "cem", 1001)
        event(.stateChange, "cem", 1002, state: #"{"mood":"bad"}"#)
        event(.timeout, "ben", 1003)
        #expect(try room.presence.members.map(\.id) == ["ann", "cem"])
        fixture.loseLink()
        var told: [String] = []
        for await change in changes.prefix(7) { told.append("\(change.action) \(change.member.id) \(change.count)") }
        #expect(
            told == [
                "join ann 1", "join ben 2", "join cem 3", "update cem 3", "leave ben 2", "leave cem 1", "join ben 2",
            ])
        #expect(answers.sent.allSatisfy { $0.url.hasPrefix("http://h:80/v2/presence/sub-key/sub/channel/room?") })
    }

    @Test("Without presence nothing is asked and -pnpres is not subscribed")
    func withoutPresence() async throws {
        let fixture = PubNubFixture(presence: false)
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        #expect(throws: LifelineError.self) { try room.presence }
        #expect(fixture.http.sent.isEmpty)
        #expect(!fixture.service.targets.contains { $0.contains("pnpres") })
    }

    @Test("Encrypted messages are opened; one that cannot be is a problem of its channel, and others go on (LL-18)")
    func decryption() async throws {
        let cipher = PubNubCipher(key: "enigma")
        let fixture = PubNubFixture(cipherKey: "enigma")
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        fixture.publish(
            PubNubFixture.message(try cipher.encrypt(message: #"{"a":1}"#), 1001),
            PubNubFixture.message(try PubNubCipher(key: "other").encrypt(message: "2"), 1002),
            PubNubFixture.message("3", 1003, kind: .signal))
        var told: [String] = []
        for await delivery in room.deliveries.prefix(3) {
            switch delivery {
            case .message(let message): told.append(message.data)
            case .failed(let error, willRetry: true): told.append(error.code.rawValue)
            default: told.append("\(delivery)")
            }
        }
        #expect(told == [#"{"a":1}"#, "decryptionFailed", "3"])
    }

    @Test("A denied channel is told, tried again, and confirmed once it is granted (LL-19)")
    func denied() async throws {
        let fixture = PubNubFixture()
        let events = fixture.client.events
        try await fixture.connect()
        fixture.service.refuse(
            with: PubNubProblem(
                ConnectionFailure(.accessDenied, "Denied.", origin: .server, httpStatus: 403), information: "Forbidden",
                channels: ["room", "room-pnpres"]))
        async let room = fixture.client.channel("room").subscribe()
        var told: [String] = []
        for await event in events {
            switch event {
            case .status(let status):
                told.append("\(status.phase)")
                if status.phase == .waiting {
                    #expect(status.category == .accessDenied)
                    fixture.service.refuse(with: nil)
                    fixture.dialAgain()
                }
            case .problem(let error, let channel, let willRetry, _):
                told.append("\(error.code) \(error.number ?? 0) \(channel ?? "") \(willRetry)")
                #expect(error.reason.hasSuffix("It says: Forbidden"))
            case .subscribed(let channel, _, _): told.append("+\(channel)")
            default: told.append("\(event)")
            }
            if told.last == "+room" { break }
        }
        #expect(
            told == ["connecting", "connected", "accessDenied 403 room true", "waiting", "connecting", "connected", "+room"])
        #expect(try await room.name == "room")
    }

    @Test("A filter goes with every subscription; one that the service cannot read ends in failed (LL-19)")
    func filter() async throws {
        let fixture = PubNubFixture(filter: "a == 'b'")
        try await fixture.connect()
        fixture.service.refuse(
            with: PubNubProblem(ConnectionFailure(.malformedFilter, "No.", origin: .server, httpStatus: 481)))
        let error = await #expect(throws: LifelineError.self) { _ = try await fixture.client.channel("room").subscribe() }
        #expect(error?.code == .init(.malformedFilter))
        #expect(fixture.client.status.phase == .failed)
        #expect(fixture.service.targets.last { $0.contains("tt=0") }?.contains("filter-expr=a%20%3D%3D%20%27b%27") == true)
    }

    @Test(
        "Names that stand for something else are refused at once", arguments: ["", "a,b", "a*", "*", "a.*.b", "a-pnpres", ".*"])
    func names(name: String) async {
        let fixture = PubNubFixture()
        let error = await #expect(throws: LifelineError.self) { _ = try await fixture.client.channel(name).subscribe() }
        #expect(error?.code == .badRequest)
        #expect(fixture.transport.calls.isEmpty)
    }
}
