import WireCoding

/// The members of answers to requests (chat-protocol.md, sections 5 to 9). A value is nil when the member is missing or has another type.
/// An element of a list that cannot be read is left out (rule NC-40).
extension ChatAnswer {
    /// From the answer to `send`: the message's id.
    public var id: ChatMessageID? { read { $0.id("id") } }
    /// From the answer to `send`: the message's sequence number in the sender's own inbox; nil if it is not in that inbox.
    public var sequence: UInt64? { read { $0.whole("q") } }
    /// From the answer to `edit`: the time of the edit, in ms since 1970.
    public var time: Int64? { read { $0.number("time") } }
    /// From the answer to a group request: 0 when the operation is complete.
    public var process: Int? { read { $0.integer("process") } }

    /// From the answer to `history`: one page, in the order that the request named.
    public var history: (messages: [ChatMessage], hasMore: Bool)? {
        read { reader in
            guard let messages = reader.messages() else { return nil }
            return (messages, reader.flag("more") ?? false)
        }
    }

    public var receipts: [ChatReadCounts]? { read { $0.objects("items") { $0.receipt() } } }
    public var receiptUsers: [ChatReceiptUser]? { read { $0.objects("items") { $0.receiptUser() } } }

    /// To `settings`.
    public var settings: ChatSettingsList? {
        read { reader in
            guard let channels = reader.objects("channels", { $0.settings() }) else { return nil }
            return ChatSettingsList(channels: channels, kinds: reader.objects("types") { $0.settings() } ?? [])
        }
    }

    /// From the answers to `group.info` and `group.mine`: groups, and whether more of the user's groups follow.
    public var groups: (groups: [ChatGroup], hasMore: Bool)? {
        read { reader in
            guard let groups = reader.objects("groups", { $0.group() }) else { return nil }
            return (groups, reader.flag("more") ?? false)
        }
    }

    /// To `group.members`.
    public var members: (members: [ChatGroupMember], hasMore: Bool)? {
        read { reader in
            guard let members = reader.objects("members", { $0.member() }) else { return nil }
            return (members, reader.flag("more") ?? false)
        }
    }

    /// From the answer to `open.enter`: the data of the open channel that the user has entered.
    ///
    /// - Parameter channel: the entered channel, which the answer does not contain.
    public func entrance(of channel: String) -> ChatOpenEntrance? {
        read { reader in
            guard let count = reader.integer("count"), let messages = reader.messages() else { return nil }
            return ChatOpenEntrance(
                channel: channel, created: reader.number("created") ?? 0, count: count, entered: reader.number("entered") ?? 0,
                isMutedForAll: reader.flag("mutedAll") ?? false, isMuted: reader.flag("muted") ?? false,
                isMutedHere: reader.flag("mutedHere") ?? false, isAllowed: reader.flag("allowed") ?? false,
                messages: messages, hasMore: reader.flag("more") ?? false,
                metadata: reader.objects("meta") { $0.entry() } ?? [], left: reader.texts("left") ?? [])
        }
    }

    public var openInfo: ChatOpenInfo? {
        read { reader in
            guard let count = reader.integer("count") else { return nil }
            return ChatOpenInfo(
                created: reader.number("created") ?? 0, count: count,
                members: reader.objects("members") { $0.openMember() } ?? [])
        }
    }

    public var openMetadata: [ChatOpenEntry]? { read { $0.objects("meta") { $0.entry() } } }
    public var users: [ChatUser]? { read { $0.objects("users") { $0.user() } } }
    /// From the answer to `user.subscribe`: the users whose subscription would exceed a limit.
    public var failed: [String]? { read { $0.texts("failed") } }
    public var subscriptions: [ChatSubscription]? { read { $0.objects("users") { $0.subscription() } } }
    public var blocklist: [String]? { read { $0.texts("users") } }

    private func read<Value>(_ body: (inout WireReader) -> Value?) -> Value? {
        json.withUnsafeBytes { bytes in
            var reader = WireReader(bytes, state: WireReader.State(rememberedNames: 64, isStrict: false))
            return try? reader.object { (reader) throws(JSONSyntaxError) in body(&reader) }
        }
    }
}

extension WireReader {
    fileprivate mutating func messages() -> [ChatMessage]? { objects("messages") { $0.message() } }
}
