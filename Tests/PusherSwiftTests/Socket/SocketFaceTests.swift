import ConnectionEngine
import Foundation
import Testing

@testable import PusherSwift

/// The socket that a connection has by itself, and others in its place. Rules PA-43 to PA-46.
struct SocketFaceTests {
    private let fixture = Fixture()

    private var pings: Int {
        fixture.transport.sent.count { if case .ping = $0 { true } else { false } }
    }

    @Test func `it shows where the connection goes and acts on the present link`() throws {
        let socket = try #require(fixture.connection.socket)
        #expect(socket.url.absoluteString == fixture.connection.url && socket.delegate === fixture.connection)
        socket.send(string: "too early")
        socket.connect()
        fixture.greet()
        #expect(fixture.connection.connectionState == .connected && fixture.transport.dials == 1)
        socket.ping()
        socket.send(string: #"{"event":"raw"}"#)
        #expect(pings == 1 && fixture.sent == [#"{"event":"raw"}"#])
        fixture.connection.webSocketDidReceivePong(connection: socket)
        #expect(fixture.connection.connectionState == .connected)
    }

    @Test func `closing it is a loss, not the end`() {
        fixture.connect()
        fixture.connection.socket.disconnect()
        #expect(fixture.connection.connectionState == .reconnecting)
        guard case .close(_, .goodbye)? = fixture.transport.calls.last else {
            Issue.record("the peer was not told")
            return
        }
        fixture.timers.advanceToNext()
        fixture.greet()
        fixture.connection.socket.disconnect(closeCode: .privateCode(4001))
        #expect(fixture.connection.connectionState == .disconnected)
    }

    @Test func `another socket counts from the next attempt on, and none brings the first back`() throws {
        fixture.connect()
        let mock = MockSocket()
        fixture.connection.socket = mock
        #expect(fixture.connection.connectionState == .connected && mock.calls.isEmpty)
        fixture.lose()
        fixture.timers.advanceToNext()
        #expect(mock.calls == ["connect"] && fixture.connection.connectionState == .connected)
        fixture.connection.socket = nil
        #expect(fixture.connection.socket.url.absoluteString == fixture.connection.url)
        mock.disconnect(closeCode: .privateCode(4200))
        fixture.timers.advanceToNext()
        #expect(fixture.transport.dials == 2)
    }

    @Test func `a delegate of the app's own takes the face away from the connection`() {
        let spy = SocketSpy()
        let options = PusherClientOptions(host: .host("127.0.0.1"), port: 1, useTLS: false)
        let fixture = Fixture(options: options)
        fixture.connection.socket.delegate = spy
        fixture.pusher.connect()
        #expect(fixture.transport.dials == 0)
        fixture.pusher.disconnect()
    }

    @Test func `a connection can be made on a socket`() {
        let options = PusherClientOptions(autoReconnect: false)
        options.callbackQueue = fixture.queue
        let mock = MockSocket()
        let connection = PusherConnection(key: "k", socket: mock, url: "no URL at all", options: options)
        #expect(connection.socket === mock && mock.delegate === connection)
        connection.connect()
        #expect(connection.connectionState == .connected && mock.calls == ["connect"])
        connection.disconnect()
        #expect(connection.connectionState == .disconnected)
    }

    @Test(arguments: [1000, 1001, 1011, 3000, 3999, 4000, 4201, 4999])
    func `close codes keep their numbers`(number: Int) {
        #expect(NWProtocolWebSocket.CloseCode(number: number).number == number)
    }

    @Test(arguments: [-1, 0, 999, 1004, 2000, 5000, 70_000])
    func `numbers that are no code read as an abnormal closure`(number: Int) {
        #expect(NWProtocolWebSocket.CloseCode(number: number).number == 1006)
    }

    @Test func `failures are told in the words of Network`() {
        let cases: [(ConnectionFailure, NWError)] = [
            (ConnectionFailure(.tlsUntrusted, "x"), .tls(-9807)), (ConnectionFailure(.tlsFailed, "x"), .tls(-9824)),
            (ConnectionFailure(.timeout, "x"), .posix(.ETIMEDOUT)), (ConnectionFailure(.networkUnavailable, "x"), .dns(-65_554)),
            (ConnectionFailure(.networkUnavailable, "x", errno: ECONNREFUSED), .posix(.ECONNREFUSED)),
            (ConnectionFailure(.malformedResponse, "x"), .posix(.ECONNABORTED)),
        ]
        for (failure, error) in cases {
            #expect("\(NWError(failure))" == "\(error)")
        }
        for category in [StatusCategory.tlsUntrusted, .tlsFailed, .timeout, .networkUnavailable] {
            #expect(NWError(ConnectionFailure(category, "x")).failure.category == category)
        }
    }
}
