/// Why something was refused. Nothing has changed then.
public struct ChatRefusal: Error, Hashable, Sendable {
    /// A number of the vendor's API, one of ``ChatCode`` (session document, section 10).
    public var code: Int
    /// For people. Holds no content and no secret.
    public var reason: String
    /// When to try again, ms.
    public var retryAfter: Int?

    public init(_ code: Int, _ reason: String, retryAfter: Int? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
    }

    static func badArgument(_ reason: String) -> ChatRefusal { ChatRefusal(ChatCode.badArgument, reason) }
}

/// The numbers by which a chat service refuses. Source: the vendor's list of error codes.
public enum ChatCode {
    public static let blockedByReceiver = 405
    public static let mutedInDirect = 20_106
    public static let tooManySends = 20_604
    public static let tooLateToEdit = 20_114
    public static let notInGroup = 22_406
    public static let mutedInGroup = 22_408
    public static let notInOpenChannel = 23_406
    public static let mutedInOpenChannel = 23_408
    public static let bannedFromOpenChannel = 23_409
    public static let noSuchOpenChannel = 23_410
    public static let tooManyEntries = 23_423
    public static let notEntryOwner = 23_424
    public static let noSuchEntry = 23_427
    public static let tooManyEntriesInCall = 23_429
    public static let entranceTooLong = 23_437
    public static let tooManyUsersInCall = 24_365
    public static let noSuchUser = 24_366
    public static let nothingToRecall = 25_101
    public static let notOwnMessage = 25_107
    public static let onlyOwner = 25_404
    public static let noPermission = 25_405
    public static let groupTextTooLong = 25_406
    public static let groupExists = 25_409
    public static let noSuchGroup = 25_410
    public static let tooManyMembers = 25_411
    public static let alreadyMember = 25_412
    public static let nobodyMayJoin = 25_414
    public static let ownerCannotQuit = 25_417
    public static let notMember = 25_418
    public static let tooManyAdmins = 25_419
    public static let notAdmin = 25_420
    public static let tooManyGroupsInCall = 25_422
    public static let groupNameEmpty = 25_423
    public static let needsApproval = 25_424
    public static let ownerAsAdmin = 25_425
    public static let mayNotInvite = 25_426
    public static let presenceOff = 26_020
    public static let tooManySubscribers = 26_021
    public static let tooManySubscriptions = 26_022
    public static let tooLarge = 30_016
    public static let tokenIncorrect = 31_004
    public static let userBanned = 31_009
    public static let kicked = 31_010
    public static let bannedWhileOnline = 31_011
    public static let tokenExpired = 31_020
    public static let otherDeviceOnline = 31_023
    public static let tooManyConnections = 31_024
    public static let accountDeleted = 31_029
    public static let badArgument = 33_003
}
