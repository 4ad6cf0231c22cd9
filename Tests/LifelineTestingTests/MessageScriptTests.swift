import Lifeline
import LifelineTesting
import Testing

/// Script verbs about messages, rights and presence, on each service behind the neutral API.
@Suite(.timeLimit(.minutes(5))) struct MessageScriptTests {
    @Test(arguments: Face.allCases) func `LT-11: messages arrive in order, decoded`(face: Face) async throws {
        let it = try await Connected(face)
        for number in 1...3 { try await it.service.deliver(["n": number], event: "price", on: face.channel) }
        let messages = it.heard.take().filter { $0.hasPrefix("price") }
        #expect(messages == (1...3).map { "price {\"n\":\($0)}" })
    }

    @Test(arguments: Face.allCases) func `LT-12: a gap is declared`(face: Face) async throws {
        let it = try await Connected(face)
        it.service.loseMessages()
        try await it.service.drop(.reset)
        try await it.service.advance(by: .seconds(60))
        let expected = face == .chat ? [] : ["gap connectionLost"]
        #expect(it.heard.take().filter { $0.hasPrefix("gap") } == expected)
    }

    @Test func `LT-12: a gap of chat concerns the inbox`() async throws {
        let service = TestService()
        let client = LifelineClient(service.nexconn())
        let heard = try await Words(client, service)
        try await client.connect()
        _ = try await client.channel("direct:ben").subscribe()
        service.loseMessages()
        try await service.drop(.reset)
        try await service.advance(by: .seconds(60))
        #expect(heard.all.contains("gap connectionLost"))
    }

    @Test(arguments: [Face.pubnub, .chat]) func `LT-12: what was missed is caught up`(face: Face) async throws {
        let service = TestService()
        let client = LifelineClient(face.service(service))
        let heard = try await Words(client, service)
        let channel = face == .chat ? "direct:ben" : "room"
        try await client.connect()
        _ = try await client.channel(channel).subscribe()
        try await service.drop(.reset)
        try await service.deliver(["n": 1], event: "price", on: channel)
        #expect(!heard.all.contains("price {\"n\":1}"))
        try await service.advance(by: .seconds(60))
        #expect(heard.all.contains("price {\"n\":1}"))
        #expect(!heard.all.contains { $0.hasPrefix("gap") })
    }

    @Test(arguments: Face.allCases) func `LT-14: a denied channel`(face: Face) async throws {
        let service = TestService()
        service.deny(face.channel)
        let client = LifelineClient(face.service(service))
        let heard = try await Words(client, service)
        // Before, since a subscription that PubNub denies keeps it from connecting, and time does not pass by itself.
        try await client.connect()
        async let subscribed = client.channel(face.channel).subscribe()
        if face == .pubnub {
            // Tried again until it is granted.
            try await service.until { heard.all.contains("problem accessDenied true") }
            service.allow(face.channel)
            try await service.advance(by: .seconds(60))
            try await client.connect()
            _ = try await subscribed
        } else {
            do {
                _ = try await subscribed
                Issue.record("The channel was not denied.")
            } catch {
                #expect((error as? LifelineError)?.code == .accessDenied)
            }
        }
    }

    @Test(arguments: Face.allCases) func `LT-15: members come and go`(face: Face) async throws {
        let it = try await Connected(face)
        _ = it.heard.take()
        try await it.service.join("ann", to: face.channel)
        try await it.service.leave("ann", from: face.channel)
        #expect(it.heard.take() == ["join ann", "leave ann"])
        #expect(try it.room.presence.members.map(\.id) == ["me"])
        #expect(it.service.members(of: face.channel) == ["me"])
    }

    @Test(arguments: Face.allCases) func `LT-16: whoever is there before is told at once`(face: Face) async throws {
        let service = TestService()
        try await service.join("ann", to: face.channel)
        let client = LifelineClient(face.service(service))
        try await client.connect()
        let room = try await client.channel(face.channel).subscribe()
        try await service.settle()
        #expect(Set(try room.presence.members.map(\.id)) == ["ann", "me"])
        #expect(Set(try await client.channel(face.channel).members().map(\.id)) == ["ann", "me"])
    }

    @Test(arguments: Face.allCases) func `LT-17: accepted and refused messages`(face: Face) async throws {
        let it = try await Connected(face)
        #expect(try await it.room.publish(["text": "one"]).isAccepted)
        it.service.answerPublishing(.refused(reason: "Not today."), on: face.channel)
        let outcome = try await it.room.publish(["text": "two"])
        guard case .refused(let error) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.reason.contains("Not today."))
        let published = it.service.published(on: face.channel)
        #expect(published.map(\.json) == [#"{"text":"one"}"#, #"{"text":"two"}"#])
        #expect(published.map(\.isAccepted) == [true, false])
    }

    @Test(arguments: Face.allCases) func `LT-17: an answer that never comes leaves the outcome unknown`(face: Face) async throws {
        let it = try await Connected(face)
        it.service.answerPublishing(.unanswered)
        async let outcome = it.room.publish(["text": "one"])
        try await it.service.until { !it.service.published().isEmpty }
        try await it.service.advance(by: .seconds(60))
        let result = try await outcome
        guard case .unknown = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test(arguments: [Face.pubnub, .chat]) func `LT-19: history has what was delivered and published`(face: Face) async throws {
        let it = try await Connected(face)
        try await it.service.deliver(["n": 1], on: "room")
        _ = try await it.room.publish(["n": 2])
        #expect(try await it.room.history(last: 10).map(\.data) == [#"{"n":1}"#, #"{"n":2}"#])
        let page = try await it.room.history(limit: 1)
        #expect(page.messages.map(\.data) == [#"{"n":2}"#] && page.older != nil)
        #expect(try await it.room.history(before: page.older, limit: 5).messages.map(\.data) == [#"{"n":1}"#])
    }

    @Test func `LT-20: an app's own server is scripted`() async throws {
        let service = TestService()
        service.onRequest { request in
            request.url.hasPrefix("https://app.test/auth") ? TestAnswer(body: #"{"auth":"test-key:from-the-app"}"#) : nil
        }
        let client = LifelineClient(
            service.inPlace(of: .pusher(key: "test-key", access: .endpoint("https://app.test/auth", headers: ["X": "y"]))))
        try await client.connect()
        _ = try await client.channel("private-room").subscribe()
        #expect(service.requests.map(\.method) == ["POST"])
        #expect(service.requests.first?.headers.contains("X: y") == true)
        #expect(service.requests.first?.body.contains("channel_name=private-room") == true)
    }

    @Test func `LT-21: two clients of one service hear each other`() async throws {
        let service = TestService()
        let ann = LifelineClient(service.pubnub(user: "ann"))
        let ben = LifelineClient(service.pubnub(user: "ben"))
        let heard = try await Words(ben, service)
        for client in [ann, ben] {
            try await client.connect()
            _ = try await client.channel("room").subscribe()
        }
        _ = try await ann.channel("room").publish("hello")
        try await service.settle()
        #expect(heard.all.contains("message \"hello\""))
        #expect(Set(service.members(of: "room")) == ["ann", "ben"])
    }
}
