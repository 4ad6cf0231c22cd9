import Dispatch
import Foundation
import LifelineServer
import Testing

@testable import PusherSwift

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `NWWebSocket` by itself, on real sockets. Rules PA-45 and PA-50.
@Suite(.timeLimit(.minutes(1)))
struct NWWebSocketTests {
    private let spy = SocketSpy()
    private let queue = DispatchQueue(label: "socket")

    private func withServer(_ body: (LifelineServer) async throws -> Void) async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        do {
            try await body(server)
        } catch {
            try? await server.drain(timeout: .zero)
            throw error
        }
        try await server.drain(timeout: .zero)
    }

    private func url(_ server: LifelineServer, key: String = "app-key") throws -> URL {
        try #require(URL(string: "ws://127.0.0.1:\(server.port)/app/\(key)?protocol=7"))
    }

    // Proof of PA-45.
    @Test func `it connects, speaks, pings and says goodbye`() async throws {
        try await withServer { server in
            var request = URLRequest(url: try url(server))
            request.setValue("pusher-channels-protocol-7, other", forHTTPHeaderField: "Sec-WebSocket-Protocol")
            request.setValue("1", forHTTPHeaderField: "X-Own")
            let socket = NWWebSocket(request: request, connectAutomatically: false, connectionQueue: queue)
            socket.delegate = spy
            socket.listen()
            socket.connect()
            socket.connect()
            await spy.diary.wait { $0.contains { $0.contains("connection_established") } }
            #expect(spy.diary.lines.first == "connected" && spy.diary.lines.count == 2)
            socket.send(string: #"{"event":"pusher:subscribe","data":{"channel":"a"}}"#)
            await spy.diary.wait { $0.contains { $0.contains("subscription_succeeded") } }
            socket.ping()
            await spy.diary.wait(for: "pong")
            socket.ping(interval: 0.1)
            await spy.diary.wait(for: "pong", times: 3)
            socket.send(data: Data([1, 2]))
            socket.disconnect()
            await spy.diary.wait { $0.last?.hasPrefix("closed") == true }
            // It can be used again.
            socket.connect()
            await spy.diary.wait(for: "connected", times: 2)
            socket.disconnect(closeCode: .privateCode(4321))
            await spy.diary.wait { $0.last == "closed privateCode(4321)" }
        }
    }

    // On Apple platforms Network's options do not tell their headers.
    #if !canImport(Network)
        @Test func `options give headers, subprotocols and the longest message`() async throws {
            try await withServer { server in
                let options = NWWebSocket.defaultOptions
                options.setSubprotocols(["pusher-channels-protocol-7"])
                options.setAdditionalHeaders([(name: "X-Own", value: "1")])
                options.maximumMessageSize = 20
                let socket = NWWebSocket(url: try url(server), options: options, connectionQueue: queue)
                socket.delegate = spy
                socket.connect()
                // The greeting is longer than that.
                await spy.diary.wait { $0.last?.hasPrefix("failed") == true || $0.last?.hasPrefix("closed") == true }
                #expect(!spy.diary.lines.contains { $0.contains("connection_established") })
            }
        }
    #endif

    @Test func `the peer's close code is told`() async throws {
        try await withServer { server in
            // The server may close the connection before somebody listens, so nothing is told until then.
            let address = try url(server, key: "unknown")
            queue.suspend()
            let socket = NWWebSocket(url: address, connectAutomatically: true, connectionQueue: queue)
            socket.delegate = spy
            queue.resume()
            await spy.diary.wait(for: "closed privateCode(4001)")
        }
    }

    @Test func `a dial that fails is an error`() async throws {
        let port = try await {
            let server = try await LifelineServer.start(.init(port: 0))
            let port = server.port
            try await server.drain(timeout: .zero)
            return port
        }()
        let socket = NWWebSocket(url: try #require(URL(string: "ws://127.0.0.1:\(port)/")), connectionQueue: queue)
        socket.delegate = spy
        socket.connect()
        await spy.diary.wait { $0.contains { $0.hasPrefix("failed POSIX") } }
        let nowhere = NWWebSocket(url: URL(fileURLWithPath: "/"), connectionQueue: queue)
        nowhere.delegate = spy
        nowhere.connect()
        await spy.diary.wait { $0.count { $0.hasPrefix("failed POSIX") } == 2 }
    }

    @Test func `a connection on a socket of the app's does all that it does on its own`() async throws {
        try await withServer { server in
            let socket = NWWebSocket(url: try url(server), connectionQueue: queue)
            let client = LiveClient(server, user: "ann")
            client.pusher.connection.socket = socket
            let channel = client.pusher.subscribeToPresenceChannel("presence-room")
            channel.bind(eventName: "e") { client.diary.note("e \($0.data ?? "-")") }
            client.pusher.connect()
            await client.diary.wait(for: "subscribed presence-room")
            try server.publish(channel: "presence-room", event: "e", data: "1")
            await client.diary.wait(for: "e 1")
            #expect(channel.members.map(\.userId) == ["ann"])
            socket.disconnect(closeCode: .privateCode(4200))
            await client.diary.wait(for: "subscribed presence-room", times: 2)
            client.pusher.disconnect()
            await client.diary.wait(for: "disconnecting→disconnected")
            #expect(!client.diary.states.contains("connected→disconnected"))
        }
    }
}
