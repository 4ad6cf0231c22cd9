import Dispatch
import Foundation
import LifelineServer
import Testing

@testable import PubNub

/// Every call that this package's server answers, over sockets: what the one side writes the other reads.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct CallsOnSocketsTests {
    private static let mark = DispatchSpecificKey<Bool>()

    private func withClient(
        _ configure: (PNConfiguration) -> Void = { _ in }, _ body: (PubNub) async throws -> Void
    ) async throws {
        let server = try await LifelineServer.start(.init(port: 0, drainTimeout: .milliseconds(200)))
        let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
        configuration.origin = "127.0.0.1:\(server.port)"
        configuration.TLSEnabled = false
        configuration.uuid = "me"
        configuration.timing = .fast
        configure(configuration)
        let queue = DispatchQueue(label: "callbacks")
        queue.setSpecific(key: Self.mark, value: true)
        let client = PubNub.clientWithConfiguration(configuration, callbackQueue: queue)
        do {
            try await body(client)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private struct Price: Codable, Equatable {
        var company: String
        var price: Int
    }

    @Test func `messages are published, kept, counted and deleted`() async throws {
        try await withClient { client in
            let start = try await client.serviceTime()
            #expect(String(start).count == 17)
            var options = PNPublishOptions()
            options.metadata = ["level": 3]
            options.customMessageType = "price"
            let first = try await client.publish(Price(company: "A/C \"é\"", price: 3), to: "room", options: options)
            options.isCompressed = true
            let second = try await client.publish(String(repeating: "long ", count: 200), to: "room", options: options)
            try await client.publish("not kept", to: "room", options: PNPublishOptions(isStored: false))
            try await client.signal("s", to: "room")
            try await client.fire("f", to: "room")
            #expect(start < first && first < second)

            let page = try await client.history(of: "room")
            #expect(page.messages.map(\.timetoken) == [first, second])
            #expect(try page.messages[0].decode(Price.self) == Price(company: "A/C \"é\"", price: 3))
            #expect(try page.messages[1].decode(String.self).utf8.count == 1000)
            #expect(page.messages[0].publisher == "me" && page.messages[0].metadata == #"{"level":3}"#)
            #expect(page.messages[0].customMessageType == "price" && page.next == nil)
            #expect(try await client.history(of: ["room", "empty"]).mapValues(\.count) == ["room": 2])
            #expect(try await client.history(of: "room", before: second).messages.map(\.timetoken) == [first])
            #expect(try await client.messageCounts(of: ["room", "empty"], since: start) == ["room": 2, "empty": 0])
            try await client.deleteHistory(of: "room", after: start, upTo: first)
            #expect(try await client.history(of: "room").messages.map(\.timetoken) == [second])
        }
    }

    @Test(arguments: [33_000, 70_000])
    func `a call whose address is too long says so with the words of the service (PK-1)`(length: Int) async throws {
        try await withClient { client in
            let error = await #expect(throws: PNCallError.self) {
                _ = try await client.history(of: String(repeating: "c", count: length))
            }
            #expect(error?.category == .PNRequestURITooLongCategory && error?.statusCode == 414)
            #expect(error?.information == "Request URI Too Long")
        }
    }

    @Test func `a message about a file is published and kept`() async throws {
        struct FileMessage: Decodable, Equatable {
            struct File: Decodable, Equatable {
                var id: String
                var name: String
            }
            var message: String
            var file: File
        }
        try await withClient { client in
            let (isError, timetoken) = await withCheckedContinuation { continuation in
                client.publishFileMessage().channel("room").fileIdentifier("f-1").fileName("cat.png").message("look")
                    .performWithCompletion { continuation.resume(returning: ($0.isError, $0.data.timetoken.uint64Value)) }
            }
            #expect(!isError)
            let page = try await client.history(of: "room")
            #expect(page.messages.map(\.timetoken) == [timetoken])
            #expect(
                try page.messages[0].decode(FileMessage.self)
                    == FileMessage(message: "look", file: .init(id: "f-1", name: "cat.png")))
        }
    }

    @Test(arguments: ["raum-é-1", "a%20b", "c+d&e=f?", "日本"]) func `names of all spellings lead to the same channel`(
        name: String
    ) async throws {
        try await withClient { client in
            let timetoken = try await client.publish(1, to: name)
            #expect(try await client.history(of: name).messages.map(\.timetoken) == [timetoken])
            #expect(try await client.history(of: [name, "other"])[name]?.count == 1)
            #expect(try await client.messageCounts(of: [name], since: timetoken - 1) == [name: 1])
            try await client.add([name], toGroup: "g")
            #expect(try await client.channels(inGroup: "g") == [name])
        }
    }

    @Test func `with a cipher key the server holds what it cannot read`() async throws {
        try await withClient({ $0.cipherKey = "enigma" }) { client in
            try await client.publish(["secret": 1], to: "room")
            let stored = try #require(try await client.history(of: "room").messages.first)
            #expect(stored.json == #"{"secret":1}"# && !stored.isUndecryptable)
            let result = await withCheckedContinuation { continuation in
                client.historyForChannel("room") { result, status in
                    continuation.resume(returning: (result?.data.messages.first as? [String: Any])?["secret"] as? Int)
                }
            }
            #expect(result == 1)
        }
    }

    @Test func `groups, state and presence`() async throws {
        try await withClient { client in
            try await client.add(["a", "b"], toGroup: "g")
            try await client.remove(["a"], fromGroup: "g")
            #expect(try await client.channels(inGroup: "g") == ["b"])
            #expect(try await client.allChannelGroups() == ["g"])
            let statuses = client.statuses
            client.subscribeToChannels(["room"], withPresence: false)
            for await status in statuses where status.category == .PNConnectedCategory { break }
            try await client.setState(["mood": "fine"], on: ["room"])
            #expect(try await client.state(on: "room") == #"{"mood":"fine"}"#)
            let here = try await client.hereNow(on: ["room"])
            #expect(here["room"]?.users == ["me"] && here["room"]?.states == ["me": #"{"mood":"fine"}"#])
            #expect(try await client.hereNow()["room"]?.occupancy == 1)
            #expect(try await client.whereNow() == ["room"])
            try await client.removeGroup("g")
            #expect(try await client.allChannelGroups() == [])
        }
    }

    @Test func `actions are added, found and removed`() async throws {
        try await withClient { client in
            let message = try await client.publish("m", to: "room")
            let action = try await client.addAction(type: "reaction", value: "smile", to: message, on: "room")
            #expect(action.user == "me" && action.messageTimetoken == message)
            #expect(try await client.actions(on: "room") == [action])
            let stored = try await client.history(of: "room", limit: 25, includesActions: true).messages.first
            #expect(stored?.actions == [action])
            try await client.removeAction(action, on: "room")
            #expect(try await client.actions(on: "room") == [])
        }
    }

    @Test func `the Cocoa SDK's blocks come on the callback queue`() async throws {
        try await withClient { client in
            let (timetoken, isOnQueue) = await withCheckedContinuation { continuation in
                client.publish().message(["a": 1]).channel("room").performWithCompletion { status in
                    let isOnQueue = DispatchQueue.getSpecific(key: Self.mark) == true
                    continuation.resume(returning: (status.data.timetoken.uint64Value, isOnQueue))
                }
            }
            #expect(String(timetoken).count == 17 && isOnQueue)
        }
    }
}
