import WireCoding

/// The values of chat-protocol.md, read from the innermost object. Nil when a required member is missing or of another type.
extension WireReader {
    mutating func message() -> NexconnMessage? {
        guard let id = id("id"), let conversation = conversation(), let from = shared("from"), let to = shared("to"),
            let type = shared("type"), let content = json("content")
        else { return nil }
        return NexconnMessage(
            id: id, conversation: conversation, from: from, to: to, type: type, content: content, clientID: text("cid"),
            options: options(), edited: number("edited"), bridge: text("bridge"))
    }

    /// Reads the options; missing members have their defaults.
    mutating func options() -> NexconnMessageOptions {
        var options = NexconnMessageOptions()
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

    mutating func channel() -> NexconnChannel? {
        guard let conversation = conversation(), let id = shared("ch") else { return nil }
        return NexconnChannel(conversation, id)
    }

    mutating func settings() -> NexconnChannelSettings? {
        guard let conversation = conversation() else { return nil }
        return NexconnChannelSettings(
            conversation: conversation, id: text("ch"), isPinned: flag("pinned"), level: integer("level"))
    }

    mutating func group() -> NexconnGroup? {
        guard let id = text("id"), let name = text("name") else { return nil }
        return NexconnGroup(
            id: id, name: name, owner: text("owner") ?? "", avatar: text("avatar"), introduction: text("intro"),
            notice: text("notice"), memberCount: integer("count") ?? 0, created: number("created") ?? 0,
            joinPermission: integer("join") ?? 0, invitePermission: integer("invite") ?? 0, extra: pairs("ext") ?? [:],
            isMuted: flag("mutedAll") ?? false)
    }

    mutating func role() -> NexconnGroupRole? {
        text("role").flatMap { NexconnGroupRole(rawValue: $0) }
    }

    mutating func member() -> NexconnGroupMember? {
        guard let user = text("user") else { return nil }
        return NexconnGroupMember(
            user: user, role: role() ?? .member, nickname: text("nickname"), extra: text("extra"), joined: number("joined") ?? 0)
    }

    mutating func receipt() -> NexconnReceipt? {
        guard let id = id("id") else { return nil }
        return NexconnReceipt(
            id: id, read: integer("read") ?? 0, unread: integer("unread") ?? 0, total: integer("total") ?? 0)
    }

    mutating func receiptUser() -> NexconnReceiptUser? {
        guard let user = text("user"), let time = number("time") else { return nil }
        return NexconnReceiptUser(user: user, time: time)
    }

    mutating func entry() -> NexconnOpenEntry? {
        guard let key = text("key"), let value = text("value") else { return nil }
        return NexconnOpenEntry(key: key, value: value, owner: text("owner") ?? "")
    }

    mutating func openMember() -> NexconnOpenMember? {
        guard let user = text("user") else { return nil }
        return NexconnOpenMember(user: user, entered: number("entered") ?? 0)
    }

    mutating func user() -> NexconnUser? {
        guard let user = text("user") else { return nil }
        return NexconnUser(user: user, name: text("name"), avatar: text("avatar"), extra: pairs("ext") ?? [:])
    }

    mutating func subscription() -> NexconnSubscription? {
        guard let user = text("user") else { return nil }
        return NexconnSubscription(user: user, subscribed: number("subscribed") ?? 0, expires: number("expires") ?? 0)
    }

    mutating func place(_ sequence: StaticString = "q") -> NexconnPlace? {
        guard let epoch = text("epoch"), let sequence = whole(sequence) else { return nil }
        return NexconnPlace(epoch: epoch, sequence: sequence)
    }
}
