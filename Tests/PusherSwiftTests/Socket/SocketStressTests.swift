import Dispatch
import Foundation
import Testing

@testable import PusherSwift

/// A socket of the app's, its delegate and the client, all from many threads. Rules PA-28 and PA-43.
struct SocketStressTests {
    @Test(.timeLimit(.minutes(1))) func `a socket may be told, used and replaced from many threads`() {
        let fixture = Fixture(options: PusherClientOptions(authMethod: .inline(secret: "secret")))
        let connection = fixture.connection
        let sockets = [MockSocket(), MockSocket()]
        sockets.forEach { $0.delegate = connection }
        connection.socket = sockets[0]
        // A socket that calls back into the client from within its calls, on whatever thread that is.
        sockets[1].answer { [weak connection] frame in
            _ = connection?.channels.find(name: "c1")
            return MockSocket.confirmation(of: frame)
        }
        fixture.pusher.connect()
        DispatchQueue.concurrentPerform(iterations: 400) { number in
            let name = "c\(number % 5)"
            let socket = sockets[number % 2]
            switch number % 8 {
            case 0, 1: fixture.pusher.subscribe(name)
            case 2: fixture.pusher.unsubscribe(name)
            case 3: connection.webSocketDidReceiveMessage(connection: socket, string: #"{"event":"e","channel":"\#(name)"}"#)
            case 4: connection.webSocketDidDisconnect(connection: socket, closeCode: .privateCode(4200), reason: nil)
            case 5: connection.webSocketDidReceivePong(connection: socket)
            case 6: connection.socket = socket
            default: fixture.pusher.connect()
            }
        }
        fixture.settle()
        fixture.pusher.connect()
        #expect(connection.connectionState == .connected && connection.socketId == Fixture.socketID)
        fixture.pusher.unsubscribeAll()
        let channel = fixture.pusher.subscribe("last")
        fixture.settle()
        #expect(channel.subscribed && connection.channels.channels.count == 1)
        fixture.pusher.disconnect()
        #expect(connection.connectionState == .disconnected && fixture.timers.runningCount == 0)
    }
}
