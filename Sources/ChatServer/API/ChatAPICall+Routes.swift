extension ChatAPICall {
    /// Performs the call with this path. Throws, or answers exactly once.
    func perform(_ route: ChatAPIRoute) throws {
        switch route {
        case .issueToken, .expireTokens, .updateUser, .user, .connectionStatus, .endSessions, .ban, .unban, .banned, .deactivate,
            .reactivate, .deactivated, .block, .unblock, .blocked, .setMuted, .muted:
            try performUsers(route)
        case .sendDirect, .sendGroup, .sendOpen, .broadcastOpen, .sendSystem: try performSending(route)
        case .recall, .editDirect, .editGroup, .setMetadata, .deleteMetadata, .metadata: try performMessages(route)
        case .directHistory, .groupHistory, .openHistory, .deleteHistory: try performHistories(route)
        case .setPinned, .setPush, .push, .setTypePush, .typePush: try performSettings(route)
        case .createGroup, .dismissGroup, .joinGroup, .leaveGroup, .groups, .joinedGroups, .groupProfiles, .updateGroup:
            try performGroups(route)
        case .members, .someMembers, .setMember, .kickFromAllGroups, .addAdmins, .removeAdmins, .transferGroup, .muteInGroup,
            .unmuteInGroup, .mutedInGroup, .allowInGroup, .disallowInGroup, .allowedInGroup, .freezeGroup, .unfreezeGroup,
            .frozenGroups:
            try performMembers(route)
        case .createOpen, .destroyOpen, .open, .setDestroyType, .participants, .areParticipants, .setOpenMetadata,
            .openMetadata, .removeOpenMetadata:
            try performOpen(route)
        case .openChannels: try listOpen()
        case .muteInOpen, .unmuteInOpen, .mutedInOpen, .barFromOpen, .unbarFromOpen, .barredFromOpen, .allowInOpen,
            .disallowInOpen, .allowedInOpen, .freezeOpen, .unfreezeOpen, .frozenOpen, .isOpenFrozen, .muteInAllOpen,
            .unmuteInAllOpen, .mutedInAllOpen:
            try performOpenOrder(route)
        }
    }
}
