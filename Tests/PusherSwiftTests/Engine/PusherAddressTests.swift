import ConnectionEngine
import Testing

@testable import PusherSwift

struct PusherAddressTests {
    private func url(_ key: String = "testKey123", _ options: PusherClientOptions) -> String {
        PusherAddress.url(key: key, options: options)
    }

    // Proof of U2.
    @Test func `URLs are PusherSwift's`() {
        let tail = "/app/testKey123?client=pusher-websocket-swift&version=10.1.10&protocol=7"
        #expect(url("testKey123", PusherClientOptions()) == "wss://ws.pusherapp.com:443\(tail)")
        #expect(url("testKey123", PusherClientOptions(useTLS: false)) == "ws://ws.pusherapp.com:80\(tail)")
        let path = PusherClientOptions(host: .host("h"), port: 1, path: "/in/front")
        #expect(url("testKey123", path) == "wss://h:1/in/front\(tail)")
    }

    @Test(arguments: ["front", "/front", "/front/", "front/"])
    func `a path needs no slashes in the right places`(path: String) {
        #expect(url("k", PusherClientOptions(host: .host("h"), path: path)).hasPrefix("wss://h:443/front/app/k?"))
    }

    @Test func `keys are percent-encoded and keep their case`() {
        #expect(url("a b/C?", PusherClientOptions()).contains("/app/a%20b%2FC%3F?client="))
    }

    @Test func `the endpoint is what the URL says`() throws {
        let endpoint = try #require(PusherAddress.endpoint(url: url("k", PusherClientOptions(host: .host("h"), port: 6001))))
        #expect(endpoint.host == "h" && endpoint.port == 6001 && endpoint.usesTLS)
        #expect(endpoint.target == "/app/k?client=pusher-websocket-swift&version=10.1.10&protocol=7")
        #expect(endpoint.subprotocols == ["pusher-channels-protocol-7"])
    }

    @Test(arguments: ["::1", "[::1]"])
    func `IPv6 addresses work with and without brackets`(host: String) {
        let endpoint = PusherAddress.endpoint(url: url("k", PusherClientOptions(host: .host(host), port: 6001, useTLS: false)))
        #expect(endpoint?.host == "::1")
        #expect(endpoint?.usesTLS == false)
    }

    @Test(arguments: [("ws://h/app/k", 80), ("wss://h/app/k", 443), ("http://h", 80), ("https://h", 443)])
    func `URLs without a port have the scheme's`(url: String, port: Int) {
        #expect(PusherAddress.endpoint(url: url)?.port == port)
    }

    @Test(arguments: ["", "nonsense", "ftp://h/app/k", "wss://", "wss://h:0/app/k", "wss://h:99999/app/k"])
    func `what is no WebSocket URL has no endpoint`(url: String) {
        #expect(PusherAddress.endpoint(url: url) == nil)
    }
}
