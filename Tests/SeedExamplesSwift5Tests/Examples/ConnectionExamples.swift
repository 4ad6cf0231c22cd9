// The Swift examples of PusherSwift's README, section Connection. Comments say where an example had to be adjusted.
import Foundation
import PusherSwift

enum ConnectionExamples {
    // Connection.
    static func connect() -> Pusher {
        let pusher = Pusher(key: "APP_KEY")
        pusher.connect()
        return pusher
    }

    // Connection: user data.
    static func userData() -> Pusher {
        let pusher = Pusher(key: "APP_KEY")

        pusher.connection.userDataFetcher = { () -> PusherPresenceChannelMember in
            return PusherPresenceChannelMember(userId: "123", userInfo: ["twitter": "hamchapman"])
        }
        return pusher
    }

    // Connection delegate. Adjusted: without UIKit.
    class ViewController: PusherDelegate {
        func viewDidLoad() -> Pusher {
            let pusher = Pusher(key: "APP_KEY")
            pusher.connection.delegate = self
            return pusher
        }
    }

    // Connection delegate: all methods. Adjusted: bodies that use what they get.
    class DummyDelegate: PusherDelegate {
        var heard: [String] = []

        func changedConnectionState(from old: ConnectionState, to new: ConnectionState) {
            heard.append("\(old.stringValue()) to \(new.stringValue())")
        }

        func debugLog(message: String) {
            heard.append(message)
        }

        func subscribedToChannel(name: String) {
            heard.append(name)
        }

        func failedToSubscribeToChannel(name: String, response: URLResponse?, data: String?, error: NSError?) {
            heard.append(name)
        }

        func receivedError(error: PusherError) {
            let message = error.message
            if let code = error.code {
                heard.append("\(code) \(message)")
            }
        }

        func failedToDecryptEvent(eventName: String, channelName: String, data: String?) {
            heard.append(eventName)
        }
    }

    // Connection delegate: the states with their numbers, and stringValue().
    static let states: [(ConnectionState, Int, String)] = [
        (.connecting, 0, "connecting"), (.connected, 1, "connected"), (.disconnecting, 2, "disconnecting"),
        (.disconnected, 3, "disconnected"), (.reconnecting, 4, "reconnecting"),
    ]

    // Reconnection.
    static func reconnection() -> Pusher {
        let pusher = Pusher(key: "APP_KEY", options: PusherClientOptions(autoReconnect: false))
        pusher.connection.reconnectAttemptsMax = 6
        pusher.connection.reconnectAttemptsMax = nil
        pusher.connection.maxReconnectGapInSeconds = 30
        return pusher
    }
}
