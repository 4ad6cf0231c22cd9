import Foundation
import PusherSwift
import Testing

#if canImport(Network)
    import Network
#endif

/// An app's test in Swift 5 mode, without `@testable`: the network replaced by a subclass of `NWWebSocket`.
struct MockWebSocketTests {
    // In Swift 5 mode the compiler warns without `@unchecked Sendable`, in Swift 6 mode it insists.
    class MockWebSocket: NWWebSocket, @unchecked Sendable {
        var written: [String] = []

        init() {
            super.init(url: URL(string: "test")!)
        }

        override func connect() {
            let data = #"{\"socket_id\":\"45481.3166671\",\"activity_timeout\":120}"#
            delegate?.webSocketDidReceiveMessage(
                connection: self, string: #"{"event":"pusher:connection_established","data":"\#(data)"}"#)
            delegate?.webSocketDidConnect(connection: self)
        }

        override func send(string: String) {
            written.append(string)
            if string == #"{"event":"pusher:subscribe","data":{"channel":"prices"}}"# {
                delegate?.webSocketDidReceiveMessage(
                    connection: self,
                    string: #"{"event":"pusher_internal:subscription_succeeded","channel":"prices","data":"{}"}"#)
            }
        }

        override func disconnect(closeCode: NWProtocolWebSocket.CloseCode = .protocolCode(.normalClosure)) {
            delegate?.webSocketDidDisconnect(connection: self, closeCode: closeCode, reason: nil)
        }
    }

    class PriceList: PusherDelegate {
        var states: [ConnectionState] = []
        var prices: [String] = []

        func changedConnectionState(from old: ConnectionState, to new: ConnectionState) {
            states.append(new)
        }
    }

    @Test func `an app is tested without a network`() {
        let queue = DispatchQueue(label: "prices")
        let options = PusherClientOptions(autoReconnect: false)
        options.callbackQueue = queue
        let pusher = Pusher(key: "APP_KEY", options: options)
        let socket = MockWebSocket()
        socket.delegate = pusher.connection
        pusher.connection.socket = socket
        let list = PriceList()
        pusher.delegate = list

        let channel = pusher.subscribe("prices")
        channel.bind(eventName: "new-price", eventCallback: { event in list.prices.append(event.data ?? "-") })
        pusher.connect()
        pusher.connection.webSocketDidReceiveMessage(
            connection: socket, string: #"{"event":"new-price","channel":"prices","data":"12"}"#)
        socket.disconnect(closeCode: .privateCode(4009))
        for _ in 0..<5 { queue.sync {} }

        #expect(socket.written == [#"{"event":"pusher:subscribe","data":{"channel":"prices"}}"#])
        #expect(list.prices == ["12"])
        #expect(list.states == [.connecting, .connected, .disconnected])
    }
}
