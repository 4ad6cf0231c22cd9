import ChatProtocol
import Foundation

/// The texts of errors: what happened, and what to do about it.
enum NCErrorText {
    /// The text of an error: `reason`, or the meaning of the code if there is none, followed by what to do (rule NC-54).
    static func text(for code: ChatErrorCode, reason: String?) -> String {
        let cause = reason.flatMap { $0.isEmpty ? nil : $0 } ?? code.sentence
        guard let remedy = remedies[code], !cause.contains(remedy) else { return cause }
        return cause + " " + remedy
    }

    /// What the app can do about an error, by code. A code has no entry if the app need not do anything, or if the sentence of the code
    /// already says it.
    private static let remedies: [ChatErrorCode: String] = [
        .unknownRequest: "If the server refused the request, it may be older than this library.",
        .notConnectedYet: "Call NCEngine.connect first.",
        .tooManySends: "Wait a second and send again.",
        .notInGroup: "Join the group first.",
        .notInOpenChannel: "Enter the open channel first.",
        .noSuchOpenChannel: "Check the channel's id, or create the channel with the server API first.",
        .noSuchGroup: "Check the group id.",
        .groupExists: "Choose another id for the group.",
        .ownerCannotQuit: "Transfer the group to another member, or dismiss it.",
        .noConnection: "The library reconnects; try again when the status is connected.",
        .sendTimedOut: "The server may have received the message; sending it again does not duplicate it.",
        .tooFrequent: "Wait and try again.",
        .tooLarge: "Send a file by reference instead.",
        .noAcknowledgement: "Try again when the status is connected.",
        .unknownApplication: "Check InitParams.appKey and naviServer.",
        .tokenIncorrect: "Get a new token from your server and connect with it.",
        .kicked: "Connect again to end the other session.",
        .tokenExpired: "Get a new token from your server and connect with it.",
        .otherDeviceOnline: "Connect again to end the other session.",
        .badHello: "Check that library and server have the same version.",
        .tokenUsed: "Get a new token from your server and connect with it.",
        .released: "Connect again.",
        .notInitialised: "Call NCEngine.initialize before NCEngine.connect.",
        .storageFailed: "If the local database failed, check the free space and the permissions of its directory.",
        .connecting: "Wait for the completion of the first call of connect.",
        .queryRunning: "Wait until the query has loaded that page.",
        .connectTimedOut: "Wait for the network and connect again.",
        .noSuchMessage: "Check the message id.",
        .proxyUnavailable: "Check the proxy's address and credentials, then connect again.",
        .databaseClosed: "Call NCEngine.connect first.",
    ]
}
