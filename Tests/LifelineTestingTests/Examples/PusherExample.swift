import Dispatch
import LifelineTesting
import NIOConcurrencyHelpers
import PusherSwift
import Testing

@Test func `the app shows that it reconnects`() async throws {
    let service = TestService()
    let options = PusherClientOptions(host: .cluster("eu"))
    options.callbackQueue = DispatchQueue(label: "app")
    service.attach(to: options)
    let pusher = Pusher(key: "app-key", options: options)

    let prices = NIOLockedValueBox<[String]>([])
    pusher.subscribe("prices").bind(eventName: "price") { (event: PusherEvent) in
        prices.withLockedValue { $0.append(event.data ?? "") }
    }
    pusher.connect()
    try await service.settle()
    #expect(pusher.connection.connectionState == .connected)

    try await service.deliver(3, event: "price", on: "prices")
    #expect(prices.withLockedValue { $0 } == ["3"])

    // The link is dead, and nobody says so: it is noticed after 20 s of silence and 5 s for the answer to a ping.
    service.goSilent()
    try await service.advance(by: .seconds(25))
    #expect(pusher.connection.connectionState == .reconnecting)
    try await service.accept()
    try await service.advance(by: .seconds(30))
    #expect(pusher.connection.connectionState == .connected)
}
