import PubNubProtocol
import Testing

@testable import PubNub

/// PubNub code in Swift 6 mode, as apps write it.
struct PubNubIsolationTests {
    /// A listener that belongs to the main actor: its callbacks come on the main queue, which is the client's by default.
    @MainActor final class PriceList: @MainActor PNObjectEventListener {
        private(set) var prices: [String] = []
        private(set) var statuses: [PNStatusCategory] = []

        func client(_ client: PubNub, didReceiveMessage message: PNMessageResult) {
            prices.append(message.data.message as? String ?? "-")
        }

        func client(_ client: PubNub, didReceive status: PNStatus) {
            statuses.append(status.category)
        }
    }

    @Test @MainActor func `a listener of the main actor hears on it`() {
        let service = ScriptedService()
        let client = service.client()
        let list = PriceList()
        client.addListener(list)
        client.subscribeToChannels(["prices"], withPresence: false)
        service.confirm("prices")
        service.deliver(#""3""#, on: "prices")
        #expect(list.statuses == [.PNConnectedCategory])
        #expect(list.prices == ["3"])
    }

    @Test func `a client and what it hands out may be used from many tasks`() async {
        let service = ScriptedService()
        let client = service.client()
        let messages = client.messages(on: "c1")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    client.subscribeToChannels(["c\(number)"], withPresence: true)
                    client.unsubscribeFromChannels(["c\(number)"], withPresence: true)
                }
            }
        }
        #expect(client.channels().isEmpty)
        service.deliver("1", on: "c1")
        var iterator = messages.makeAsyncIterator()
        #expect(await iterator.next()?.json == "1")
    }
}
