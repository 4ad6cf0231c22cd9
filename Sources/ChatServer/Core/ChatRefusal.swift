/// The reason why a request was refused. A refused request has changed nothing.
package struct ChatRefusal: Error, Hashable, Sendable {
    /// An error code of the vendor's API, one of ``ChatCode`` (chat-protocol.md, section 10).
    package var code: Int
    /// The reason as a text for people. It contains no content and no secret.
    package var reason: String
    /// The delay in ms after which the request may be repeated; nil when repeating it does not help.
    package var retryAfter: Int?

    package init(_ code: Int, _ reason: String, retryAfter: Int? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
    }

    static func badArgument(_ reason: String) -> ChatRefusal { ChatRefusal(ChatCode.badArgument, reason) }
}

/// The error codes of chat, from the vendor's list of error codes.
package enum ChatCode {
    /// The receiver has blocked the sender.
    package static let blockedByReceiver = 405
    /// The sender is muted in direct channels.
    package static let mutedInDirect = 20_106
    /// The sender sends too many messages a second.
    package static let tooManySends = 20_604
    /// The message is too old to be edited.
    package static let tooLateToEdit = 20_114
    /// The sender is not in the group.
    package static let notInGroup = 22_406
    /// The sender is muted in the group.
    package static let mutedInGroup = 22_408
    /// The user has not entered the open channel.
    package static let notInOpenChannel = 23_406
    /// The sender is muted in the open channel.
    package static let mutedInOpenChannel = 23_408
    /// The user is banned from the open channel.
    package static let bannedFromOpenChannel = 23_409
    /// There is no such open channel.
    package static let noSuchOpenChannel = 23_410
    /// The open channel has too many metadata entries.
    package static let tooManyEntries = 23_423
    /// Another user has set the entry.
    package static let notEntryOwner = 23_424
    /// There is no metadata entry with this key.
    package static let noSuchEntry = 23_427
    /// The request has too many metadata entries.
    package static let tooManyEntriesInCall = 23_429
    /// The text that was sent when entering is too long.
    package static let entranceTooLong = 23_437
    /// The request has too many users.
    package static let tooManyUsersInCall = 24_365
    /// There is no such user.
    package static let noSuchUser = 24_366
    /// There is no such message to recall.
    package static let nothingToRecall = 25_101
    /// Another user sent the message.
    package static let notOwnMessage = 25_107
    /// Only the group's owner may do that.
    package static let onlyOwner = 25_404
    /// The user has no permission.
    package static let noPermission = 25_405
    /// A text of the group is too long.
    package static let groupTextTooLong = 25_406
    /// The group exists already.
    package static let groupExists = 25_409
    /// There is no such group.
    package static let noSuchGroup = 25_410
    /// The group has too many members.
    package static let tooManyMembers = 25_411
    /// The user is a member already.
    package static let alreadyMember = 25_412
    /// The group does not accept members.
    package static let nobodyMayJoin = 25_414
    /// The owner cannot leave the group.
    package static let ownerCannotQuit = 25_417
    /// The user is not a member of the group.
    package static let notMember = 25_418
    /// The group has too many managers.
    package static let tooManyAdmins = 25_419
    /// The user is not a manager of the group.
    package static let notAdmin = 25_420
    /// The request has too many groups.
    package static let tooManyGroupsInCall = 25_422
    /// The group's name is empty.
    package static let groupNameEmpty = 25_423
    /// Joining the group needs an invitation.
    package static let needsApproval = 25_424
    /// The owner cannot be a manager.
    package static let ownerAsAdmin = 25_425
    /// The user may not invite others.
    package static let mayNotInvite = 25_426
    /// The application has no online status.
    package static let presenceOff = 26_020
    /// The user has too many subscribers.
    package static let tooManySubscribers = 26_021
    /// The user has too many subscriptions.
    package static let tooManySubscriptions = 26_022
    /// The content is too large.
    package static let tooLarge = 30_016
    /// The token is not valid.
    package static let tokenIncorrect = 31_004
    /// The user is banned.
    package static let userBanned = 31_009
    /// The user signed in on another device.
    package static let kicked = 31_010
    /// The user was banned while connected.
    package static let bannedWhileOnline = 31_011
    /// The token has expired.
    package static let tokenExpired = 31_020
    /// Another device is connected, and this one is refused.
    package static let otherDeviceOnline = 31_023
    /// There are too many connections.
    package static let tooManyConnections = 31_024
    /// The user was deactivated.
    package static let accountDeleted = 31_029
    /// A value is missing or wrong.
    package static let badArgument = 33_003
}
