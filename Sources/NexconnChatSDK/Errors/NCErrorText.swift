import ChatProtocol
import Foundation

/// The default sentences of error numbers: the cause, and how to correct the error.
enum NCErrorText {
    /// The text of an error: `reason`, followed by the default sentences of the number that `reason` does not contain (rule NC-54).
    static func text(for code: ChatErrorCode, reason: String?) -> String {
        let advice = advice(for: code)
        guard let reason, !reason.isEmpty else { return advice }
        let said = Set(sentences(reason))
        return ([reason] + sentences(advice).filter { !said.contains($0) }).joined(separator: " ")
    }

    /// Splits a text into its sentences, each with its full stop or question mark.
    private static func sentences(_ text: String) -> [String] {
        text.components(separatedBy: ". ").filter { !$0.isEmpty }.map { $0.hasSuffix(".") || $0.hasSuffix("?") ? $0 : $0 + "." }
    }

    static func advice(for code: ChatErrorCode) -> String {
        texts[code] ?? "The operation failed with code \(code)."
    }

    private static let texts: [ChatErrorCode: String] = [
        .unknownRequest: "The server does not know this request; it may be older than this library.",
        .notConnectedYet: "Nobody is signed in. Call NCEngine.connect first.",
        .blockedByReceiver: "The receiver has blocked this user.",
        .tooManySends: "More messages a second were sent than a client may. Wait a second and send again.",
        .tooLateToEdit: "The message is too old to be edited.",
        .notInGroup: "The user is not a member of the group. Join it first.",
        .mutedInGroup: "The user is muted in the group.",
        .notInOpenChannel: "The user is not in the open channel. Enter it first.",
        .mutedInOpenChannel: "The user is muted in the open channel.",
        .bannedFromOpenChannel: "The user is banned from the open channel.",
        .noSuchOpenChannel: "There is no such open channel. It has to be created with the server API.",
        .nothingToRecall: "There is no such message to delete.",
        .notOwnMessage: "Only the sender may do this with the message.",
        .noPermission: "The user's role does not allow this.",
        .noSuchGroup: "There is no such group.",
        .groupExists: "A group with this id exists. Choose another id.",
        .alreadyMember: "The user is a member already.",
        .ownerCannotQuit: "The owner cannot leave the group. Transfer it first.",
        .notMember: "The user is not a member of the group.",
        .noConnection: "There is no connection. It comes back by itself; try again when the status is connected.",
        .sendTimedOut:
            "The server did not answer in time. It may have received the message; sending it again does not duplicate it.",
        .tooFrequent: "Too many requests of this kind were sent. Wait and try again.",
        .tooLarge: "The content is larger than 128 KiB. Send a file by reference instead.",
        .noAcknowledgement: "The server did not confirm the request.",
        .unknownApplication: "The server has no application with this App Key. Check InitParams.appKey and naviServer.",
        .tokenIncorrect: "The token is not valid for this application. Get a new one from your server and connect with it.",
        .userBanned: "The user is banned.",
        .kicked: "The user signed in on another device. Connect again to take over.",
        .bannedWhileOnline: "The user has just been banned.",
        .tokenExpired: "The token has expired. Get a new one from your server and connect with it.",
        .otherDeviceOnline: "Another device of this user is signed in, and this one gives way. Connect again to take over.",
        .tooManyConnections: "The application has reached its limit of connections.",
        .badHello: "The server did not understand the sign-in. Are library and server of the same version?",
        .accountDeleted: "The account was deleted or deactivated.",
        .tokenUsed: "The token was for one use. Get a new one from your server and connect with it.",
        .noLicence: "The application has no licence for another connection.",
        .released: "The connection was ended. Connect again.",
        .cancelled: "The operation was cancelled.",
        .serverRestarts: "The server restarts.",
        .notInitialised: "The SDK is not initialised. Call NCEngine.initialize before NCEngine.connect.",
        .storageFailed:
            "The local database could not store the data. Check the free space and the permissions of the database directory.",
        .badArgument: "An argument is missing or wrong.",
        .connecting: "A connection is being made already.",
        .queryRunning: "The query is loading a page already. Wait for its completion.",
        .alreadyConnected: "The user is connected already.",
        .connectTimedOut: "No connection within the time limit. Wait for the network and connect again.",
        .noSuchMessage: "There is no such message.",
        .proxyUnavailable: "The proxy does not work. Check its address and credentials, then connect again.",
        .databaseClosed: "The local database is not open. Connect first.",
    ]
}
