import Dispatch
import LifelineTesting
import PubNub
import PusherSwift
import Testing

@Suite("What nobody has waited for")
struct UnfinishedWorkTests {
    @Test func `LT-39: a call that nobody has waited for is named, and a step waits for it`() async throws {
        let service = TestService()
        #expect(service.unfinishedWork.isEmpty)
        let options = PusherClientOptions(host: .cluster("eu"))
        options.callbackQueue = DispatchQueue(label: "app")
        service.attach(to: options)
        let pusher = Pusher(key: "app-key", options: options)
        pusher.connect()
        #expect(
            service.unfinishedWork
                == "Call `try await service.settle()` first. Since the last step, a client has begun to connect.")
        try await service.settle()
        #expect(service.unfinishedWork.isEmpty)

        _ = pusher.subscribe("prices")
        #expect(service.unfinishedWork.contains("a client has sent a message"))
        try await service.deliver(3, on: "prices")
        #expect(service.unfinishedWork.isEmpty)

        pusher.disconnect()
        #expect(service.unfinishedWork.contains("a client has ended its connection"))
        try await service.settle()
        #expect(service.unfinishedWork.isEmpty)
    }

    @Test func `LT-39: requests are named without their address, which may have keys`() async throws {
        let service = TestService()
        let configuration = PNConfiguration(publishKey: "publish", subscribeKey: "subscribe-key")
        service.attach(to: configuration)
        let pubnub = PubNub.clientWithConfiguration(configuration, callbackQueue: DispatchQueue(label: "app"))
        pubnub.subscribeToChannels(["prices"], withPresence: false)
        let told = service.unfinishedWork
        #expect(told.contains("a client has made a request, GET"))
        #expect(!told.contains("subscribe-key"))
        try await service.settle()
        #expect(service.unfinishedWork.isEmpty)
    }
}
