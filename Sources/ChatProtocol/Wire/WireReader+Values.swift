import WireCoding

/// Reads the values of chat-protocol.md from the innermost object at the reader's position. A value is nil when a required member is
/// missing or of another type.
extension WireReader {
    mutating func message() -> ChatMessage? {
        guard let id = id("id"), let conversation = conversation(), let from = shared("from"), let to = shared("to"),
            let type = shared("type"), let content = json("content")
        else { return nil }
        return ChatMessage(
            id: id, conversation: conversation, from: from, to: to, type: type, content: content, clientID: text("cid"),
            options: options(), edited: number("edited"), bridge: text("bridge"))
    }

    /// Reads the sender's options of a message. A missing member has its default value.
    mutating func options() -> ChatMessageOptions {
        var options = ChatMessageOptions()
        if let persist = flag("persist") { options.isPersisted = persist }
        if let count = flag("count") { options.isCounted = count }
        if let status = flag("status") { options.isStatus = status }
        if let receipt = flag("receipt") { options.needsReceipt = receipt }
        if let quiet = flag("quiet") { options.isQuiet = quiet }
        if let noLast = flag("noLast") { options.isNotLatest = noLast }
        if let metadata = pairs("meta") { options.metadata = metadata }
        options.users = texts("users")
        options.push = json("push")
        return options
    }

    mutating func channel() -> ChatChannel? {
        guard let conversation = conversation(), let id = shared("ch") else { return nil }
        return ChatChannel(conversation, id)
    }

    mutating func settings() -> ChatChannelSettings? {
        guard let conversation = conversation() else { return nil }
        return ChatChannelSettings(
            conversation: conversation, id: text("ch"), isPinned: flag("pinned"), level: integer("level"))
    }

    mutating func group() -> ChatGroup? {
        guard let id = text("id"), let name = text("name") else { return nil }
        return ChatGroup(
            id: id, name: name, owner: text("owner") ?? "", avatar: text("avatar"), introduction: text("intro"),
            notice: text("notice"), memberCount: integer("count") ?? 0, created: number("created") ?? 0,
            joinPermission: integer("join") ?? 0, invitePermission: integer("invite") ?? 0, extra: pairs("ext") ?? [:],
            isMuted: flag("mutedAll") ?? false)
    }

    mutating func role() -> ChatGroupRole? {
        text("role").flatMap { ChatGroupRole(rawValue: $0) }
    }

    mutating func member() -> ChatGroupMember? {
        guard let user = text("user") else { return nil }
        return ChatGroupMember(
            user: user, role: role() ?? .member, nickname: text("nickname"), extra: text("extra"), joined: number("joined") ?? 0)
    }

    mutating func receipt() -> ChatReadCounts? {
        guard let id = id("id") else { return nil }
        return ChatReadCounts(
            id: id, read: integer("read") ?? 0, unread: integer("unread") ?? 0, total: integer("total") ?? 0)
    }

    mutating func receiptUser() -> ChatReceiptUser? {
        guard let user = text("user"), let time = number("time") else { return nil }
        return ChatReceiptUser(user: user, time: time)
    }

    mutating func entry() -> ChatOpenEntry? {
        guard let key = text("key"), let value = text("value") else { return nil }
        return ChatOpenEntry(key: key, value: value, owner: text("owner") ?? "")
    }

    mutating func openMember() -> ChatOpenMember? {
        guard let user = text("user") else { return nil }
        return ChatOpenMember(user: user, entered: number("entered") ?? 0)
    }

    mutating func user() -> ChatUser? {
        guard let user = text("user") else { return nil }
        return ChatUser(user: user, name: text("name"), avatar: text("avatar"), extra: pairs("ext") ?? [:])
    }

    mutating func subscription() -> ChatSubscription? {
        guard let user = text("user") else { return nil }
        return ChatSubscription(user: user, subscribed: number("subscribed") ?? 0, expires: number("expires") ?? 0)
    }

    mutating func place(_ sequence: StaticString = "q") -> ChatPlace? {
        guard let epoch = text("epoch"), let sequence = whole(sequence) else { return nil }
        return ChatPlace(epoch: epoch, sequence: sequence)
    }
}
