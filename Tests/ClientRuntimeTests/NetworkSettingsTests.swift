import ClientRuntime
import ConnectionEngine
import Testing
import TransportCommon

@Suite struct NetworkSettingsTests {
    private static let pin = "sha256/" + String(repeating: "A", count: 43) + "="

    private func settings(
        _ policy: ConnectionPolicy = .fast, messageTimeout: Duration? = nil, messageBytes: Int? = nil
    ) throws -> NetworkSettings {
        NetworkSettings(
            policy: policy, authorityFile: "/ca.pem", pins: try CertificatePins([Self.pin]), certificate: nil,
            proxy: HTTPProxy(host: "proxy", port: 8080, user: "me", password: nil),
            paths: NetworkPaths(allowsLowDataMode: false), messageTimeout: messageTimeout, messageBytes: messageBytes)
    }

    @Test func `LL-143: whom to trust and which way to go reach WebSockets, polls and calls alike`() throws {
        let settings = try settings()
        let (socket, poll) = (settings.webSocket(), settings.longPoll())
        #expect(socket.trustRoots == .file("/ca.pem") && poll.trustRoots == .file("/ca.pem"))
        #expect(socket.pins == settings.pins && poll.pins == settings.pins)
        #expect(socket.proxy == settings.proxy && poll.proxy == settings.proxy)
        #expect(socket.paths == settings.paths && poll.paths == settings.paths)
        #expect(settings.httpCaller(bodyLimit: 1).paths == settings.paths)
        #expect(socket.liveness.total == 3 && poll.liveness.total == 3 && settings.httpCaller(bodyLimit: 1).liveness.total == 3)
        #expect(settings.proxy?.credentials == .init(user: "me", password: ""))
    }

    @Test func `LL-143: the times of a dial are the usual ones unless they are set`() throws {
        var settings = try settings()
        #expect(settings.webSocket().connectTimeout == .seconds(10) && settings.longPoll().closeTimeout == .seconds(2))
        settings.timing = (.seconds(3), .seconds(1))
        #expect(settings.webSocket().connectTimeout == .seconds(3) && settings.webSocket().closeTimeout == .seconds(1))
        #expect(settings.longPoll().connectTimeout == .seconds(3) && settings.longPoll().closeTimeout == .seconds(1))
    }

    @Test(arguments: [(nil as Int?, 4 << 20, 1 << 20, 7), (5_000, 5_000, 5_000, 7)])
    func `LL-143: a chosen length counts for everything that holds messages`(
        chosen: Int?, poll: Int, socket: Int, answer: Int
    ) throws {
        let settings = try settings(messageTimeout: .seconds(2), messageBytes: chosen)
        #expect(settings.longPoll().bodyLimit == poll && settings.httpCaller(messages: 8 << 20).bodyLimit == poll)
        #expect(settings.webSocket().limits.messageBytes == socket)
        // Short answers stay short.
        #expect(settings.httpCaller(answers: answer).bodyLimit == answer)
        #expect(settings.webSocket().messageTimeout == .seconds(2) && settings.longPoll().answerTimeout == .seconds(2))
    }
}
