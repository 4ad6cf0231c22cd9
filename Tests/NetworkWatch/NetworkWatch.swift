import Foundation
import Lifeline
import NexconnChatSDK
import PubNub
import PusherSwift

/// Connects with each of the four APIs and prints what they tell about the network and the connection, for
/// Tests/ScenarioTests/test_own_network.py: one line for each, with the API's name and a word.
@main
enum NetworkWatch {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4, let port = Int(words[2]) else {
            print("usage: network-watch HOST PORT CHAT-TOKEN")
            return
        }
        let (host, token) = (words[1], words[3])
        let clients: [Any] = [
            watchNeutral(host, port), watchPusher(host, port), PubNubWatch(host, port), ChatWatch(host, port, token),
        ]
        // The test ends the program before.
        try await Task.sleep(for: .seconds(600))
        print("network-watch: ended by itself, with \(clients.count) clients")
    }

    static func say(_ api: String, _ word: String) {
        // Written at once, and unlike `print` not gathered.
        FileHandle.standardOutput.write(Data("\(api) \(word)\n".utf8))
    }

    static func say(_ api: String, network isAvailable: Bool) {
        say(api, isAvailable ? "network-up" : "network-down")
    }

    private static func watchNeutral(_ host: String, _ port: Int) -> LifelineClient {
        let client = LifelineClient(
            .pusher(key: "app-key", host: ServiceHost(host, port: port, tls: false)), options: ClientOptions(timing: .fast))
        let (changes, statuses) = (client.networkChanges, client.statuses)
        Task { for await change in changes { say("lifeline", network: change == .available) } }
        Task { for await status in statuses { say("lifeline", status.phase == .connected ? "connected" : "other") } }
        Task { try await client.connect() }
        return client
    }

    private static func watchPusher(_ host: String, _ port: Int) -> Pusher {
        let options = PusherClientOptions(host: .host(host), port: port, useTLS: false)
        options.timing = .fast
        let pusher = Pusher(key: "app-key", options: options)
        pusher.connection.onNetworkChange = { say("pusher", network: $0) }
        pusher.connection.onStatusChange = { say("pusher", $0.state == .connected ? "connected" : "other") }
        pusher.connect()
        return pusher
    }
}

/// Listeners are held weakly.
private final class PubNubWatch: PNEventsListener {
    private let client: PubNub

    init(_ host: String, _ port: Int) {
        let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
        configuration.origin = "\(host):\(port)"
        configuration.TLSEnabled = false
        configuration.timing = .fast
        client = PubNub.clientWithConfiguration(configuration)
        client.addListener(self)
        client.subscribeToChannels(["room"], withPresence: false)
    }

    func client(_ client: PubNub, didReceiveNetworkStatus status: PNNetworkStatus) {
        NetworkWatch.say("pubnub", network: status.isAvailable)
    }

    func client(_ client: PubNub, didReceive status: PNStatus) {
        let isConnected = [.PNConnectedCategory, .PNReconnectedCategory].contains(status.category)
        NetworkWatch.say("pubnub", isConnected ? "connected" : "other")
    }
}

/// Handlers are held weakly.
private final class ChatWatch: NSObject, ConnectionStatusHandler, Sendable {
    init(_ host: String, _ port: Int, _ token: String) {
        super.init()
        let params = InitParams(appKey: "app-key")
        params.naviServer = "http://\(host):\(port)"
        params.databaseDirectory = NSTemporaryDirectory() + "network-watch-\(ProcessInfo.processInfo.processIdentifier)"
        params.timing = .fast
        params.logLevel = .none
        NCEngine.initialize(params)
        NCEngine.addConnectionStatusHandler(identifier: "watch", handler: self)
        NCEngine.connect(params: ConnectParams(token: token), databaseOpenedHandler: nil) { _, _ in }
    }

    func onNetworkStatusChanged(_ event: NetworkStatusChangedEvent) {
        NetworkWatch.say("chat", network: event.isAvailable)
    }

    func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {
        NetworkWatch.say("chat", event.status == .connected ? "connected" : "other")
    }
}
