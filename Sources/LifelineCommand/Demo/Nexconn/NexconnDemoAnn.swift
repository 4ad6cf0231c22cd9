import Dispatch
import Foundation
import NexconnChatSDK

/// Ann, who uses the chat SDK like an application on a phone.
final class NexconnDemoAnn: NSObject, ConnectionStatusHandler, MessageHandler, Sendable {
    private let board: DemoBoard<NexconnDemoRecord>
    private let show: @Sendable (DemoLine) -> Void
    private let timeline: DemoTimeline
    private static let identifier = "lifeline.demo"

    init(board: DemoBoard<NexconnDemoRecord>, timeline: DemoTimeline, show: @escaping @Sendable (DemoLine) -> Void) {
        self.board = board
        self.timeline = timeline
        self.show = show
    }

    /// Initialises the SDK; once for the process.
    func prepare(port: Int, directory: String) {
        let params = InitParams(appKey: "app-key")
        params.naviServer = "http://127.0.0.1:\(port)"
        params.databaseDirectory = directory
        params.timing = .fast
        // The table shows the same information as the log.
        params.logLevel = .none
        NCEngine.initialize(params)
        NCEngine.addConnectionStatusHandler(identifier: Self.identifier, handler: self)
        NCEngine.addMessageHandler(identifier: Self.identifier, handler: self)
    }

    func finish() {
        NCEngine.removeConnectionStatusHandler(forIdentifier: Self.identifier)
        NCEngine.removeMessageHandler(forIdentifier: Self.identifier)
        NCEngine.disconnect()
    }

    func connect(token: String) {
        let (board, show, timeline) = (board, show, timeline)
        NCEngine.connect(
            params: ConnectParams(token: token),
            databaseOpenedHandler: { isRecreated, error in
                let word = error == nil ? (isRecreated ? "recreated" : "open") : "failed"
                show(timeline.line(.now, "ann", "database", error == nil ? .cyan : .red, word))
            },
            completionHandler: { userId, error in
                board.change { $0.completed(error?.code ?? 0) }
                let text = error.map { "error \($0.errorCode), in detail \($0.code)" } ?? "signed in as \(userId ?? "?")"
                show(timeline.line(.now, "ann", "completion", error == nil ? .green : .red, text))
            })
    }

    /// Sends a number to ben; returns whether the server has accepted it.
    func send(_ number: Int) async -> Bool {
        guard let channel = DirectChannel(channelId: "ben") else { return false }
        return await withCheckedContinuation { continuation in
            channel.sendMessage(
                params: SendMessageParams(content: TextMessage(text: "\(number)")), attachedHandler: nil,
                completionHandler: { _, error in continuation.resume(returning: error == nil) })
        }
    }

    func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {
        show(timeline.status(event, of: "ann"))
        board.change { $0.told(event.status) }
    }

    func onMessageReceived(_ event: MessageReceivedEvent) {
        guard let text = event.message.content as? TextMessage, let number = Int(text.text) else { return }
        board.change { $0.annReceived(number, wasOffline: event.offline) }
    }

    func onOfflineMessageSyncCompleted() {
        board.change { $0.synced() }
    }
}
