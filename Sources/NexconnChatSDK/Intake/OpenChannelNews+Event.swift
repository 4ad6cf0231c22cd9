import ChatProtocol

extension OpenChannelNews {
    /// Converts an event of the protocol. Returns nil for an event that is not about open channels.
    init?(_ event: ChatWireEvent) {
        switch event {
        case .openMembers(let channel, let actions, let count, _):
            self = .participantChanged(
                OpenChannelParticipantChangedEvent(
                    channelId: channel,
                    actions: actions.map {
                        OpenChannelParticipantAction(userId: $0.user, action: $0.isJoin ? .join : .leave)
                    }, participantCount: count))
        case .openMetadata(let channel, let changes, _):
            self = .metadataChanged(
                OpenChannelMetadataChangedEvent(
                    changeInfo: changes.map { change in
                        OpenChannelMetadataChangeInfo(
                            channelId: channel, key: change.key, value: change.value,
                            operationType: change.value == nil ? .remove : .update)
                    }))
        case .openMute(let mute):
            self = .participantMuted(
                OpenChannelParticipantMutedEvent(
                    channelId: mute.channel, type: OpenChannelMuteType(mute.kind), userIds: mute.users,
                    duration: mute.duration, operationTime: mute.time, extra: nil))
        case .openBan(let channel, let users, let duration, let time):
            self = .participantBanned(
                OpenChannelParticipantBannedEvent(
                    channelId: channel, userIds: users, duration: duration, operationTime: time, extra: nil))
        case .openDestroyed(let channel, let isManual, _):
            self = .destroyed(OpenChannelDestroyedEvent(channelId: channel, destroyType: isManual ? .manual : .auto))
        case .openSync(let channel, let isJoin, let isOtherDevice):
            self = .multiLoginSync(
                OpenChannelMultiLoginSyncEvent(
                    channelId: channel, status: isJoin ? .join : .quit,
                    reason: isOtherDevice ? .otherDeviceLogin : .leaveOnMyOwn))
        default: return nil
        }
    }
}

extension OpenChannelMuteType {
    init(_ kind: ChatOpenMute.Kind) {
        self =
            switch kind {
            case .muteUsers: .muteUsers
            case .unmuteUsers: .unmuteUsers
            case .muteAll: .muteAll
            case .unmuteAll: .unmuteAll
            case .addAllowlist: .addAllowlist
            case .removeAllowlist: .removeAllowlist
            case .muteGlobal: .muteGlobal
            case .unmuteGlobal: .unmuteGlobal
            }
    }
}
