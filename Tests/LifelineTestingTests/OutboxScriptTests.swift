import Lifeline
import LifelineTesting
import Testing

/// An outbox in memory, on each service.
@Suite(.timeLimit(.minutes(5))) struct OutboxScriptTests {
    private func texts(_ service: TestService) -> [String] { service.published().map(\.json) }

    private func publish(_ count: Int, in outbox: Outbox, to channel: String) throws -> [OutboxReceipt] {
        try (1...count).map { try outbox.publish(["n": $0], to: channel) }
    }

    @Test(arguments: Face.allCases) func `LL-93: messages are sent in order and told to be accepted`(face: Face) async throws {
        let it = try await Connected(face)
        let outbox = try await it.client.outbox()
        let receipts = try publish(3, in: outbox, to: face.channel)
        for receipt in receipts { #expect(try await receipt.outcome().isAccepted) }
        #expect(texts(it.service) == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#])
        #expect(outbox.entries == [])
    }

    @Test(arguments: Face.allCases) func `LL-93: without a connection nothing is tried`(face: Face) async throws {
        let service = TestService()
        let client = LifelineClient(face.service(service))
        let outbox = try await client.outbox()
        let receipts = try publish(2, in: outbox, to: face.channel)
        try await service.advance(by: .seconds(600))
        #expect(texts(service) == [])
        #expect(service.requests.isEmpty)
        #expect(outbox.entries.map(\.state) == [.waiting, .waiting])
        try await client.connect()
        _ = try await client.channel(face.channel).subscribe()
        try await service.settle()
        for receipt in receipts { #expect(try await receipt.outcome().isAccepted) }
        #expect(texts(service) == [#"{"n":1}"#, #"{"n":2}"#])
    }

    @Test(arguments: Face.allCases) func `LL-93: an outage delays messages and loses none`(face: Face) async throws {
        let it = try await Connected(face)
        let outbox = try await it.client.outbox()
        it.service.refuse(.unreachable)
        try await it.service.drop(.reset)
        let receipts = try publish(3, in: outbox, to: face.channel)
        try await it.service.advance(by: .seconds(120))
        #expect(texts(it.service) == [])
        try await it.service.accept()
        try await it.service.advance(by: .seconds(120))
        for receipt in receipts { #expect(try await receipt.outcome().isAccepted) }
        #expect(texts(it.service) == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#])
    }

    @Test(arguments: Face.allCases) func `LL-95: a refusal is told, stays in the list, and can be retried`(
        face: Face
    ) async throws {
        let it = try await Connected(face)
        let outbox = try await it.client.outbox()
        it.service.answerPublishing(.refused(reason: "Not today."), on: face.channel)
        let receipt = try outbox.publish("one", to: face.channel)
        guard case .refused(let error) = try await receipt.outcome() else {
            Issue.record("\(try await receipt.outcome())")
            return
        }
        #expect(error.reason.contains("Not today."))
        #expect(outbox.entries.map(\.state) == [.refused(error)])
        #expect(outbox.receipt(of: receipt.id) == nil)
        it.service.answerPublishing(.accepted, on: face.channel)
        #expect(try await outbox.retry(receipt.id).outcome().isAccepted)
        #expect(outbox.entries == [])
        #expect(!outbox.cancel(receipt.id))
    }

    @Test(arguments: Face.allCases) func `LL-96: an answer that never comes`(face: Face) async throws {
        let it = try await Connected(face)
        let outbox = try await it.client.outbox()
        it.service.answerPublishing(.unanswered, on: face.channel)
        let receipt = try outbox.publish("one", to: face.channel)
        try await it.service.settle()
        #expect(outbox.entries.map(\.state) == [.sending])
        // Chat sends it again with the same id, of which the service knows that it has it.
        it.service.answerPublishing(.accepted, on: face.channel)
        try await it.service.advance(by: .seconds(60))
        let outcome = try await receipt.outcome()
        if face == .chat {
            #expect(outcome.isAccepted)
        } else {
            guard case .unknown = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(outbox.entries.map(\.state.isFailed) == [true])
        }
        #expect(it.service.published().count == 1)
    }

    @Test(arguments: [Face.pusher, .pubnub])
    func `LL-95: after a rate limit the message waits as long as the service asks`(face: Face) async throws {
        let it = try await Connected(face)
        let outbox = try await it.client.outbox()
        it.service.onRequest { request in
            request.method == "POST"
                ? TestAnswer(status: 429, headers: ["Retry-After": "30", "Content-Type": "application/json"], body: "{}") : nil
        }
        let receipt = try outbox.publish("one", to: face.channel)
        try await it.service.settle()
        #expect(outbox.entries.map(\.state) == [.waiting])
        it.service.onRequest { _ in nil }
        try await it.service.advance(by: .seconds(29))
        #expect(texts(it.service) == [])
        try await it.service.advance(by: .seconds(2))
        #expect(try await receipt.outcome().isAccepted)
    }

    @Test(arguments: [Face.pusher, .pubnub])
    func `LL-95: a status of 503 does not say that nothing was taken, so that it is unknown`(face: Face) async throws {
        let it = try await Connected(face)
        let outbox = try await it.client.outbox()
        it.service.onRequest { $0.method == "POST" ? TestAnswer(status: 503) : nil }
        guard case .unknown = try await outbox.publish("one", to: face.channel).outcome() else {
            Issue.record("\(outbox.entries)")
            return
        }
    }

    @Test(arguments: Face.allCases) func `LL-94: what is not sent in time is told to have expired`(face: Face) async throws {
        let service = TestService()
        let client = LifelineClient(face.service(service))
        let outbox = try await client.outbox(OutboxOptions(lifetime: .seconds(60)))
        let (short, long) = (
            try outbox.publish(1, to: face.channel), try outbox.publish(2, to: face.channel, lifetime: .seconds(3_600))
        )
        try await service.advance(by: .seconds(60))
        #expect(try await short.outcome() == .expired)
        #expect(outbox.entries.map(\.state) == [.expired, .waiting])
        #expect(outbox.cancel(long.id))
        #expect(try await long.outcome() == .cancelled)
        #expect(outbox.entries.map(\.id) == [short.id])
    }

    @Test func `LL-93: whoever must be subscribed to publish waits for the subscription`() async throws {
        let service = TestService()
        let access = PusherAccess.custom { _ in PusherAccess.Grant(auth: "test-key:signature") }
        let client = LifelineClient(service.inPlace(of: .pusher(key: "test-key", access: access)))
        try await client.connect()
        let outbox = try await client.outbox()
        let receipt = try outbox.publish("hello", to: "private-room", event: "greeting")
        try await service.advance(by: .seconds(200))
        #expect(outbox.entries.map(\.state) == [.waiting])
        _ = try await client.channel("private-room").subscribe()
        #expect(try await receipt.outcome().isAccepted)
        #expect(service.published().map(\.event) == ["client-greeting"])
    }

    @Test(arguments: ["room", "open:room"])
    func `LL-93: an open channel of chat takes messages of those who have entered`(name: String) async throws {
        let service = TestService()
        let client = LifelineClient(service.nexconn())
        try await client.connect()
        let outbox = try await client.outbox()
        let (open, group) = (try outbox.publish("a", to: "room"), try outbox.publish("b", to: "group:room"))
        #expect(try await group.outcome().isAccepted)
        try await service.advance(by: .seconds(200))
        #expect(outbox.entries.map(\.channel) == ["room"])
        _ = try await client.channel(name).subscribe()
        #expect(try await open.outcome().isAccepted)
        #expect(service.published().map(\.channel) == ["group:room", "room"])
    }

    @Test(arguments: Face.allCases) func `LL-93: what could never be published is thrown at once`(face: Face) async throws {
        let service = TestService()
        let outbox = try await LifelineClient(face.service(service)).outbox()
        let noJSON = #expect(throws: LifelineError.self) { try outbox.publish(json: "hello", to: face.channel) }
        #expect(noJSON?.code == .badRequest)
        let unencodable = #expect(throws: LifelineError.self) { try outbox.publish(["n": Double.infinity], to: face.channel) }
        #expect(unencodable?.code == .unencodable)
        if face == .pusher {
            let stored = #expect(throws: LifelineError.self) {
                try outbox.publish(1, to: face.channel, options: PublishOptions(isStored: true))
            }
            #expect(stored?.code == .unsupported)
        }
        #expect(outbox.entries == [])
    }

    @Test func `LL-94: lists tell each change, for a screen`() async throws {
        let service = TestService()
        let client = LifelineClient(service.pubnub())
        let outbox = try await client.outbox()
        var lists = outbox.entryLists.makeAsyncIterator()
        #expect(await lists.next() == [])
        let receipt = try outbox.publish("one", to: "room", event: "line")
        let entry = try #require(await lists.next()?.first)
        #expect(entry.id == receipt.id && entry.channel == "room" && entry.event == "line" && entry.json == #""one""#)
        #expect(entry.state == .waiting)
        try await client.connect()
        #expect(try await receipt.outcome().isAccepted)
        #expect(await lists.next() == [])
        await outbox.close()
        #expect(await lists.next() == nil)
    }

    @Test(arguments: Face.allCases) func `LL-93: a close and a release end the waiting`(face: Face) async throws {
        let service = TestService()
        let client = LifelineClient(face.service(service))
        let closed = try await client.outbox()
        let receipt = try closed.publish(1, to: face.channel)
        await closed.close()
        await closed.close()
        #expect(try await receipt.outcome() == .closed)
        let error = #expect(throws: LifelineError.self) { try closed.publish(2, to: face.channel) }
        #expect(error?.code == .disconnected)
        var released: Outbox? = try await client.outbox()
        let other = try released?.publish(3, to: face.channel)
        released = nil
        #expect(try await other?.outcome() == .closed)
    }

    @Test func `LL-93: a task that is cancelled stops waiting, and the message goes on`() async throws {
        let service = TestService()
        let client = LifelineClient(service.pubnub())
        let outbox = try await client.outbox()
        let receipt = try outbox.publish(1, to: "room")
        let waiting = Task { try await receipt.outcome() }
        waiting.cancel()
        await #expect(throws: LifelineError.self) { try await waiting.value }
        try await client.connect()
        #expect(try await receipt.outcome().isAccepted)
    }
}
