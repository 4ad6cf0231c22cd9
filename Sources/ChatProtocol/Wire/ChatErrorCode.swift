/// The error codes of the service: the `code` of an error and of a `bye`.
///
/// An open set: servers may send others. The names here are ours; the numbers are those of the vendor's API.
public struct NexconnCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue) }
}

extension NexconnCode {
    public static let success = NexconnCode(0)
    public static let unknown = NexconnCode(-1)
    public static let unknownRequest = NexconnCode(-101)
    public static let notConnectedYet = NexconnCode(-4)
    public static let blockedByReceiver = NexconnCode(405)
    public static let tooManySends = NexconnCode(20604)
    public static let tooLateToEdit = NexconnCode(20114)
    public static let notInGroup = NexconnCode(22406)
    public static let mutedInGroup = NexconnCode(22408)
    public static let notInOpenChannel = NexconnCode(23406)
    public static let mutedInOpenChannel = NexconnCode(23408)
    public static let bannedFromOpenChannel = NexconnCode(23409)
    public static let openChannelFull = NexconnCode(23411)
    public static let tooManyOpenMetadata = NexconnCode(23423)
    public static let notOwnOpenMetadata = NexconnCode(23424)
    public static let openMetadataTooFrequent = NexconnCode(23425)
    public static let noSuchOpenMetadata = NexconnCode(23427)
    public static let tooManyOpenMetadataAtOnce = NexconnCode(23429)
    public static let openMetadataExists = NexconnCode(23431)
    public static let noSuchOpenChannel = NexconnCode(23410)
    public static let nothingToRecall = NexconnCode(25101)
    public static let notOwnMessage = NexconnCode(25107)
    public static let noPermission = NexconnCode(25405)
    public static let noSuchGroup = NexconnCode(25410)
    public static let groupExists = NexconnCode(25409)
    public static let groupFull = NexconnCode(25411)
    public static let alreadyMember = NexconnCode(25412)
    public static let ownerCannotQuit = NexconnCode(25417)
    public static let notMember = NexconnCode(25418)

    public static let groupNeedsApproval = NexconnCode(25424)
    public static let groupNeedsConsent = NexconnCode(25427)
    public static let presenceOff = NexconnCode(26020)
    public static let tooManySubscribers = NexconnCode(26021)
    public static let tooManySubscriptions = NexconnCode(26022)

    public static let released = NexconnCode(30001)
    public static let noConnection = NexconnCode(30002)
    public static let sendTimedOut = NexconnCode(30003)
    public static let tooFrequent = NexconnCode(30015)
    public static let tooLarge = NexconnCode(30016)
    public static let noAcknowledgement = NexconnCode(31000)
    public static let unknownApplication = NexconnCode(31002)
    public static let tokenIncorrect = NexconnCode(31004)
    public static let disabledApplication = NexconnCode(31008)
    public static let userBanned = NexconnCode(31009)
    public static let kicked = NexconnCode(31010)
    public static let bannedWhileOnline = NexconnCode(31011)
    public static let tokenExpired = NexconnCode(31020)
    public static let otherDeviceOnline = NexconnCode(31023)
    public static let tooManyConnections = NexconnCode(31024)
    public static let badHello = NexconnCode(31025)
    public static let accountDeleted = NexconnCode(31029)
    public static let serverRestarts = NexconnCode(32061)

    public static let notInitialised = NexconnCode(33001)
    public static let storageFailed = NexconnCode(33002)
    public static let badArgument = NexconnCode(33003)
    public static let connecting = NexconnCode(33006)
    public static let cancelled = NexconnCode(33200)
    public static let notExpandable = NexconnCode(34008)
    public static let metadataTooLarge = NexconnCode(34010)
    public static let uploadFailed = NexconnCode(34011)
    public static let fileMissing = NexconnCode(34018)
    public static let queryRunning = NexconnCode(33103)
    public static let alreadyConnected = NexconnCode(34001)
    public static let connectTimedOut = NexconnCode(34006)
    public static let noSuchMessage = NexconnCode(34203)
    public static let proxyUnavailable = NexconnCode(34245)
    public static let databaseClosed = NexconnCode(34301)
}
