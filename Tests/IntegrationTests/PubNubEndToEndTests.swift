import Dispatch
import Foundation
import LifelineServer
import PubNub
import Testing

/// PubNub clients against our server in one process, on real sockets. Also run under the Thread Sanitizer.
@Suite(.serialized) struct PubNubEndToEndTests {
    /// A client with its own queue, and everything that its listener heard as text.
    private final class Client: PNObjectEventListener {
        let pubnub: PubNub
        let seen = Seen<String>()

        init(port: Int, user: String, _ settings: (PNConfiguration) -> Void = { _ in }) {
            let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
            configuration.origin = "127.0.0.1:\(port)"
            configuration.TLSEnabled = false
            configuration.uuid = user
            configuration.timing = .fast
            settings(configuration)
            pubnub = PubNub.clientWithConfiguration(configuration, callbackQueue: DispatchQueue(label: "client \(user)"))
            pubnub.addListener(self)
        }

        func client(_ client: PubNub, didReceive status: PNStatus) {
            let channels = (status as? PNSubscribeStatus)?.subscribedChannels.sorted().joined(separator: ",") ?? ""
            seen.append("status \(status.stringifiedCategory()) \(channels)")
        }

        func client(_ client: PubNub, didReceiveMessage message: PNMessageResult) {
            seen.append("\(message.data.channel) \(message.data.message ?? "nil")")
        }

        func client(_ client: PubNub, didReceiveSignal signal: PNSignalResult) {
            seen.append("signal \(signal.data.message ?? "nil")")
        }

        func client(_ client: PubNub, didReceivePresenceEvent event: PNPresenceEventResult) {
            seen.append("\(event.data.presence.uuid ?? "") \(event.data.presenceEvent) \(event.data.presence.occupancy)")
        }

        func publish(_ number: Int, to channel: String) async -> Bool {
            await withCheckedContinuation { continuation in
                pubnub.publish(number, toChannel: channel) { continuation.resume(returning: !$0.isError) }
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `Messages, presence, signals and history pass between two clients`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let (ada, bob) = (Client(port: server.port, user: "ada"), Client(port: server.port, user: "bob"))
        ada.pubnub.subscribeToChannels(["room"], withPresence: true)
        await ada.seen.wait(for: "status Connected room,room-pnpres")
        bob.pubnub.subscribeToChannels(["room"], withPresence: false)
        await bob.seen.wait(for: "status Connected room")
        await ada.seen.wait(for: "bob join 2")

        for number in 1...50 { #expect(await bob.publish(number, to: "room")) }
        await ada.seen.wait(for: "room 50")
        #expect(ada.seen.elements.filter { $0.hasPrefix("room ") } == (1...50).map { "room \($0)" })
        bob.pubnub.signal("hi", channel: "room") { _ in }
        await ada.seen.wait(for: "signal hi")

        let stored = await withCheckedContinuation { continuation in
            bob.pubnub.historyForChannel("room") { result, _ in
                continuation.resume(returning: result?.data.messages.compactMap { $0 as? Int } ?? [])
            }
        }
        #expect(stored == Array(1...50))
        bob.pubnub.unsubscribeFromAll()
        await ada.seen.wait(for: "bob leave 1")
        ada.pubnub.unsubscribeFromAll()
        await ada.seen.wait { $0.last?.hasPrefix("status Expected Disconnect") ?? false }
        try await server.stop()
    }

    @Test(.timeLimit(.minutes(1))) func `A list that changes under traffic loses and repeats nothing`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let (ada, bob) = (Client(port: server.port, user: "ada"), Client(port: server.port, user: "bob"))
        ada.pubnub.subscribeToChannels(["room"], withPresence: false)
        await ada.seen.wait(for: "status Connected room")
        for number in 1...60 {
            #expect(await bob.publish(number, to: "room"))
            if number % 7 == 0 { ada.pubnub.subscribeToChannels(["extra-\(number)"], withPresence: false) }
            if number % 14 == 0 { ada.pubnub.unsubscribeFromChannels(["extra-\(number)"], withPresence: false) }
        }
        await ada.seen.wait(for: "room 60")
        #expect(ada.seen.elements.filter { $0.hasPrefix("room ") } == (1...60).map { "room \($0)" })
        ada.pubnub.unsubscribeFromAll()
        try await server.stop()
    }

    @Test(.timeLimit(.minutes(1))) func `Many threads may use one client`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let ada = Client(port: server.port, user: "ada")
        let pubnub = ada.pubnub
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for round in 0..<40 {
                        let name = "room-\((thread + round) % 5)"
                        pubnub.subscribeToChannels([name], withPresence: round % 2 == 0)
                        pubnub.publish(round, toChannel: name, withCompletion: nil)
                        if round % 3 == 0 { pubnub.unsubscribeFromChannels([name], withPresence: true) }
                        if round % 10 == 0 { pubnub.filterExpression = round % 20 == 0 ? "a == 1 || !(a == 1)" : nil }
                    }
                }
            }
        }
        pubnub.filterExpression = nil
        pubnub.subscribeToChannels(["last"], withPresence: false)
        await ada.seen.wait { $0.contains { $0.hasPrefix("status Connected") && $0.contains("last") } }
        pubnub.unsubscribeFromAll()
        await ada.seen.wait { $0.last?.hasPrefix("status Expected Disconnect") ?? false }
        try await server.stop()
    }
}
