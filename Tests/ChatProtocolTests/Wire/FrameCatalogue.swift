@testable import ChatProtocol

/// One value of every kind with every member in use, for round trips and for what is made of them.
enum FrameCatalogue {
    static let id = ChatMessageID(rawValue: 17_637_100_000_000_123)
    static let other = ChatMessageID(rawValue: 17_637_100_000_000_999)
    static let content = Array(#"{"content":"hé \"llo\" \u00e9","n":[1,2.50,{}]}"#.utf8)
    static let odd = "ü \"q\" \\ \n 😀"

    static let options: ChatMessageOptions = {
        var options = ChatMessageOptions()
        options.isPersisted = false
        options.isCounted = false
        options.isStatus = true
        options.needsReceipt = true
        options.isQuiet = true
        options.isNotLatest = true
        options.metadata = ["k": odd, "a-b_c+d=": ""]
        options.users = ["u2", "u3"]
        options.push = Array(#"{"title":"t"}"#.utf8)
        return options
    }()

    static let message = ChatMessage(
        id: id, conversation: .group, from: "u1", to: "g1", type: "RC:TxtMsg", content: content, clientID: odd,
        options: options, edited: 1_763_710_000_001, bridge: "pusher")
    static let plain = ChatMessage(
        id: other, conversation: .direct, from: "u1", to: "u2", type: "my:type", content: Array("{}".utf8))

    static let group = ChatGroup(
        id: "g1", name: odd, owner: "u1", avatar: "https://a/b", introduction: "i", notice: "n", memberCount: 12,
        created: 1_763_710_000_000, joinPermission: 1, invitePermission: 2, extra: ["ext_a": odd], isMuted: true)
    static let member = ChatGroupMember(user: "u3", role: .admin, nickname: odd, extra: "e", joined: 5)

    static let events: [ChatWireEvent] = [
        .message(message), .message(plain),
        .recall(ChatRecall(conversation: .direct, from: "u1", to: "u2", id: id, sender: "u1", time: 7)),
        .edit(ChatEdit(conversation: .group, from: "u1", to: "g1", id: id, content: content, time: 7)),
        .metadata(
            ChatMetadataChange(
                conversation: .group, from: "u1", to: "g1", id: id, set: ["a": odd], deleted: ["b", odd], time: 7)),
        .receipt(
            ChatReceipts(
                conversation: .direct, from: "u2", to: "u1",
                items: [
                    ChatReadCounts(id: id, read: 3, unread: 4, total: 7), ChatReadCounts(id: other, read: 0, unread: 1, total: 1),
                ],
                time: 7)),
        .read(ChatChannel(.group, "g1"), time: 9),
        .settings(ChatChannelSettings(conversation: .direct, id: "u2", isPinned: true, level: 5)),
        .settings(ChatChannelSettings(conversation: .group, id: nil, level: -1)),
        .typing(from: "u1", to: "u2", type: "RC:TxtMsg", time: 3),
        .group(
            ChatGroupOperation(kind: .transfer, group: group, operator: "u1", members: [member, member], time: 4)),
        .groupInfo(group, changed: ["name", "ext"], operator: "u1", time: 4),
        .groupMember(group: "g1", operator: "u1", member, time: 4),
        .openMembers(
            channel: "o1",
            actions: [ChatWireOpenAction(user: "u1", isJoin: true), ChatWireOpenAction(user: "u2", isJoin: false)],
            count: 2, time: 4),
        .openMetadata(
            channel: "o1", changes: [ChatOpenChange(key: "a", value: odd), ChatOpenChange(key: "b", value: nil)], time: 4),
        .openMute(ChatOpenMute(channel: "o1", kind: .addAllowlist, users: ["u1"], duration: 60_000, time: 4)),
        .openBan(channel: "o1", users: ["u1"], duration: 60_000, time: 4),
        .openDestroyed(channel: "o1", isManual: true, time: 4), .openDestroyed(channel: "o1", isManual: false, time: 4),
        .openSync(channel: "o1", isJoin: true, isOtherDevice: true),
        .openSync(channel: "o1", isJoin: false, isOtherDevice: false),
        .presence([ChatOnlineStatus(user: "u1", isOnline: true, time: 4), ChatOnlineStatus(user: "u2", isOnline: false, time: 4)]
        ),
    ]

    static let draft = ChatMessageDraft(
        clientID: "c-1", conversation: .group, to: "g1", type: "RC:TxtMsg", content: content, options: options)
    static let target = ChatMessageTarget(.direct, to: "u2", id: id)

    static let update: ChatGroupUpdate = {
        var update = ChatGroupUpdate()
        update.name = odd
        update.avatar = "a"
        update.introduction = "i"
        update.notice = "n"
        update.joinPermission = 1
        update.invitePermission = 2
        update.extra = ["ext_a": "1"]
        return update
    }()

    static let requests: [ChatRequest] = [
        .send(draft),
        .send(ChatMessageDraft(clientID: "c", conversation: .open, to: "o1", type: "t", content: Array("{}".utf8))),
        .recall(target), .edit(target, content: content), .changeMetadata(target, set: ["a": odd], delete: ["b"]),
        .changeMetadata(target, set: [:], delete: ["b"]), .sendReceipt(.group, to: "g1", ids: [id, other]),
        .receipts(.direct, to: "u2", ids: [id]), .receiptUsers(target), .read(ChatChannel(.direct, "u2"), time: 12),
        .delete(ChatChannel(.direct, "u2"), ids: [id, other], before: nil),
        .delete(ChatChannel(.direct, "u2"), ids: [], before: 5),
        .history(ChatHistoryRequest(ChatChannel(.open, "o1"))),
        .history(ChatHistoryRequest(ChatChannel(.direct, "u2"), place: .before(id), limit: 100)),
        .history(ChatHistoryRequest(ChatChannel(.direct, "u2"), place: .beforeTime(5), limit: 1)),
        .history(ChatHistoryRequest(ChatChannel(.group, "g"), place: .after(id))),
        .history(ChatHistoryRequest(ChatChannel(.system, "s"), place: .afterTime(5))),
        .set(ChatChannelSettings(conversation: .direct, id: "u2", isPinned: false, level: 0)),
        .set(ChatChannelSettings(conversation: .group, id: nil, level: 5)), .settings,
        .createGroup(group, users: ["u2"]), .joinGroup("g1"), .quitGroup("g1"), .dismissGroup("g1"),
        .inviteToGroup("g1", users: ["u2", "u3"]), .kickFromGroup("g1", users: ["u2"]),
        .transferGroup("g1", to: "u2", leave: true), .changeAdmins("g1", add: ["u2"], remove: ["u3"]),
        .updateGroup("g1", update), .updateGroup("g1", ChatGroupUpdate()),
        .setGroupMember("g1", user: "u2", nickname: odd, extra: "e"),
        .setGroupMember("g1", user: "u2", nickname: nil, extra: nil),
        .groupInfo(["g1", "g2"]), .groupMembers(ChatMembersRequest("g1", users: ["u2"])),
        .groupMembers(ChatMembersRequest("g1", role: .owner, after: "u1", limit: 7)),
        .myGroups(role: .member, after: "g1", limit: 3), .myGroups(role: nil, after: nil, limit: 50),
        .enter(ChatEntryRequest("o1", count: 0, after: id, extra: odd)), .enter(ChatEntryRequest("o1")), .exit("o1"),
        .openInfo("o1", limit: 500), .openMetadata("o1"),
        .setOpenMetadata("o1", ["a": odd], overwrite: true, deleteWhenLeft: true),
        .deleteOpenMetadata("o1", keys: ["a"], force: true), .users(["u1"]),
        .updateUser(name: odd, avatar: "a", extra: ["ext_a": "1"]), .updateUser(name: nil, avatar: nil, extra: nil),
        .subscribeUsers(["u1", "u2"], expiry: 60), .unsubscribeUsers(["u1"]), .subscriptions, .block(["u1"]), .unblock(["u1"]),
        .blocklist,
    ]

    static let hello = ChatHello(
        appKey: "app-key", token: odd, device: ChatDevice(id: "d-1", class: .desktop, system: "Linux"), client: "example/1.0",
        resume: ChatPlace(epoch: "k3x9", sequence: 117), isReconnect: true, yields: true)

    static let clientFrames: [ChatClientFrame] =
        [
            .hello(hello),
            .hello(ChatHello(appKey: "a", token: "t", device: ChatDevice(id: "d", system: "iOS"))),
            .typing(to: "u2", type: "RC:TxtMsg"), .acknowledge(.max), .leave(disablePush: true), .leave(disablePush: false),
        ] + requests.enumerated().map { .request($1, number: UInt64($0 + 1)) }

    static let entrance = ChatOpenEntrance(
        channel: "o1", created: 1, count: 2, entered: 3, isMutedForAll: true, isMuted: true, isMutedHere: true, isAllowed: true,
        messages: [plain, message], hasMore: true, metadata: [ChatOpenEntry(key: "a", value: odd, owner: "u1")],
        left: ["o2", odd])

    static let results: [ChatResult] = [
        .done, .sent(id), .sent(id, sequence: 12), .edited(time: 5), .process(25427),
        .receipts([ChatReadCounts(id: id, read: 1, unread: 2, total: 3)]),
        .receiptUsers([ChatReceiptUser(user: "u1", time: 5)]),
        .history([message.body, plain.body], hasMore: true),
        .settings(
            ChatSettingsList(
                channels: [ChatChannelSettings(conversation: .direct, id: "u2", isPinned: true, level: 1)],
                kinds: [ChatChannelSettings(conversation: .group, id: nil, level: 5)])),
        .groups([group]), .groupPage([group, group], hasMore: true), .members([member], hasMore: true),
        .entrance(entrance, messages: [plain.body, message.body]),
        .openInfo(ChatOpenInfo(created: 1, count: 2, members: [ChatOpenMember(user: "u1", entered: 3)])),
        .openMetadata([ChatOpenEntry(key: "a", value: odd, owner: "u1")]),
        .users([ChatUser(user: "u1", name: odd, avatar: "a", extra: ["ext_a": "1"]), ChatUser(user: "u2")]),
        .failed(["u1", odd]), .subscriptions([ChatSubscription(user: "u1", subscribed: 1, expires: 2)]), .blocklist(["u1"]),
    ]

    static let welcome = ChatWelcome(
        user: "u1", session: "s-1", time: 1_763_710_000_000, place: ChatPlace(epoch: "k3x9", sequence: 117), isResumed: true,
        hasLost: true, heartbeat: 20_000,
        settings: ChatServerSettings(modifiableMinutes: 5, syncsDevices: true, hasPresence: false))

    /// Frames of a server, as bytes.
    static let serverFrames: [[UInt8]] =
        [
            ChatServerFrames.welcome(welcome),
            ChatServerFrames.bye(ChatBye(code: .serverRestarts, reason: odd, mayRetry: true, after: 500)),
            ChatServerFrames.no(7, ChatRequestRefusal(.badArgument, odd, retryAfter: 5)),
            ChatServerFrames.package([], hasMore: false),
            ChatServerFrames.package(events.enumerated().map { (UInt64($0 + 5), $1.body) }, hasMore: true),
        ] + events.map { ChatServerFrames.event($0.body, sequence: 9) } + events.map { ChatServerFrames.transient($0.body) }
        + results.map { ChatServerFrames.ok(7, $0) }

    static func read(_ bytes: [UInt8]) -> ChatInbound? {
        var decoder = ChatFrameDecoder()
        return bytes.withUnsafeBytes { decoder.text($0) }
    }

    static func read(_ text: String) -> ChatInbound? { read(Array(text.utf8)) }

    static func parse(_ text: String) -> Result<ChatClientFrame, ChatFrameError> { parse(Array(text.utf8)) }

    static func parse(_ bytes: [UInt8]) -> Result<ChatClientFrame, ChatFrameError> {
        bytes.withUnsafeBytes { bytes in
            Result { () throws(ChatFrameError) in try ChatClientFrame(parsing: bytes) }
        }
    }
}
