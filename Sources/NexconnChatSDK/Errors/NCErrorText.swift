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
        .unknownRequest: "The server does not support this request; it may be older than this library.",
        .notConnectedYet: "Nobody is signed in. Call NCEngine.connect first.",
        .blockedByReceiver: "The receiver has blocked this user, so messages are refused.",
        .tooManySends: "The client sent more messages per second than are allowed. Wait a second and send again.",
        .tooLateToEdit: "The message is too old to be edited.",
        .notInGroup: "The user is not a member of the group. Join it first.",
        .mutedInGroup: "The user is muted in the group.",
        .notInOpenChannel: "The user is not in the open channel. Enter it first.",
        .mutedInOpenChannel: "The user is muted in the open channel.",
        .bannedFromOpenChannel: "The user is banned from the open channel.",
        .noSuchOpenChannel: "There is no such open channel. Create it with the server API first.",
        .nothingToRecall: "The message to delete does not exist on the server.",
        .notOwnMessage: "Only the sender may edit this message or delete it for everybody.",
        .noPermission: "The user's role in the group does not allow this operation.",
        .noSuchGroup: "There is no such group. Check the group id.",
        .groupExists: "A group with this id exists already. Choose another id.",
        .alreadyMember: "The user is a member already.",
        .ownerCannotQuit: "The owner cannot leave the group. Transfer the group to another member first.",
        .notMember: "The user is not a member of the group.",
        .noConnection: "There is no connection. The library reconnects; try again when the status is connected.",
        .sendTimedOut:
            "The server did not answer in time. It may have received the message; sending it again does not duplicate it.",
        .tooFrequent: "Too many requests of this kind were sent. Wait and try again.",
        .tooLarge: "The content is larger than 128 KiB. Send a file by reference instead.",
        .noAcknowledgement: "The server did not confirm the request. Try again when the status is connected.",
        .unknownApplication: "The server has no application with this App Key. Check InitParams.appKey and naviServer.",
        .tokenIncorrect: "The token is not valid for this application. Get a new one from your server and connect with it.",
        .userBanned: "The user is banned.",
        .kicked: "The user signed in on another device, which ended this session. Connect again to take over.",
        .bannedWhileOnline: "The user has just been banned.",
        .tokenExpired: "The token has expired. Get a new one from your server and connect with it.",
        .otherDeviceOnline:
            "Another device of this user is signed in, so this device was disconnected. Connect again to take over.",
        .tooManyConnections: "The application has reached its limit of connections.",
        .badHello: "The server could not read the sign-in. Check that library and server have the same version.",
        .accountDeleted: "The account was deleted or deactivated.",
        .tokenUsed: "The token can be used only once and was used before. Get a new one from your server.",
        .noLicence: "The application has no licence for another connection.",
        .released: "The connection was ended. Connect again.",
        .cancelled: "The operation was cancelled.",
        .serverRestarts: "The server restarts.",
        .notInitialised: "The SDK is not initialised. Call NCEngine.initialize before NCEngine.connect.",
        .storageFailed:
            "The local database could not store the data. Check the free space and the permissions of the database directory.",
        .badArgument: "An argument is missing or wrong.",
        .connecting: "A connection is being made already. Wait for its completion.",
        .queryRunning: "The query is loading a page already. Wait for its completion.",
        .alreadyConnected: "The user is connected already, so this call had no effect.",
        .connectTimedOut:
            "The client did not connect within the time limit that the caller set. Wait for the network and connect again.",
        .noSuchMessage: "There is no such message. Check the message id.",
        .proxyUnavailable: "The proxy does not work. Check its address and credentials, then connect again.",
        .databaseClosed: "The local database is not open. Connect first.",
    ]
}
