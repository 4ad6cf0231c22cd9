import Foundation
import LifelineServer
import Testing

@testable import PusherSwift

/// Proxies and pins against a server in the same process. Rules PA-62 and PA-63.
@Suite(.timeLimit(.minutes(1)))
struct ProxyServerTests {
    private func client(_ options: PusherClientOptions) -> (Pusher, Diary) {
        options.callbackQueue = DispatchQueue(label: "proxy.callbacks")
        options.timing = .fast
        let pusher = Pusher(key: "app-key", options: options)
        let diary = Diary()
        pusher.delegate = diary
        return (pusher, diary)
    }

    @Test func `the connection and the endpoints go through the proxy`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let proxy = try await ConnectProxy()
        let options = PusherClientOptions(
            authMethod: .endpoint(authEndpoint: "\(server.url)/no/such/endpoint"), host: .host("127.0.0.1"), port: server.port,
            useTLS: false)
        options.proxy = PusherProxy(host: "127.0.0.1", port: proxy.port, user: "u", password: "p:w")
        let (pusher, diary) = client(options)
        pusher.subscribe("a")
        pusher.subscribe("private-b").bind(eventName: "pusher:subscription_error") { _ in diary.note("refused") }
        pusher.connect()
        await diary.wait(for: "subscribed a")
        await diary.wait(for: "refused")
        #expect(proxy.requests.count == 2)
        for request in proxy.requests {
            #expect(request.hasPrefix("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n"))
            #expect(request.lowercased().contains("\r\nproxy-authorization: basic dtpwonc=\r\n"))
        }
        pusher.disconnect()
        try await server.drain(timeout: .zero)
    }

    @Test(arguments: ["HTTP/1.1 407 Proxy Authentication Required", "HTTP/1.1 502 Bad Gateway"])
    func `a proxy that refuses is a status of its own`(refusal: String) async throws {
        let proxy = try await ConnectProxy(refusal: refusal)
        let options = PusherClientOptions(host: .host("channels.example"), port: 80, useTLS: false)
        options.proxy = PusherProxy(host: "127.0.0.1", port: proxy.port)
        let (pusher, _) = client(options)
        let statuses = pusher.connection.statuses
        pusher.connect()
        var categories: [String] = []
        for await status in statuses where status.state != .connecting {
            categories.append(status.category)
            break
        }
        #expect(categories == ["proxyUnavailable"])
        pusher.disconnect()
    }

    @Test func `a proxy that is not there is a status of its own`() async {
        let options = PusherClientOptions(host: .host("channels.example"), port: 80, useTLS: false)
        options.proxy = PusherProxy(host: "127.0.0.1", port: 1)
        let (pusher, _) = client(options)
        let statuses = pusher.connection.statuses
        pusher.connect()
        let status = await statuses.first { $0.state != .connecting }
        #expect(status?.category == "proxyUnavailable" && status?.reason != nil)
        pusher.disconnect()
    }
}
