import WireCoding

/// Writes frames and events as JSON objects, member by member.
struct WireWriter {
    private(set) var out: [UInt8] = []

    init(reserving capacity: Int = 128) {
        out.reserveCapacity(capacity)
    }

    mutating func open() { out.append(UInt8(ascii: "{")) }
    mutating func close() { out.append(UInt8(ascii: "}")) }

    /// Writes the key of the next member. The key must not need escapes.
    mutating func key(_ key: StaticString) {
        if out.last != UInt8(ascii: "{") { out.append(UInt8(ascii: ",")) }
        out.append(JSONBytes.quote)
        JSONWriter.append(key, to: &out)
        out.append(JSONBytes.quote)
        out.append(UInt8(ascii: ":"))
    }

    mutating func text(_ key: StaticString, _ value: String) {
        self.key(key)
        JSONWriter.appendString(value, to: &out)
    }

    /// Writes a text; a nil text is left out.
    mutating func text(_ key: StaticString, _ value: String?) {
        if let value { text(key, value) }
    }

    mutating func id(_ key: StaticString, _ value: ChatMessageID) {
        self.key(key)
        out.append(JSONBytes.quote)
        JSONWriter.append(value.rawValue, to: &out)
        out.append(JSONBytes.quote)
    }

    mutating func number(_ key: StaticString, _ value: Int) {
        self.key(key)
        JSONWriter.append(value, to: &out)
    }

    mutating func number(_ key: StaticString, _ value: Int64) {
        self.key(key)
        if value < 0 { out.append(UInt8(ascii: "-")) }
        JSONWriter.append(value.magnitude, to: &out)
    }

    mutating func number(_ key: StaticString, _ value: UInt64) {
        self.key(key)
        JSONWriter.append(value, to: &out)
    }

    mutating func flag(_ key: StaticString, _ value: Bool) {
        self.key(key)
        if value { JSONWriter.append("true", to: &out) } else { JSONWriter.append("false", to: &out) }
    }

    /// Writes a value that is already encoded as JSON.
    mutating func json(_ key: StaticString, _ value: [UInt8]) {
        self.key(key)
        out.append(contentsOf: value)
    }

    mutating func texts(_ key: StaticString, _ values: [String]) {
        list(key, values) { JSONWriter.appendString($1, to: &$0.out) }
    }

    mutating func ids(_ key: StaticString, _ values: [ChatMessageID]) {
        list(key, values) {
            $0.out.append(JSONBytes.quote)
            JSONWriter.append($1.rawValue, to: &$0.out)
            $0.out.append(JSONBytes.quote)
        }
    }

    /// Writes a dictionary of strings in the order of its keys, so that equal values have equal encodings.
    mutating func pairs(_ key: StaticString, _ values: [String: String]) {
        self.key(key)
        open()
        for (index, pair) in values.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(pair.key, to: &out)
            out.append(UInt8(ascii: ":"))
            JSONWriter.appendString(pair.value, to: &out)
        }
        close()
    }

    mutating func object(_ key: StaticString, _ body: (inout WireWriter) -> Void) {
        self.key(key)
        object(body)
    }

    mutating func list<Element>(
        _ key: StaticString, _ elements: [Element], each body: (inout WireWriter, Element) -> Void
    ) {
        self.key(key)
        out.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            body(&self, element)
        }
        out.append(UInt8(ascii: "]"))
    }

    /// Writes a list of objects.
    mutating func objects<Element>(
        _ key: StaticString, _ elements: [Element], each body: (inout WireWriter, Element) -> Void
    ) {
        list(key, elements) { writer, element in
            writer.object { body(&$0, element) }
        }
    }

    mutating func append(_ json: [UInt8]) { out.append(contentsOf: json) }

    mutating func object(_ body: (inout WireWriter) -> Void) {
        open()
        body(&self)
        close()
    }

    static func object(reserving capacity: Int = 128, _ body: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter(reserving: capacity)
        writer.object(body)
        return writer.out
    }
}

extension WireWriter {
    /// Writes the sender's options. Options with their default values are left out.
    mutating func options(_ options: ChatMessageOptions) {
        if !options.isPersisted { flag("persist", false) }
        if !options.isCounted { flag("count", false) }
        if options.isStatus { flag("status", true) }
        if options.needsReceipt { flag("receipt", true) }
        if options.isQuiet { flag("quiet", true) }
        if options.isNotLatest { flag("noLast", true) }
        if !options.metadata.isEmpty { pairs("meta", options.metadata) }
        if let users = options.users { texts("users", users) }
        if let push = options.push { json("push", push) }
    }

    mutating func channel(_ channel: ChatChannel) {
        text("conv", channel.conversation.word)
        text("ch", channel.id)
    }

    mutating func settings(_ settings: ChatChannelSettings) {
        text("conv", settings.conversation.word)
        text("ch", settings.id)
        if let isPinned = settings.isPinned { flag("pinned", isPinned) }
        if let level = settings.level { number("level", level) }
    }

    mutating func group(_ group: ChatGroup) {
        text("id", group.id)
        text("name", group.name)
        text("owner", group.owner)
        text("avatar", group.avatar)
        text("intro", group.introduction)
        text("notice", group.notice)
        number("count", group.memberCount)
        number("created", group.created)
        number("join", group.joinPermission)
        number("invite", group.invitePermission)
        if !group.extra.isEmpty { pairs("ext", group.extra) }
        flag("mutedAll", group.isMuted)
    }

    mutating func member(_ member: ChatGroupMember) {
        text("user", member.user)
        text("role", member.role.rawValue)
        text("nickname", member.nickname)
        text("extra", member.extra)
        number("joined", member.joined)
    }

    mutating func receipt(_ receipt: ChatReadCounts) {
        id("id", receipt.id)
        number("read", receipt.read)
        number("unread", receipt.unread)
        number("total", receipt.total)
    }

    mutating func entry(_ entry: ChatOpenEntry) {
        text("key", entry.key)
        text("value", entry.value)
        text("owner", entry.owner)
    }
}
