/// The reason why a request was refused. A refused request has changed nothing.
package struct ChatRefusal: Error, Hashable, Sendable {
    /// An error code of the vendor's API, one of ``ChatCode`` (chat-protocol.md, section 10).
    package var code: Int
    /// The reason as a text for people. It contains no content and no secret.
    package var reason: String
    /// The delay in ms after which the request may be repeated; nil if no delay is given.
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
    /// The sender is not a member of the group.
    package static let notInGroup = 22_406
    /// The sender is muted in the group.
    package static let mutedInGroup = 22_408
    /// The user is not in the open channel.
    package static let notInOpenChannel = 23_406
    /// The sender is muted in the open channel.
    package static let mutedInOpenChannel = 23_408
    /// The user is banned from the open channel.
    package static let bannedFromOpenChannel = 23_409
    /// The open channel does not exist.
    package static let noSuchOpenChannel = 23_410
    /// The open channel would have too many metadata entries.
    package static let tooManyEntries = 23_423
    /// Another user has set the open channel's metadata entry.
    package static let notEntryOwner = 23_424
    /// The open channel has no metadata entry with this key.
    package static let noSuchEntry = 23_427
    /// The request has too many metadata entries.
    package static let tooManyEntriesInCall = 23_429
    /// The text `extra` of a request to enter an open channel is too long.
    package static let entranceTooLong = 23_437
    /// The request names too many users.
    package static let tooManyUsersInCall = 24_365
    /// The user is not registered.
    package static let noSuchUser = 24_366
    /// The message to recall does not exist.
    package static let nothingToRecall = 25_101
    /// The message to change was sent by another user.
    package static let notOwnMessage = 25_107
    /// Only the group's owner may make the request.
    package static let onlyOwner = 25_404
    /// The user's role in the group does not permit the request.
    package static let noPermission = 25_405
    /// A text of the group is too long.
    package static let groupTextTooLong = 25_406
    /// A group with the same id exists already.
    package static let groupExists = 25_409
    /// The group does not exist.
    package static let noSuchGroup = 25_410
    /// The group would have too many members.
    package static let tooManyMembers = 25_411
    /// The user is already a member of the group.
    package static let alreadyMember = 25_412
    /// The group's settings do not allow anybody to join.
    package static let nobodyMayJoin = 25_414
    /// The owner cannot leave the group.
    package static let ownerCannotQuit = 25_417
    /// The user is not a member of the group.
    package static let notMember = 25_418
    /// The group would have too many admins.
    package static let tooManyAdmins = 25_419
    /// The user is not an admin of the group.
    package static let notAdmin = 25_420
    /// The request names too many groups.
    package static let tooManyGroupsInCall = 25_422
    /// The group's name is empty.
    package static let groupNameEmpty = 25_423
    /// Joining the group needs an invitation.
    package static let needsApproval = 25_424
    /// The owner of the group cannot be made an admin.
    package static let ownerAsAdmin = 25_425
    /// The user's role does not permit inviting others to the group.
    package static let mayNotInvite = 25_426
    /// Online status is switched off for the application.
    package static let presenceOff = 26_020
    /// Too many users would be subscribed to the user's online status.
    package static let tooManySubscribers = 26_021
    /// The user would be subscribed to the online status of too many users.
    package static let tooManySubscriptions = 26_022
    /// The content of the message is too large.
    package static let tooLarge = 30_016
    /// The token is not valid for the application.
    package static let tokenIncorrect = 31_004
    /// The user is banned from the application.
    package static let userBanned = 31_009
    /// Another device of the user has replaced the session.
    package static let kicked = 31_010
    /// The user was banned from the application while connected.
    package static let bannedWhileOnline = 31_011
    /// The token has expired.
    package static let tokenExpired = 31_020
    /// Another device of the user is connected, and this device yields to it.
    package static let otherDeviceOnline = 31_023
    /// The application has reached its limit of connections.
    package static let tooManyConnections = 31_024
    /// The user's account was deactivated.
    package static let accountDeleted = 31_029
    /// A value of the request is missing or not valid.
    package static let badArgument = 33_003
}
