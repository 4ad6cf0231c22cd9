import Foundation
import NexconnChatSDK

// As PusherSnippets.swift, for chat.

func readmeChat(token: String) {
    final class ConnectionMonitor: NSObject, ConnectionStatusHandler, MessageHandler {
        func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {
            switch event.status {
            case .connected: print("connected")
            case .tokenIncorrect: print("ask your server for a new token and connect with it")
            case .kickedOfflineByOtherClient: print("signed in on another device")
            default: print("status \(event.status.rawValue): \(event.details.reason ?? "")")
            }
        }
        func onMessageReceived(_ event: MessageReceivedEvent) {
            print(event.message.senderUserId, (event.message.content as? TextMessage)?.text ?? "", event.offline)
        }
    }

    let params = InitParams(appKey: "app-key")
    params.naviServer = "http://127.0.0.1:6001"
    NCEngine.initialize(params)
    let monitor = ConnectionMonitor()  // handlers are held weakly
    NCEngine.addConnectionStatusHandler(identifier: "monitor", handler: monitor)
    NCEngine.addMessageHandler(identifier: "monitor", handler: monitor)
    NCEngine.connect(params: ConnectParams(token: token), databaseOpenedHandler: nil) { userId, error in
        guard error == nil else { return print(error!.errorCode, error!.localizedDescription) }
        DirectChannel(channelId: "ben")?.sendMessage(
            params: SendMessageParams(content: TextMessage(text: "hello")), attachedHandler: nil
        ) { message, error in
            print(message?.messageId ?? "", error?.code ?? 0)
        }
    }
}
