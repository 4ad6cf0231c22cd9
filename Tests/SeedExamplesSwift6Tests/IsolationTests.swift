import PusherProtocol
import Testing

@testable import PusherSwift

/// Code in Swift 6 mode, as apps write it.
struct IsolationTests {
    @MainActor final class PriceList: PusherDelegate {
        let pusher = Pusher(key: "APP_KEY")
        private(set) var prices: [String] = []

        init() {
            pusher.delegate = self
            pusher.subscribe("my-channel").bind(eventName: "new-price") { [weak self] event in
                self?.prices.append(event.data ?? "-")
            }
        }
    }

    @Test @MainActor func `callbacks of the main actor run on it`() async {
        let list = PriceList()
        let connection = list.pusher.connection
        await withCheckedContinuation { done in
            connection.callbackQueue.async {
                connection.handleEvent(event: PusherEvent(PusherEnvelope(event: "new-price", channel: "my-channel", data: "1")))
                done.resume()
            }
        }
        #expect(list.prices == ["1"])
    }

    @Test func `a client may be used from many tasks`() async {
        let pusher = Pusher(key: "APP_KEY")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let channel = pusher.subscribe("c\(number)")
                    channel.bind(eventName: "e") { _ in }
                    pusher.unsubscribe(channel.name)
                }
            }
        }
        #expect(pusher.connection.channels.channels.isEmpty)
    }
}
