import ClientRuntime
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers
import Testing
import TransportCommon

@testable import Lifeline

@Suite("A client's network settings")
struct ClientNetworkTests {
    @Test("LL-29: authorities, pins, proxy and times reach both kinds of connection")
    func everywhere() throws {
        let pins = try CertificatePins(["sha256/" + String(repeating: "A", count: 43) + "="])
        let proxy = HTTPProxy(host: "proxy", port: 8080)
        let options = ClientOptions(
            timing: .fast, certificateAuthorityFile: "/ca.pem", certificatePins: pins, proxy: proxy)
        let (socket, poll) = (options.network.webSocket(), options.network.longPoll())
        #expect(socket.trustRoots == .file("/ca.pem") && poll.trustRoots == .file("/ca.pem"))
        #expect(socket.pins == pins && poll.pins == pins)
        #expect(socket.proxy == proxy && poll.proxy == proxy)
        #expect(socket.connectTimeout == .seconds(3) && poll.connectTimeout == .seconds(3))
        #expect(options.network.httpCaller(answers: 7).bodyLimit == 7)
    }

    @Test("LL-119: the paths reach both kinds of connection and both kinds of calls")
    func paths() {
        let paths = NetworkPaths(allowsLowDataMode: false)
        #expect(ClientOptions().networkPaths == .all)
        let options = ClientOptions(networkPaths: paths)
        #expect(options.network.webSocket().paths == paths && options.network.longPoll().paths == paths)
        #expect(
            options.network.httpCaller(answers: 1).paths == paths && options.network.httpCaller(messages: 1 << 20).paths == paths)
    }

    @Test("LL-120: App Nap is kept away only if the client's options say so", arguments: [true, false])
    func appNap(isWanted: Bool) throws {
        #expect(!ClientOptions().preventsAppNap)
        let options = ClientOptions(preventsAppNap: isWanted)
        let host = ServiceHost("h")
        let pusher = Service.pusher(key: "k", host: host).makeAdapter(options, .live)
        let pubnub = Service.pubnub(publishKey: "p", subscribeKey: "s", userID: "me", host: host).makeAdapter(options, .live)
        let chat = Service.nexconn(appKey: "k", host: host, access: .token("t")).makeAdapter(options, .live)
        #expect(try #require(pusher as? PusherAdapter).driver.observer is ActivityObserver == isWanted)
        #expect(try #require(pubnub as? PubNubAdapter).driver.observer is ActivityObserver == isWanted)
        #expect(try #require(chat as? ChatAdapter).driver.observer is ActivityObserver == isWanted)
    }

    @Test("LL-62: the system's notifications count only if the client suspends in the background", arguments: [true, false])
    func background(suspends: Bool) {
        let report = NIOLockedValueBox<(@Sendable (ApplicationMonitor.Place) -> Void)?>(nil)
        let monitor = ApplicationMonitor { body in report.withLockedValue { $0 = body } }
        let adapter = ScriptedAdapter()
        let client = LifelineClient(
            adapter: adapter, options: ClientOptions(suspendsInBackground: suspends), application: monitor)
        report.withLockedValue { $0 }?(.background)
        #expect(adapter.calls == (suspends ? [.moved(.background)] : []))
        client.applicationWillEnterForeground()
        #expect(adapter.calls.last == .moved(.foreground))
    }

    @Test("Without settings the system's authorities count, and nothing goes between")
    func defaults() {
        let options = ClientOptions()
        let socket = options.network.webSocket()
        #expect(socket.trustRoots == .system && socket.pins == nil && socket.proxy == nil)
        #expect(!options.requiresEncryption)
    }

    @Test(
        "LL-50: a host without a word about TLS has it, unless it is this machine",
        arguments: [
            ("example.com", true), ("192.0.2.7", true), ("localhost.example.com", true), ("localhost", false),
            ("127.1.2.3", false), ("::1", false),
        ])
    func schemes(host: String, tls: Bool) {
        #expect(ServiceHost(host).tls == tls && ServiceHost(host).port == (tls ? 443 : 80))
        #expect(ServiceHost(host, port: 6001).tls == tls)
        #expect(ServiceHost(host, tls: true).tls && !ServiceHost(host, tls: false).tls)
    }

    @Test("LL-47: time and bytes of a message are the profile's and the service's, unless the options say otherwise")
    func messages() {
        let (standard, fast) = (ClientOptions(), ClientOptions(timing: .fast))
        let chosen = ClientOptions(timing: .fast, messageTimeout: .seconds(2), messageBytes: 5_000)
        let times = [standard, fast, chosen].map { [$0.network.webSocket().messageTimeout, $0.network.longPoll().answerTimeout] }
        #expect(times == [[.seconds(30), .seconds(30)], [.seconds(5), .seconds(5)], [.seconds(2), .seconds(2)]])
        let pusher = [standard, fast, chosen].map { $0.network.webSocket(messageBytes: 1 << 25).limits.messageBytes }
        #expect(pusher == [1 << 25, 1 << 22, 5_000])
        #expect([standard, fast, chosen].map { $0.network.webSocket().limits.messageBytes } == [1 << 20, 1 << 20, 5_000])
        #expect([standard, fast, chosen].map { $0.network.longPoll().bodyLimit } == [8 << 20, 4 << 20, 5_000])
        #expect(
            [standard, fast, chosen].map { $0.network.httpCaller(messages: 8 << 20).bodyLimit } == [8 << 20, 4 << 20, 5_000])
        // Short answers stay short.
        let patient = ClientOptions(messageTimeout: .seconds(1 << 40), messageBytes: .max)
        #expect(
            [standard, fast, chosen, patient].map { $0.network.httpCaller(answers: 1 << 16).bodyLimit } == [
                1 << 16, 1 << 16, 5_000, 1 << 16,
            ])
        #expect(patient.network.longPoll().bodyLimit == 1 << 30 && patient.network.longPoll().answerTimeout == .seconds(3_600))
        let hasty = ClientOptions(messageTimeout: .zero, messageBytes: -1)
        #expect(hasty.network.longPoll().bodyLimit == 1 << 10 && hasty.network.longPoll().answerTimeout == .milliseconds(100))
    }

    @Test("WT-28: the kernel finds a dead connection within the profile's time")
    func liveness() {
        for (options, seconds) in [(ClientOptions(), 24), (ClientOptions(timing: .fast), 3)] {
            #expect(options.network.webSocket().liveness.total == seconds && options.network.longPoll().liveness.total == seconds)
        }
    }
}
