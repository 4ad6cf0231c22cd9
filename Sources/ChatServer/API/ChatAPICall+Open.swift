import ChatProtocol
import Identifiers
import ServerStorage
import WireCoding

// Calls of the server API about open channels (rules NA-50 to NA-55).
extension ChatAPICall {
    func listOpen() throws {
        let (prefix, after) = (try fields.optionalText("prefix", upTo: 64) ?? "", try fields.optionalID("pageToken"))
        let size = try page(1...1_000, fallback: 100)
        try read { state in
            let found = state.openChannels(prefix: prefix, after: after, limit: size + 1)
            let result: JSONValue = [
                "channels": .array(
                    found.prefix(size).map { ["channelId": .id($0), "memberCount": .whole(state.participantCount(of: $0))] })
            ]
            return result.with("nextPageToken", found.count > size ? found.prefix(size).last.map { .id($0) } : nil)
        }
    }

    func performOpen(_ route: ChatAPIRoute) throws {
        let channel = try fields.id("channelId")
        switch route {
        case .createOpen:
            let lifetime = try lifetime()
            change { state, change in
                let created = try state.createOpenChannel(channel, lifetime: lifetime, at: change.now, into: &change.commit)
                return ["channelId": .id(created.id), "createdAt": .whole(created.created)]
            }
        case .setDestroyType:
            let lifetime = try lifetime()
            change { state, change in
                try state.setLifetime(lifetime, of: channel, into: &change.commit)
                return .nothing
            }
        case .destroyOpen:
            tell { state, change in try state.destroyOpenChannel(channel, at: change.now, into: &change.commit) }
        case .open:
            try read { state in
                guard let open = state.openChannel(channel) else { throw ChatRefusal.noSuchOpenChannel }
                return [
                    "channelId": .id(channel), "createdAt": .whole(open.created),
                    "memberCount": .whole(state.participantCount(of: channel)), "isFrozen": .bool(open.isMuted),
                    "destroyType": .whole(open.lifetime == nil ? 1 : 0),
                    "destroyMinutes": .whole((open.lifetime ?? 0) / 60_000),
                ]
            }
        case .participants:
            let size = try page(1...500, fallback: 100)
            try read { state in
                let participants = try state.participants(of: channel, limit: size)
                return [
                    "memberCount": .whole(state.participantCount(of: channel)),
                    "members": .array(participants.map { ["userId": .id($0.user), "joinedAt": .whole($0.entered)] }),
                ]
            }
        case .areParticipants:
            let users = try fields.ids("userIds", upTo: 1_000)
            try read { state in
                guard state.openChannel(channel) != nil else { throw ChatRefusal.noSuchOpenChannel }
                return [
                    "members": .array(
                        users.map { ["userId": .id($0), "isInChannel": .bool(state.isParticipant($0, of: channel))] })
                ]
            }
        default: try performOpenMetadata(route, channel)
        }
    }

    /// The lifetime of an open channel in ms, from the fields of the call; nil for a channel that stays until it is destroyed (type 1). A
    /// channel of type 0 is removed after the given number of minutes without activity, 60 by default.
    private func lifetime() throws(ChatAPIProblem) -> Int64? {
        let (type, minutes) = (
            try fields.optionalWhole("destroyType", 0...1) ?? 0, try fields.optionalWhole("destroyMinutes", 1...10_080) ?? 60
        )
        return type == 1 ? nil : Int64(minutes) * 60_000
    }

    private func performOpenMetadata(_ route: ChatAPIRoute, _ channel: Identifier) throws {
        switch route {
        case .setOpenMetadata:
            guard let pairs = try fields.pairs("metadata") else {
                throw ChatAPIProblem.field("metadata", "an object of texts")
            }
            if let problem = ChatProtocolLimits.problem(ofOpenMetadata: pairs) { throw problem }
            let (owner, isDeletedWhenLeft) = (try fields.id("userId"), try fields.flag("isAutoDelete", false))
            tell { state, change in
                try state.setOpenEntries(
                    pairs.identified, in: channel, overwrites: true, areDeletedWhenLeft: isDeletedWhenLeft,
                    by: .server(as: owner),
                    at: change.now, into: &change.commit)
            }
        case .openMetadata:
            let keys = fields["keys"] == nil ? nil : try Set(fields.texts("keys", upTo: 100).identifiers)
            try read { state in
                let entries = try state.openEntries(of: channel, by: .server(), at: application.now)
                return [
                    "metadata": .array(
                        entries.filter { keys?.contains($0.key) ?? true }.map {
                            [
                                "key": .id($0.key), "value": .string($0.value), "userId": .id($0.owner),
                                "isAutoDelete": .bool($0.isDeletedWhenLeft),
                            ]
                        })
                ]
            }
        default:
            let keys = try fields.texts("keys", upTo: ChatProtocolLimits.openMetadataPairsAtOnce)
            tell { state, change in
                try state.deleteOpenEntries(
                    keys.identifiers, in: channel, force: true, by: .server(), at: change.now, into: &change.commit)
            }
        }
    }

    /// Changes an open channel, and notifies its participants.
    private func tell(_ decide: (inout ChatState, inout ChatChange) throws -> ChatNews) {
        change { state, change in
            application.tell(try decide(&state, &change), &change)
            return .nothing
        }
    }
}

// MARK: - Muting, allowlists and bans

extension ChatAPICall {
    func performOpenOrder(_ route: ChatAPIRoute) throws {
        switch route {
        case .muteInAllOpen, .unmuteInAllOpen:
            let (users, minutes) = (try fields.ids("userIds", upTo: 100), try fields.minutes())
            tell { state, change in
                route == .muteInAllOpen
                    ? try state.mute(users, in: .open, minutes: minutes, at: change.now, into: &change.commit)
                    : try state.unmute(users, in: .open, at: change.now, into: &change.commit)
            }
        case .mutedInAllOpen:
            try read {
                ["mutedUsers": Self.restrictions($0.muted(in: .open, at: application.now), until: "muteExpiresAt")]
            }
        case .frozenOpen:
            try read { state in
                ["channelIds": .ids(state.openChannels().filter { state.openChannel($0)?.isMuted == true })]
            }
        case .freezeOpen, .unfreezeOpen:
            let channel = try fields.id("channelId")
            tell { state, change in
                try state.setAllMuted(route == .freezeOpen, in: channel, at: change.now, into: &change.commit)
            }
        case .isOpenFrozen:
            let channel = try fields.id("channelId")
            try read { state in
                guard let open = state.openChannel(channel) else { throw ChatRefusal.noSuchOpenChannel }
                return ["isFrozen": .bool(open.isMuted)]
            }
        case .mutedInOpen: try list(.muted, "mutedUsers", until: "muteExpiresAt")
        case .barredFromOpen: try list(.barred, "bannedUsers", until: "banExpiresAt")
        case .allowedInOpen: try list(.allowed, "allowedUsers", until: "expiresAt")
        default: try restrictOpen(route)
        }
    }

    private func list(_ kind: ChatDocument.Restriction.Kind, _ name: String, until: String) throws {
        let channel = try fields.id("channelId")
        try read { state in
            let all = try state.restricted(kind, inOpenChannel: channel, at: application.now)
            return .object([name: Self.restrictions(all, until: until)])
        }
    }

    private func restrictOpen(_ route: ChatAPIRoute) throws(ChatAPIProblem) {
        let (channel, users) = (try fields.id("channelId"), try fields.ids("userIds", upTo: 100))
        let minutes = try fields.minutes()
        tell { state, change in
            let now = change.now
            switch route {
            case .muteInOpen:
                return try state.muteInOpenChannel(channel, users: users, minutes: minutes, at: now, into: &change.commit)
            case .unmuteInOpen: return try state.unmuteInOpenChannel(channel, users: users, at: now, into: &change.commit)
            case .barFromOpen:
                return try state.barFromOpenChannel(channel, users: users, minutes: minutes, at: now, into: &change.commit)
            case .unbarFromOpen:
                try state.unbarFromOpenChannel(channel, users: users, at: now, into: &change.commit)
                return ChatNews()
            case .allowInOpen: return try state.allowInOpenChannel(channel, users: users, at: now, into: &change.commit)
            default: return try state.disallowInOpenChannel(channel, users: users, at: now, into: &change.commit)
            }
        }
    }
}

extension ChatRefusal {
    fileprivate static let noSuchOpenChannel = ChatRefusal(ChatCode.noSuchOpenChannel, "There is no open channel with this id.")
}
