import Foundation
import Lifeline
import LifelineOutbox
import LifelineTesting
import Testing

/// An outbox on disk, over restarts, on each service.
@Suite(.timeLimit(.minutes(5))) struct DiskOutboxTests {
    enum Face: String, CaseIterable, Sendable {
        case pusher, pubnub, chat

        func client(_ service: TestService, user: String = "me") -> LifelineClient {
            switch self {
            case .pusher: LifelineClient(service.pusher(user: Member(id: user)))
            case .pubnub: LifelineClient(service.pubnub(user: user))
            case .chat: LifelineClient(service.nexconn(user: user))
            }
        }

        var channel: String { self == .chat ? "group:room" : "presence-room" }
    }

    private let scratch = Scratch()

    private func outbox(
        _ client: LifelineClient, user: String? = "me", _ options: OutboxOptions = OutboxOptions()
    ) async throws -> Outbox {
        try await client.outbox(options, storage: .disk(scratch.url), user: user)
    }

    @Test(arguments: Face.allCases) func `LL-97: what waited is sent by the next process, in order, once`(face: Face) async throws
    {
        let first = try await outbox(face.client(TestService()))
        for number in 1...3 { try first.publish(["n": number], to: face.channel, event: "tick") }
        await first.close()

        let service = TestService()
        let client = face.client(service)
        let second = try await outbox(client)
        #expect(second.entries.map(\.json) == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#])
        let receipts = second.entries.compactMap { second.receipt(of: $0.id) }
        #expect(receipts.count == 3)
        try await client.connect()
        for receipt in receipts { #expect(try await receipt.outcome().isAccepted) }
        #expect(service.published().map(\.json) == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#])
        #expect(service.published().map(\.event) == ["tick", "tick", "tick"])
        await second.close()

        let third = try await outbox(face.client(TestService()))
        #expect(third.entries == [])
        await third.close()
    }

    @Test(arguments: Face.allCases)
    func `LL-97: what was on its way when the process ended is unknown, or sent again with its id`(face: Face) async throws {
        let service = TestService()
        var client: LifelineClient? = face.client(service)
        var first: Outbox? = try await outbox(try #require(client))
        try await client?.connect()
        service.answerPublishing(.unanswered)
        try first?.publish(["n": 1], to: face.channel)
        try await service.settle()
        #expect(first?.entries.map(\.state) == [.sending])
        // As if it had been killed: nothing is closed.
        (first, client) = (nil, nil)
        try await service.settle()
        service.answerPublishing(.accepted)

        let next = face.client(service)
        let second = try await outbox(next)
        let entry = try #require(second.entries.first)
        if face == .chat {
            let receipt = try #require(second.receipt(of: entry.id))
            try await next.connect()
            #expect(try await receipt.outcome().isAccepted)
        } else {
            guard case .unknown(let error) = entry.state else {
                Issue.record("\(entry.state)")
                return
            }
            #expect(!error.reason.contains("\"n\""))
            try await next.connect()
            try await service.advance(by: .seconds(60))
        }
        // The service has it, and has it once.
        #expect(service.published().count == 1)
        await second.close()
    }

    @Test(arguments: Face.allCases) func `LL-99: each user has an outbox of their own`(face: Face) async throws {
        let ann = try await outbox(face.client(TestService(), user: "ann"), user: "ann")
        try ann.publish(1, to: face.channel)
        let ben = try await outbox(face.client(TestService(), user: "ben"), user: "ben")
        #expect(ben.entries == [])
        await ann.close()
        await ben.close()
        let again = try await outbox(face.client(TestService(), user: "ann"), user: "ann")
        #expect(again.entries.count == 1)
        await again.close()
    }

    @Test func `LL-99: nothing is sent while somebody else is signed in`() async throws {
        let service = TestService()
        let client = LifelineClient(service.nexconn(user: "ben"))
        let outbox = try await client.outbox(storage: .disk(scratch.url), user: "ann")
        try outbox.publish(1, to: "group:room")
        try await client.connect()
        try await service.advance(by: .seconds(60))
        #expect(service.published().isEmpty)
        #expect(outbox.entries.map(\.state) == [.waiting])
        // Now the client knows its user.
        let error = await #expect(throws: LifelineError.self) { _ = try await client.outbox(user: "ann") }
        #expect(error?.code == .badRequest)
        await outbox.close()
    }

    @Test func `LL-99: a user who is not known yet has to be named`() async throws {
        let client = LifelineClient(TestService().nexconn())
        let error = await #expect(throws: LifelineError.self) { _ = try await client.outbox(storage: .disk(scratch.url)) }
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains("user:") == true)
    }

    @Test func `LL-100: a file that is open is not opened a second time`() async throws {
        let client = Face.pubnub.client(TestService())
        let first = try await outbox(client)
        let error = await #expect(throws: LifelineError.self) { _ = try await outbox(client) }
        #expect(error?.code == .storageLocked)
        await first.close()
        await (try outbox(client)).close()
    }

    @Test func `LL-100: damage is put aside, and told`() async throws {
        let client = Face.pubnub.client(TestService())
        let first = try await outbox(client)
        #expect(!first.isRecreated)
        try first.publish(1, to: "room")
        await first.close()
        let name = try #require(scratch.files.first { $0.hasSuffix(".outbox") })
        try Data(repeating: 0x41, count: 8_192).write(to: scratch.url.appendingPathComponent(name))
        let second = try await outbox(client)
        #expect(second.isRecreated)
        #expect(second.entries == [])
        #expect(scratch.files.contains { $0.contains(".damaged-1") })
        try second.publish(2, to: "room")
        await second.close()
        let third = try await outbox(client)
        #expect(!third.isRecreated && third.entries.count == 1)
        await third.close()
    }

    @Test func `LL-100: a folder that cannot be one is a typed error`() async throws {
        try FileManager.default.createDirectory(at: scratch.url, withIntermediateDirectories: true)
        let file = scratch.url.appendingPathComponent("file")
        try Data("x".utf8).write(to: file)
        let client = Face.pubnub.client(TestService())
        let error = await #expect(throws: LifelineError.self) { _ = try await client.outbox(storage: .disk(file)) }
        #expect(error?.code == .storageFailed)
        #expect(error?.reason.contains("not a directory") == true)
    }

    @Test func `LL-97: failures, retries and cancellations are there after a restart`() async throws {
        let service = TestService()
        let client = Face.pubnub.client(service)
        try await client.connect()
        let first = try await outbox(client)
        service.answerPublishing(.refused(reason: "Not today."))
        let receipts = try ["a", "b", "c"].map { try first.publish($0, to: "room") }
        for receipt in receipts { _ = try await receipt.outcome() }
        await client.disconnect()
        #expect(first.cancel(receipts[0].id))
        try first.retry(receipts[1].id)
        await first.waitUntilStored()
        await first.close()
        let second = try await outbox(Face.pubnub.client(TestService()))
        #expect(second.entries.map(\.id) == [receipts[2].id, receipts[1].id])
        #expect(second.entries.map(\.state.isFailed) == [true, false])
        guard case .refused(let error)? = second.entries.first?.state else {
            Issue.record("\(second.entries)")
            return
        }
        #expect(error.code == .accessDenied && error.number == 403 && error.reason.contains("Not today."))
        await second.close()
    }
}
