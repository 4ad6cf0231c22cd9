import WireCoding

extension WireReader {
    /// Reads the next value as an event; nil when the value is not an object.
    mutating func event() throws(JSONSyntaxError) -> ChatWireEvent? {
        try object { (reader) throws(JSONSyntaxError) in reader.eventOfScope() }
    }

    private mutating func eventOfScope() -> ChatWireEvent {
        if `is`(find("k"), "msg") {
            if let message = message() { return .message(message) }
            return .unknown(kind: "msg", problem: "A member of the event is missing or has the wrong type.")
        }
        guard let kind = text("k") else {
            return .unknown(kind: "", problem: "The event's member k, which holds its kind, is missing or not a string.")
        }
        let event: ChatWireEvent? =
            switch kind {
            case "recall": recall()
            case "edit": edit()
            case "meta": metadata()
            case "receipt": receipts()
            case "read": read()
            case "set": settings().map { .settings($0) }
            case "typing": typing()
            case "group": groupOperation()
            case "groupInfo": groupInfo()
            case "groupMember": groupMember()
            case "openMembers": openMembers()
            case "openMeta": openMetadata()
            case "openMute": openMute()
            case "openBan": openBan()
            case "openDestroyed": openDestroyed()
            case "openSync": openSync()
            case "presence": presence()
            default: .unknown(kind: kind)
            }
        return event ?? .unknown(kind: kind, problem: "A member of the event is missing or has the wrong type.")
    }

    /// The receiver, the sender and the time of an event.
    private struct Parties {
        var conversation: ChatConversationKind
        var from: String
        var to: String
        var time: Int64
    }

    private mutating func parties() -> Parties? {
        guard let conversation = conversation(), let from = shared("from"), let to = shared("to"), let time = number("time")
        else { return nil }
        return Parties(conversation: conversation, from: from, to: to, time: time)
    }

    private mutating func recall() -> ChatWireEvent? {
        guard let parties = parties(), let id = id("id"), let sender = shared("sender") else { return nil }
        return .recall(
            ChatRecall(
                conversation: parties.conversation, from: parties.from, to: parties.to, id: id, sender: sender,
                time: parties.time))
    }

    private mutating func edit() -> ChatWireEvent? {
        guard let parties = parties(), let id = id("id"), let content = json("content") else { return nil }
        return .edit(
            ChatEdit(
                conversation: parties.conversation, from: parties.from, to: parties.to, id: id, content: content,
                time: parties.time))
    }

    private mutating func metadata() -> ChatWireEvent? {
        guard let parties = parties(), let id = id("id") else { return nil }
        return .metadata(
            ChatMetadataChange(
                conversation: parties.conversation, from: parties.from, to: parties.to, id: id, set: pairs("set") ?? [:],
                deleted: texts("del") ?? [], time: parties.time))
    }

    private mutating func receipts() -> ChatWireEvent? {
        guard let parties = parties(), let items = objects("items", { $0.receipt() }) else { return nil }
        return .receipt(
            ChatReceipts(
                conversation: parties.conversation, from: parties.from, to: parties.to, items: items, time: parties.time))
    }

    private mutating func read() -> ChatWireEvent? {
        guard let channel = channel(), let time = number("time") else { return nil }
        return .read(channel, time: time)
    }

    private mutating func typing() -> ChatWireEvent? {
        guard let from = shared("from"), let to = shared("to"), let type = shared("type") else { return nil }
        return .typing(from: from, to: to, type: type, time: number("time") ?? 0)
    }

    private mutating func groupOperation() -> ChatWireEvent? {
        guard let kind = text("op").flatMap({ ChatGroupOperation.Kind(rawValue: $0) }),
            let group = object("group", { $0.group() }), let `operator` = text("operator")
        else { return nil }
        return .group(
            ChatGroupOperation(
                kind: kind, group: group, operator: `operator`, members: objects("members") { $0.member() } ?? [],
                time: number("time") ?? 0))
    }

    private mutating func groupInfo() -> ChatWireEvent? {
        guard let group = object("group", { $0.group() }), let `operator` = text("operator") else { return nil }
        return .groupInfo(group, changed: texts("changed") ?? [], operator: `operator`, time: number("time") ?? 0)
    }

    private mutating func groupMember() -> ChatWireEvent? {
        guard let group = text("id"), let member = object("member", { $0.member() }), let `operator` = text("operator")
        else { return nil }
        return .groupMember(group: group, operator: `operator`, member, time: number("time") ?? 0)
    }

    private mutating func openMembers() -> ChatWireEvent? {
        let actions = objects("actions") { reader -> ChatWireOpenAction? in
            guard let user = reader.text("user"), let action = reader.text("action"), action == "join" || action == "leave"
            else { return nil }
            return ChatWireOpenAction(user: user, isJoin: action == "join")
        }
        guard let channel = shared("ch"), let actions, let count = integer("count") else { return nil }
        return .openMembers(channel: channel, actions: actions, count: count, time: number("time") ?? 0)
    }

    private mutating func openMetadata() -> ChatWireEvent? {
        let changes = objects("changes") { reader -> ChatOpenChange? in
            guard let key = reader.text("key") else { return nil }
            if reader.is(reader.find("op"), "remove") { return ChatOpenChange(key: key, value: nil) }
            return reader.text("value").map { ChatOpenChange(key: key, value: $0) }
        }
        guard let channel = shared("ch"), let changes else { return nil }
        return .openMetadata(channel: channel, changes: changes, time: number("time") ?? 0)
    }

    private mutating func openMute() -> ChatWireEvent? {
        guard let channel = shared("ch"), let kind = text("type").flatMap({ ChatOpenMute.Kind(rawValue: $0) })
        else { return nil }
        return .openMute(
            ChatOpenMute(
                channel: channel, kind: kind, users: texts("users") ?? [], duration: number("duration") ?? 0,
                time: number("time") ?? 0))
    }

    private mutating func openBan() -> ChatWireEvent? {
        guard let channel = shared("ch"), let users = texts("users") else { return nil }
        return .openBan(channel: channel, users: users, duration: number("duration") ?? 0, time: number("time") ?? 0)
    }

    private mutating func openDestroyed() -> ChatWireEvent? {
        guard let channel = shared("ch") else { return nil }
        return .openDestroyed(channel: channel, isManual: `is`(find("by"), "manual"), time: number("time") ?? 0)
    }

    private mutating func openSync() -> ChatWireEvent? {
        guard let channel = shared("ch"), let status = text("status"), status == "join" || status == "quit" else { return nil }
        return .openSync(channel: channel, isJoin: status == "join", isOtherDevice: `is`(find("reason"), "otherDevice"))
    }

    private mutating func presence() -> ChatWireEvent? {
        let events = objects("events") { reader -> ChatOnlineStatus? in
            guard let user = reader.shared("user"), let isOnline = reader.flag("online") else { return nil }
            return ChatOnlineStatus(user: user, isOnline: isOnline, time: reader.number("time") ?? 0)
        }
        return events.map { .presence($0) }
    }
}
