extension NexconnCode {
    /// What the number means, in a sentence for people.
    public var sentence: String {
        connectionSentence ?? messageSentence ?? channelSentence ?? argumentSentence
            ?? "The service answered with error \(rawValue)."
    }

    private var connectionSentence: String? {
        switch rawValue {
        case 0: "Done."
        case -1: "An unknown error."
        case -4: "There is no connection: call connect first."
        case -101: "The service does not know this request."
        case 1004: "The request is not signed correctly."
        case 30001: "The connection is being released."
        case 30002: "There is no connection."
        case 30003: "The message was not acknowledged in time."
        case 30004...30009: "The server's address could not be found out."
        case 30010: "The connection could not be made."
        case 30011: "The server closed the connection."
        case 30012, 30013: "The server did not answer in time."
        case 30014: "The message could not be written to the connection."
        case 30015: "Too many requests in a short time."
        case 30019: "There is no network."
        case 31000: "The server did not acknowledge the connection in time."
        case 31001, 31003, 31006, 31007: "The server did not accept the connection."
        case 31002: "No application has this app key."
        case 31004: "The access token is not valid for this app key."
        case 31005: "The app key and the token do not belong together."
        case 31008: "The application is disabled or deleted."
        case 31009: "The user is banned."
        case 31010: "The user signed in on another device."
        case 31011: "The user has just been banned."
        case 31012: "The application does not accept this client."
        case 31020: "The access token has expired."
        case 31023: "Another device of the user is signed in."
        case 31024: "The application has as many connections as it may have."
        case 31025: "The opening of the connection was not valid."
        case 31026, 31028, 31030: "The application's plan does not allow this connection."
        case 31027: "The token can be used once only, and has been."
        case 31029: "The account was deleted or deactivated."
        case 32054: "The connection was redirected."
        case 32061: "The server restarts or moves its connections."
        case 32000..<33000: "The connection was lost."
        case 33001: "The SDK is not initialised: call initialize first."
        case 33002: "The data could not be stored."
        case 33005: "The connection was made again meanwhile."
        case 33006: "A connection is being made already."
        case 34001: "There is a connection already."
        case 34005: "The app key belongs to another environment."
        case 34006: "Not connected within the time that was allowed."
        case 34238...34240: "The proxy's settings are not valid."
        case 34245: "The proxy cannot be used."
        default: nil
        }
    }

    private var messageSentence: String? {
        switch rawValue {
        case 405: "The receiver blocks the sender."
        case 407: "The receiver accepts messages of chosen users only."
        case 20109: "Messages of this type cannot be sent to this channel."
        case 20112, 20113: "Moderation refused the message."
        case 20114, 33402: "It is too late to edit the message."
        case 20115: "The new content is too large."
        case 20116: "Messages of this type cannot be edited."
        case 20604: "More messages a second than a client may send."
        case 20607: "Too many requests a second."
        case 21501: "The message has a word that is not allowed, and was not delivered."
        case 21502: "Words of the message were replaced; it was delivered."
        case 22201: "The original message is gone."
        case 25101: "There is no such message to recall."
        case 25102, 33007: "History is not kept for this application."
        case 25107: "Only the sender may do this to the message."
        case 26106, 26107: "The file is too large."
        case 26300..<26400: "The read receipt was not accepted."
        case 26200..<26300, 28400..<28500: "The translation failed."
        case 28300..<28400: "The speech could not be turned into text."
        case 29000..<29100, 39001...39007: "The stream of the message failed."
        case 30016: "The content is larger than 128 KiB."
        case 30017: "Messages of this type cannot be sent."
        case 33103: "The query is running already."
        case 33200: "The request was cancelled."
        case 34008: "Messages of this kind of channel have no metadata."
        case 34010: "The metadata is too large."
        case 34011: "The file could not be uploaded."
        case 34018: "The file is missing or empty."
        case 34019: "The file's format is not supported."
        case 34020: "The file has expired."
        default: nil
        }
    }

    private var channelSentence: String? {
        switch rawValue {
        case 22406: "The user is not in the group."
        case 22408: "The user is muted in the group."
        case 23406: "The user is not in the open channel."
        case 23408: "The user is muted in the open channel."
        case 23409: "The user is banned from the open channel."
        case 23410: "There is no such open channel."
        case 23411: "The open channel is full."
        case 23414: "The open channel keeps no history."
        case 23423: "The open channel has as many pairs of metadata as it may have."
        case 23424: "The pair of metadata belongs to somebody else."
        case 23425: "The open channel's metadata changes too often."
        case 23427: "The open channel has no such pair of metadata."
        case 23428: "Some of the pairs were not changed."
        case 23429: "Too many pairs of metadata at once."
        case 23431: "The open channel has such a pair of metadata already."
        case 23437: "The text for entering an open channel is too long."
        case 24360...24369: "The user's profile was not accepted."
        case 24401...24416: "The community channel does not allow this."
        case 25405: "The user may not do this in the group."
        case 25407: "There is no such group."
        case 25408: "The group's values are not valid."
        case 25409: "The group exists already."
        case 25410: "A value of the group is missing."
        case 25411: "The group has as many members as it may have."
        case 25412: "The user is a member already."
        case 25417: "The owner cannot leave the group."
        case 25418: "The user is no member of the group."
        case 25424: "An administrator of the group has to agree first."
        case 25427: "Those who were invited have to agree first."
        case 25460...25480: "The request about friends was not accepted."
        case 26001...26010: "The settings were not accepted."
        case 26020: "Online status is off for this application."
        case 26021: "The user has subscribed to as many users as allowed."
        case 26022: "The user has as many subscribers as allowed."
        case 33009: "The open channel was cleaned up."
        case 34004: "The open channel's metadata is not there yet."
        default: nil
        }
    }

    private var argumentSentence: String? {
        switch rawValue {
        case 33003: "An argument is missing or not valid."
        case 34203: "There is no such message."
        case 34205: "The content is not valid."
        case 34209: "The kind of channel is not valid."
        case 34210: "The channel id is not valid."
        case 34215: "The list of users is not valid."
        case 34301: "The local database is not open."
        case 34315: "The local database could not be brought up to date."
        case 34200...34344, 35024...35065: "An argument is not valid."
        default: nil
        }
    }
}
