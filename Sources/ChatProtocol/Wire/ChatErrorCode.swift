/// The error codes of the service: the `code` of an error and of a `bye`.
///
/// Servers may send other codes as well. The numbers are those of the vendor's API. The names are this package's own.
public struct ChatErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue) }
}

extension ChatErrorCode {
    public static let success = ChatErrorCode(0)
    public static let unknown = ChatErrorCode(-1)
    public static let unknownRequest = ChatErrorCode(-101)
    public static let notConnectedYet = ChatErrorCode(-4)
    public static let blockedByReceiver = ChatErrorCode(405)
    public static let tooManySends = ChatErrorCode(20604)
    public static let tooLateToEdit = ChatErrorCode(20114)
    public static let notInGroup = ChatErrorCode(22406)
    public static let mutedInGroup = ChatErrorCode(22408)
    public static let notInOpenChannel = ChatErrorCode(23406)
    public static let mutedInOpenChannel = ChatErrorCode(23408)
    public static let bannedFromOpenChannel = ChatErrorCode(23409)
    public static let openChannelFull = ChatErrorCode(23411)
    public static let tooManyOpenMetadata = ChatErrorCode(23423)
    public static let notOwnOpenMetadata = ChatErrorCode(23424)
    public static let openMetadataTooFrequent = ChatErrorCode(23425)
    public static let noSuchOpenMetadata = ChatErrorCode(23427)
    public static let tooManyOpenMetadataAtOnce = ChatErrorCode(23429)
    public static let openMetadataExists = ChatErrorCode(23431)
    public static let noSuchOpenChannel = ChatErrorCode(23410)
    public static let nothingToRecall = ChatErrorCode(25101)
    public static let notOwnMessage = ChatErrorCode(25107)
    public static let noPermission = ChatErrorCode(25405)
    public static let noSuchGroup = ChatErrorCode(25410)
    public static let groupExists = ChatErrorCode(25409)
    public static let groupFull = ChatErrorCode(25411)
    public static let alreadyMember = ChatErrorCode(25412)
    public static let ownerCannotQuit = ChatErrorCode(25417)
    public static let notMember = ChatErrorCode(25418)

    public static let groupNeedsApproval = ChatErrorCode(25424)
    public static let groupNeedsConsent = ChatErrorCode(25427)
    public static let presenceOff = ChatErrorCode(26020)
    public static let tooManySubscribers = ChatErrorCode(26021)
    public static let tooManySubscriptions = ChatErrorCode(26022)

    public static let released = ChatErrorCode(30001)
    public static let noConnection = ChatErrorCode(30002)
    public static let sendTimedOut = ChatErrorCode(30003)
    public static let tooFrequent = ChatErrorCode(30015)
    public static let tooLarge = ChatErrorCode(30016)
    public static let noAcknowledgement = ChatErrorCode(31000)
    public static let unknownApplication = ChatErrorCode(31002)
    public static let tokenIncorrect = ChatErrorCode(31004)
    public static let disabledApplication = ChatErrorCode(31008)
    public static let userBanned = ChatErrorCode(31009)
    public static let kicked = ChatErrorCode(31010)
    public static let bannedWhileOnline = ChatErrorCode(31011)
    public static let tokenExpired = ChatErrorCode(31020)
    public static let otherDeviceOnline = ChatErrorCode(31023)
    public static let tooManyConnections = ChatErrorCode(31024)
    public static let badHello = ChatErrorCode(31025)
    public static let accountDeleted = ChatErrorCode(31029)
    public static let serverRestarts = ChatErrorCode(32061)

    public static let notInitialised = ChatErrorCode(33001)
    public static let storageFailed = ChatErrorCode(33002)
    public static let badArgument = ChatErrorCode(33003)
    public static let connecting = ChatErrorCode(33006)
    public static let cancelled = ChatErrorCode(33200)
    public static let notExpandable = ChatErrorCode(34008)
    public static let metadataTooLarge = ChatErrorCode(34010)
    public static let uploadFailed = ChatErrorCode(34011)
    public static let fileMissing = ChatErrorCode(34018)
    public static let queryRunning = ChatErrorCode(33103)
    public static let alreadyConnected = ChatErrorCode(34001)
    public static let connectTimedOut = ChatErrorCode(34006)
    public static let noSuchMessage = ChatErrorCode(34203)
    public static let proxyUnavailable = ChatErrorCode(34245)
    public static let databaseClosed = ChatErrorCode(34301)
}
