import WireCoding

/// Reads the requests of clients from the innermost object at the reader's position, and checks them against the limits (chat-protocol.md,
/// sections 5 to 9).
extension WireReader {
    /// Reads a request of this type; nil when the type is unknown.
    mutating func request(_ type: Slot) throws(RequestFault) -> ChatRequest? {
        // The most frequent type is checked first.
        if `is`(type, "send") { return .send(try draft()) }
        guard let word = text(type) else { return nil }
        switch word {
        case "recall": return .recall(try target())
        case "edit": return .edit(try target(), content: try content())
        case "meta": return try changeMetadata()
        case "receipt": return .sendReceipt(try need(conversation(), "conv"), to: try id(named: "to"), ids: try messageIDs())
        case "receipts": return .receipts(try need(conversation(), "conv"), to: try id(named: "to"), ids: try messageIDs())
        case "receipt.users": return .receiptUsers(try target())
        case "read": return .read(try neededChannel(), time: try need(time("time"), "time"))
        case "delete": return try delete()
        case "history": return .history(try history())
        case "set": return .set(try channelSettings())
        case "settings": return .settings
        case "user.get": return .users(try userIDs("users", ChatProtocolLimits.users))
        case "user.update": return try updateUser()
        case "user.subscribe":
            let users = try userIDs("users", ChatProtocolLimits.subscribed)
            guard let expiry = integer("expiry"), ChatProtocolLimits.expiry.contains(expiry) else { throw .missing("expiry") }
            return .subscribeUsers(users, expiry: expiry)
        case "user.unsubscribe": return .unsubscribeUsers(try userIDs("users", ChatProtocolLimits.subscribed))
        case "user.subscriptions": return .subscriptions
        case "block.add": return .block(try userIDs("users", ChatProtocolLimits.users))
        case "block.remove": return .unblock(try userIDs("users", ChatProtocolLimits.users))
        case "block.list": return .blocklist
        default:
            if let request = try groupRequest(word) { return request }
            return try openRequest(word)
        }
    }

    private mutating func draft() throws(RequestFault) -> ChatMessageDraft {
        let conversation = try need(conversation(), "conv")
        if conversation == .system { throw ChatRequestRefusal(.badArgument, "Clients cannot send to system channels.") }
        return ChatMessageDraft(
            clientID: try clientID(), conversation: conversation, to: try id(named: "to"), type: try typeName(),
            content: try content(), options: try checkedOptions())
    }

    private mutating func clientID() throws(RequestFault) -> String {
        guard let id = text("cid"), ChatProtocolLimits.accepts(id: id) else { throw .missing("cid") }
        return id
    }

    private mutating func content() throws(RequestFault) -> [UInt8] {
        let content = try need(json("content"), "content")
        if let problem = ChatProtocolLimits.problem(ofContent: content) { throw problem }
        return content
    }

    private mutating func checkedOptions() throws(RequestFault) -> ChatMessageOptions {
        var options = ChatMessageOptions()
        options.isPersisted = try flag("persist", default: true)
        options.isCounted = try flag("count", default: true)
        options.isStatus = try flag("status", default: false)
        options.needsReceipt = try flag("receipt", default: false)
        options.isQuiet = try flag("quiet", default: false)
        options.isNotLatest = try flag("noLast", default: false)
        if find("meta") != nil {
            let metadata = try need(pairs("meta"), "meta")
            if let problem = ChatProtocolLimits.problem(ofMetadata: metadata) { throw problem }
            options.metadata = metadata
        }
        if find("users") != nil { options.users = try userIDs("users", 0...ChatProtocolLimits.users.upperBound) }
        if find("push") != nil {
            let push = try need(json("push"), "push")
            guard ChatProtocolLimits.hasDepth(push, upTo: ChatProtocolLimits.contentDepth) else { throw .missing("push") }
            options.push = push
        }
        return options
    }

    private mutating func target() throws(RequestFault) -> ChatMessageTarget {
        ChatMessageTarget(try need(conversation(), "conv"), to: try id(named: "to"), id: try need(messageID("id"), "id"))
    }

    private mutating func neededChannel() throws(RequestFault) -> ChatChannel {
        ChatChannel(try need(conversation(), "conv"), try id(named: "ch"))
    }

    private mutating func messageIDs() throws(RequestFault) -> [ChatMessageID] {
        guard let ids = ids("ids"), ChatProtocolLimits.messages.contains(ids.count),
            ids.allSatisfy({ ChatProtocolLimits.messageID.contains($0.rawValue) })
        else { throw .missing("ids") }
        return ids
    }

    /// A time in a request; nil when it is outside of `ChatProtocolLimits.time`.
    private func time(_ name: StaticString) -> Int64? { number(name).flatMap { ChatProtocolLimits.time.contains($0) ? $0 : nil } }

    private mutating func messageID(_ name: StaticString) -> ChatMessageID? {
        id(name).flatMap { ChatProtocolLimits.messageID.contains($0.rawValue) ? $0 : nil }
    }

    private mutating func changeMetadata() throws(RequestFault) -> ChatRequest {
        let target = try target()
        let set = try wanted(pairs("set"), "set") ?? [:]
        let deleted = try wanted(texts("del"), "del") ?? []
        if set.isEmpty, deleted.isEmpty { throw .missing("set") }
        if let problem = ChatProtocolLimits.problem(ofMetadata: set) { throw problem }
        guard deleted.count <= ChatProtocolLimits.metadataPairs else { throw .missing("del") }
        return .changeMetadata(target, set: set, delete: deleted)
    }

    private mutating func delete() throws(RequestFault) -> ChatRequest {
        let channel = try neededChannel()
        let before = try wanted(time("before"), "before")
        if before != nil, find("ids") == nil { return .delete(channel, ids: [], before: before) }
        return .delete(channel, ids: try messageIDs(), before: before)
    }

    private mutating func history() throws(RequestFault) -> ChatHistoryRequest {
        var place = ChatHistoryRequest.Place.latest
        if let id = try wanted(messageID("before"), "before") {
            place = .before(id)
        } else if let time = try wanted(time("beforeTime"), "beforeTime") {
            place = .beforeTime(time)
        } else if let id = try wanted(messageID("after"), "after") {
            place = .after(id)
        } else if let time = try wanted(time("afterTime"), "afterTime") {
            place = .afterTime(time)
        }
        return ChatHistoryRequest(
            try neededChannel(), place: place, limit: try within("limit", ChatProtocolLimits.page, default: 20))
    }

    private mutating func channelSettings() throws(RequestFault) -> ChatChannelSettings {
        let settings = ChatChannelSettings(
            conversation: try need(conversation(), "conv"), id: try optionalID(named: "ch"),
            isPinned: try wanted(flag("pinned"), "pinned"), level: try wanted(integer("level"), "level"))
        if let level = settings.level, !ChatProtocolLimits.levels.contains(level) { throw .missing("level") }
        if settings.isPinned == nil, settings.level == nil { throw .missing("level") }
        // Only a single channel can be pinned, not all channels of a kind.
        if settings.id == nil, settings.isPinned != nil { throw .missing("ch") }
        return settings
    }

    private mutating func updateUser() throws(RequestFault) -> ChatRequest {
        .updateUser(
            name: try wanted(text("name"), "name"), avatar: try wanted(text("avatar"), "avatar"),
            extra: try wanted(pairs("ext"), "ext"))
    }

    // MARK: Groups

    private mutating func groupRequest(_ word: String) throws(RequestFault) -> ChatRequest? {
        switch word {
        case "group.create":
            let given = object("group") { reader -> Result<ChatGroup, RequestFault>? in
                Result { () throws(RequestFault) in
                    // Checks the types of all members. Otherwise a member of a wrong type would count as missing. Then a group that nobody
                    // is to join could be created as a group that all users may join.
                    _ = try reader.groupUpdate()
                    return try reader.need(reader.group(), "group")
                }
            }
            let group = try need(given, "group").get()
            guard ChatProtocolLimits.accepts(id: group.id), !group.name.isEmpty else { throw .missing("group") }
            return .createGroup(group, users: try userIDs("users", 0...ChatProtocolLimits.users.upperBound))
        case "group.join": return .joinGroup(try id(named: "id"))
        case "group.quit": return .quitGroup(try id(named: "id"))
        case "group.dismiss": return .dismissGroup(try id(named: "id"))
        case "group.invite": return .inviteToGroup(try id(named: "id"), users: try userIDs("users", ChatProtocolLimits.users))
        case "group.kick": return .kickFromGroup(try id(named: "id"), users: try userIDs("users", ChatProtocolLimits.users))
        case "group.transfer":
            return .transferGroup(
                try id(named: "id"), to: try id(named: "user"), leave: try flag("leave", default: false))
        case "group.admins":
            let range = 0...ChatProtocolLimits.users.upperBound
            let (add, remove) = (try userIDs("add", range), try userIDs("remove", range))
            if add.isEmpty, remove.isEmpty { throw .missing("add") }
            return .changeAdmins(try id(named: "id"), add: add, remove: remove)
        case "group.update":
            let update = object("set") { reader -> Result<ChatGroupUpdate, RequestFault>? in
                Result { () throws(RequestFault) in try reader.groupUpdate() }
            }
            return .updateGroup(try id(named: "id"), try need(update, "set").get())
        case "group.member":
            return .setGroupMember(
                try id(named: "id"), user: try id(named: "user"), nickname: try wanted(text("nickname"), "nickname"),
                extra: try wanted(text("extra"), "extra"))
        case "group.info": return .groupInfo(try userIDs("ids", ChatProtocolLimits.groups))
        case "group.members":
            return .groupMembers(
                ChatMembersRequest(
                    try id(named: "id"), users: try userIDs("users", 0...ChatProtocolLimits.users.upperBound),
                    role: try wanted(role(), "role"), after: try optionalID(named: "after"),
                    limit: try within("limit", ChatProtocolLimits.page, default: 50)))
        case "group.mine":
            return .myGroups(
                role: try wanted(role(), "role"), after: try optionalID(named: "after"),
                limit: try within("limit", ChatProtocolLimits.page, default: 50))
        default: return nil
        }
    }

    private mutating func groupUpdate() throws(RequestFault) -> ChatGroupUpdate {
        var update = ChatGroupUpdate()
        update.name = try wanted(text("name"), "name")
        update.avatar = try wanted(text("avatar"), "avatar")
        update.introduction = try wanted(text("intro"), "intro")
        update.notice = try wanted(text("notice"), "notice")
        update.joinPermission = try wanted(integer("join"), "join")
        update.invitePermission = try wanted(integer("invite"), "invite")
        update.extra = try wanted(pairs("ext"), "ext")
        update.isMuted = try wanted(flag("mutedAll"), "mutedAll")
        return update
    }

    // MARK: Open channels

    private mutating func openRequest(_ word: String) throws(RequestFault) -> ChatRequest? {
        switch word {
        case "open.enter":
            return .enter(
                ChatEntryRequest(
                    try id(named: "ch"), count: try within("count", ChatProtocolLimits.entryMessages, default: 20),
                    after: try wanted(messageID("after"), "after"), extra: try text("extra", upTo: ChatProtocolLimits.entryExtra))
            )
        case "open.exit": return .exit(try id(named: "ch"))
        case "open.info":
            return .openInfo(try id(named: "ch"), limit: try within("limit", ChatProtocolLimits.openInfo, default: 0))
        case "open.meta": return .openMetadata(try id(named: "ch"))
        case "open.meta.set":
            let pairs = try need(pairs("meta"), "meta")
            if let problem = ChatProtocolLimits.problem(ofOpenMetadata: pairs) { throw problem }
            return .setOpenMetadata(
                try id(named: "ch"), pairs, overwrite: try flag("overwrite", default: false),
                deleteWhenLeft: try flag("deleteWhenLeft", default: false))
        case "open.meta.delete":
            guard let keys = texts("keys"), !keys.isEmpty else { throw .missing("keys") }
            if keys.count > ChatProtocolLimits.openMetadataPairsAtOnce {
                throw ChatRequestRefusal(
                    .tooManyOpenMetadataAtOnce, "At most 10 metadata keys of an open channel can be deleted at once.")
            }
            return .deleteOpenMetadata(try id(named: "ch"), keys: keys, force: try flag("force", default: false))
        default: return nil
        }
    }
}
