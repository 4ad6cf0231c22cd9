import ConnectionEngine
import EngineRuntime
import Foundation
import NIOConcurrencyHelpers
import Testing
import WebSocketTransport

@testable import PusherSwift

/// Settings that PusherSwift 10.1 does not have. Rules PA-60 to PA-64.
struct AdditionsTests {
    @Test func `headers go with the request that opens the connection`() {
        let options = PusherClientOptions()
        options.headers = ["X-Tenant": "a", "Authorization": "Bearer t"]
        let fixture = Fixture(options: options)
        #expect(
            fixture.connection.driver.withMemory { $0.endpoint.headers }
                == [WebSocketEndpoint.Header("Authorization", "Bearer t"), WebSocketEndpoint.Header("X-Tenant", "a")])
    }

    @Test func `endpoints get headers and fields, fixed ones and those of providers`() {
        let options = PusherClientOptions(authMethod: .endpoint(authEndpoint: "http://localhost/a"))
        options.authHeaders = ["authorization": "old", "X-A": "1"]
        options.authParams = ["b": "2", "socket_id": "9.9", "a": "1"]
        options.authHeadersProvider = { ["Authorization": DispatchQueue.getSpecific(key: Fixture.marker) ?? "elsewhere"] }
        options.authParamsProvider = { ["b": "3&"] }
        let fixture = Fixture(options: options)
        fixture.http.answer(200, #"{"auth":"k:s"}"#)
        fixture.pusher.subscribe("private-a")
        fixture.connect()
        fixture.settle()
        let request = fixture.http.requests.first
        #expect(
            request.map { String(decoding: $0.body, as: UTF8.self) }
                == "socket_id=45481.3166671&channel_name=private-a&a=1&b=3%26")
        #expect(
            request?.headers == [
                .init(name: "Authorization", value: "callbacks"), .init(name: "X-A", value: "1"),
                .init(name: "Content-Type", value: AuthorizationRequest.form),
            ])
    }

    @Test func `a content type of the app's own counts`() throws {
        let url = try #require(URL(string: "http://localhost/a"))
        var extras = EndpointExtras()
        extras.headers = ["content-type": "application/x-www-form-urlencoded; charset=utf-8"]
        let request = AuthorizationRequest(endpoint: url, socketID: "1.2", channel: "private-a", extras: extras)
        #expect(request.headers.map(\.name) == ["content-type"])
    }

    @Test(arguments: ["", "sha256/short", "not base64 at all, but 44 letters long, really!"])
    func `a pin that is none is told, and nothing is dialled`(pin: String) {
        let options = PusherClientOptions()
        options.certificatePins = ["47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", pin]
        let fixture = Fixture(options: options)
        fixture.pusher.connect()
        fixture.settle()
        #expect(fixture.delegate.lines.count == 1 && fixture.delegate.lines.first?.contains("pin") == true)
        #expect(fixture.transport.dials == 0)
    }

    @Test func `Rule PA-96: the paths reach the connection and what asks endpoints`() {
        let options = PusherClientOptions()
        let policy = ConnectionSettings().policy
        #expect(PusherEngineAssembly.configuration(options, policy).paths == .all)
        #expect(PusherEngineAssembly.caller(options, policy)(1_000).paths == .all)
        let paths = NetworkPaths(allowsLowDataMode: false, allowsExpensive: false, allowsCellular: false)
        options.networkPaths = paths
        #expect(PusherEngineAssembly.configuration(options, policy).paths == paths)
        let makeCaller = PusherEngineAssembly.caller(options, policy)
        options.networkPaths = .all
        #expect(makeCaller(1_000).paths == paths && makeCaller(1_000).bodyLimit == 1_000)
    }

    @Test func `Rule PA-95: the liveness reaches what asks endpoints`() {
        var settings = ConnectionSettings()
        settings.liveness = .frugal
        #expect(PusherEngineAssembly.caller(PusherClientOptions(), settings.policy)(1).liveness.total > 120)
    }

    @Test(arguments: [true, false])
    func `Rule PA-97: App Nap is kept away only if the app says so`(isWanted: Bool) {
        let options = PusherClientOptions()
        #expect(!options.preventsAppNap)
        options.preventsAppNap = isWanted
        #expect((Pusher(key: "k", options: options).connection.driver.observer is ActivityObserver) == isWanted)
    }

    @Test func `Rule PA-82: time and bytes of a message are the timing's, unless they are chosen`() {
        func configuration(_ options: PusherClientOptions) -> WebSocketTransportConfiguration {
            var settings = ConnectionSettings()
            settings.timing = options.timing
            return PusherEngineAssembly.configuration(options, settings.policy)
        }
        let options = PusherClientOptions()
        #expect(configuration(options).messageTimeout == .seconds(30) && configuration(options).limits.messageBytes == 1 << 25)
        #expect(configuration(options).limits.fragments == 1 << 14 && configuration(options).liveness.total == 24)
        options.timing = .fast
        #expect(configuration(options).messageTimeout == .seconds(5) && configuration(options).limits.messageBytes == 1 << 22)
        #expect(configuration(options).liveness.total == 3)
        options.messageTimeout = 1.5
        options.maximumMessageSize = 20_000
        #expect(configuration(options).messageTimeout == .seconds(1.5) && configuration(options).limits.messageBytes == 20_000)
        options.messageTimeout = .infinity
        options.maximumMessageSize = 0
        #expect(configuration(options).messageTimeout == .seconds(3_600) && configuration(options).limits.messageBytes == 1 << 10)
    }

    @Test func `a proxy's password is in no description`() {
        let proxy = PusherProxy(host: "proxy.example", port: 3128, user: "u", password: "hush")
        var dumped = ""
        dump(proxy, to: &dumped)
        for text in ["\(proxy)", proxy.debugDescription, dumped] {
            #expect(text.contains("proxy.example") && !text.contains("hush"))
        }
    }

    @Test(
        arguments: [(nil, nil, 10.0), (4, nil, 4), (4, 0.5, 0.5), (nil, 1000, 300), (-1, nil, 0.1)]
            as [(Double?, Double?, Double)])
    func `subscriptions have a time, of their own or the options'`(common: Double?, own: Double?, seconds: Double) {
        let options = PusherClientOptions()
        options.subscribeTimeout = common
        let fixture = Fixture(options: options)
        fixture.connect()
        if let own { fixture.pusher.subscribe("a", timeout: own) } else { fixture.pusher.subscribe("a") }
        var waited = 0.0
        while waited + 1 < seconds {
            fixture.timers.advance(by: .seconds(1))
            fixture.receive(#"{"event":"pusher:pong"}"#)
            waited += 1
        }
        #expect(fixture.delegate.failures.isEmpty)
        fixture.timers.advance(by: .seconds(1.1))
        fixture.settle()
        let words = fixture.delegate.failures.first?.error?.localizedDescription
        #expect(words?.contains("within \(seconds) s") == true)
    }

    @Test(arguments: [true, false])
    func `PA-91: the system is asked where the application is only if the client suspends in the background`(suspends: Bool) {
        let options = PusherClientOptions()
        #expect(options.suspendsInBackground)
        options.suspendsInBackground = suspends
        let fixture = Fixture(options: options)
        #expect(fixture.applicationObservations.withLockedValue { $0 } == (suspends ? 1 : 0))
    }
}
