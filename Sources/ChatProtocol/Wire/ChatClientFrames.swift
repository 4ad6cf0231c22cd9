import WireCoding

/// Encodes the frames that a client sends (chat-protocol.md, sections 2 to 9).
public enum ChatClientFrames {
    public static func encode(_ frame: ChatClientFrame) -> String {
        String(decoding: bytes(frame), as: UTF8.self)
    }

    /// The encoded frame in UTF-8.
    public static func bytes(_ frame: ChatClientFrame) -> [UInt8] {
        switch frame {
        case .hello(let hello): WireWriter.object(reserving: 320) { $0.hello(hello) }
        case .request(let request, let number):
            WireWriter.object(reserving: request.size) {
                $0.text("t", request.word)
                $0.number("n", number)
                $0.request(request)
            }
        case .typing(let to, let type):
            WireWriter.object {
                $0.text("t", "typing")
                $0.text("to", to)
                $0.text("type", type)
            }
        case .acknowledge(let sequence):
            WireWriter.object(reserving: 32) {
                $0.text("t", "ack")
                $0.number("q", sequence)
            }
        case .leave(let disablePush):
            WireWriter.object(reserving: 48) {
                $0.text("t", "leave")
                $0.flag("disablePush", disablePush)
            }
        }
    }
}

extension ChatRequest {
    /// The type of the request: its member `t`.
    public var word: String {
        switch self {
        case .send: "send"
        case .recall: "recall"
        case .edit: "edit"
        case .changeMetadata: "meta"
        case .sendReceipt: "receipt"
        case .receipts: "receipts"
        case .receiptUsers: "receipt.users"
        case .read: "read"
        case .delete: "delete"
        case .history: "history"
        case .set: "set"
        case .settings: "settings"
        case .createGroup: "group.create"
        case .joinGroup: "group.join"
        case .quitGroup: "group.quit"
        case .dismissGroup: "group.dismiss"
        case .inviteToGroup: "group.invite"
        case .kickFromGroup: "group.kick"
        case .transferGroup: "group.transfer"
        case .changeAdmins: "group.admins"
        case .updateGroup: "group.update"
        case .setGroupMember: "group.member"
        case .groupInfo: "group.info"
        case .groupMembers: "group.members"
        case .myGroups: "group.mine"
        case .enter: "open.enter"
        case .exit: "open.exit"
        case .openInfo: "open.info"
        case .openMetadata: "open.meta"
        case .setOpenMetadata: "open.meta.set"
        case .deleteOpenMetadata: "open.meta.delete"
        case .users: "user.get"
        case .updateUser: "user.update"
        case .subscribeUsers: "user.subscribe"
        case .unsubscribeUsers: "user.unsubscribe"
        case .subscriptions: "user.subscriptions"
        case .block: "block.add"
        case .unblock: "block.remove"
        case .blocklist: "block.list"
        }
    }

    /// The approximate size of the encoded frame in bytes.
    fileprivate var size: Int {
        switch self {
        case .send(let draft): draft.content.count + 224
        case .edit(_, let content): content.count + 128
        default: 192
        }
    }
}

extension WireWriter {
    fileprivate mutating func hello(_ hello: ChatHello) {
        text("t", "hello")
        number("v", hello.version)
        text("appKey", hello.appKey)
        text("token", hello.token)
        object("device") {
            $0.text("id", hello.device.id)
            $0.text("class", hello.device.class.rawValue)
            $0.text("os", hello.device.system)
        }
        text("client", hello.client)
        if let resume = hello.resume {
            object("resume") {
                $0.text("epoch", resume.epoch)
                $0.number("q", resume.sequence)
            }
        }
        if hello.isReconnect { flag("reconnect", true) }
        if hello.yields { flag("yields", true) }
    }

    fileprivate mutating func request(_ request: ChatRequest) {
        switch request {
        case .send(let draft):
            text("cid", draft.clientID)
            text("conv", draft.conversation.word)
            text("to", draft.to)
            text("type", draft.type)
            json("content", draft.content)
            options(draft.options)
        case .recall(let target), .receiptUsers(let target): self.target(target)
        case .edit(let target, let content):
            self.target(target)
            json("content", content)
        case .changeMetadata(let target, let set, let delete):
            self.target(target)
            if !set.isEmpty { pairs("set", set) }
            if !delete.isEmpty { texts("del", delete) }
        case .sendReceipt(let conversation, let to, let ids), .receipts(let conversation, let to, let ids):
            text("conv", conversation.word)
            text("to", to)
            self.ids("ids", ids)
        case .read(let channel, let time):
            self.channel(channel)
            self.time("time", time)
        case .delete(let channel, let ids, let before):
            self.channel(channel)
            if !ids.isEmpty { self.ids("ids", ids) }
            if let before { time("before", before) }
        case .history(let history): self.history(history)
        case .set(let settings): self.settings(settings)
        case .settings, .subscriptions, .blocklist: break
        case .createGroup, .joinGroup, .quitGroup, .dismissGroup, .inviteToGroup, .kickFromGroup, .transferGroup, .changeAdmins,
            .updateGroup, .setGroupMember, .groupInfo, .groupMembers, .myGroups:
            groupRequest(request)
        case .enter, .exit, .openInfo, .openMetadata, .setOpenMetadata, .deleteOpenMetadata: openRequest(request)
        case .users(let users), .unsubscribeUsers(let users), .block(let users), .unblock(let users): texts("users", users)
        case .updateUser(let name, let avatar, let extra):
            text("name", name)
            text("avatar", avatar)
            if let extra { pairs("ext", extra) }
        case .subscribeUsers(let users, let expiry):
            texts("users", users)
            number("expiry", expiry)
        }
    }

    private mutating func target(_ target: ChatMessageTarget) {
        text("conv", target.conversation.word)
        text("to", target.to)
        id("id", target.id)
    }

    /// Writes a time, limited to the range that servers accept.
    private mutating func time(_ name: StaticString, _ time: Int64) {
        number(name, min(max(time, ChatProtocolLimits.time.lowerBound), ChatProtocolLimits.time.upperBound))
    }

    private mutating func history(_ request: ChatHistoryRequest) {
        channel(request.channel)
        switch request.place {
        case .latest: break
        case .before(let id): self.id("before", id)
        case .beforeTime(let time): self.time("beforeTime", time)
        case .after(let id): self.id("after", id)
        case .afterTime(let time): self.time("afterTime", time)
        }
        number("limit", request.limit)
    }

    private mutating func groupRequest(_ request: ChatRequest) {
        switch request {
        case .createGroup(let group, let users):
            object("group") { $0.group(group) }
            if !users.isEmpty { texts("users", users) }
        case .joinGroup(let id), .quitGroup(let id), .dismissGroup(let id): text("id", id)
        case .inviteToGroup(let id, let users), .kickFromGroup(let id, let users):
            text("id", id)
            texts("users", users)
        case .transferGroup(let id, let user, let leave):
            text("id", id)
            text("user", user)
            flag("leave", leave)
        case .changeAdmins(let id, let add, let remove):
            text("id", id)
            if !add.isEmpty { texts("add", add) }
            if !remove.isEmpty { texts("remove", remove) }
        case .updateGroup(let id, let update):
            text("id", id)
            object("set") { $0.update(update) }
        case .setGroupMember(let id, let user, let nickname, let extra):
            text("id", id)
            text("user", user)
            text("nickname", nickname)
            text("extra", extra)
        case .groupInfo(let ids): texts("ids", ids)
        case .groupMembers(let members):
            text("id", members.group)
            if !members.users.isEmpty { texts("users", members.users) }
            text("role", members.role?.rawValue)
            text("after", members.after)
            number("limit", members.limit)
        case .myGroups(let role, let after, let limit):
            text("role", role?.rawValue)
            text("after", after)
            number("limit", limit)
        default: break
        }
    }

    private mutating func update(_ update: ChatGroupUpdate) {
        text("name", update.name)
        text("avatar", update.avatar)
        text("intro", update.introduction)
        text("notice", update.notice)
        if let join = update.joinPermission { number("join", join) }
        if let invite = update.invitePermission { number("invite", invite) }
        if let extra = update.extra { pairs("ext", extra) }
        if let isMuted = update.isMuted { flag("mutedAll", isMuted) }
    }

    private mutating func openRequest(_ request: ChatRequest) {
        switch request {
        case .enter(let entry):
            text("ch", entry.channel)
            number("count", entry.count)
            if let after = entry.after { id("after", after) }
            text("extra", entry.extra)
        case .exit(let channel), .openMetadata(let channel): text("ch", channel)
        case .openInfo(let channel, let limit):
            text("ch", channel)
            number("limit", limit)
        case .setOpenMetadata(let channel, let pairs, let overwrite, let deleteWhenLeft):
            text("ch", channel)
            self.pairs("meta", pairs)
            if overwrite { flag("overwrite", true) }
            if deleteWhenLeft { flag("deleteWhenLeft", true) }
        case .deleteOpenMetadata(let channel, let keys, let force):
            text("ch", channel)
            texts("keys", keys)
            if force { flag("force", true) }
        default: break
        }
    }
}
