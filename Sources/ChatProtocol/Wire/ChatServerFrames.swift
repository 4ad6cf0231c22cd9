import WireCoding

/// Encodes the frames that a server sends (chat-protocol.md, sections 1 to 9).
///
/// Each frame is encoded once and can be sent to any number of connections. Events are passed in their stored, encoded form.
public enum ChatServerFrames {
    public static func welcome(_ welcome: ChatWelcome) -> [UInt8] {
        WireWriter.object(reserving: 320) {
            $0.text("t", "welcome")
            $0.text("user", welcome.user)
            $0.text("session", welcome.session)
            $0.number("time", welcome.time)
            $0.text("epoch", welcome.place.epoch)
            $0.number("q", welcome.place.sequence)
            $0.flag("resumed", welcome.isResumed)
            $0.flag("lost", welcome.hasLost)
            $0.number("heartbeat", welcome.heartbeat)
            $0.object("settings") {
                $0.number("modifiableMinutes", welcome.settings.modifiableMinutes)
                $0.flag("deviceSync", welcome.settings.syncsDevices)
                $0.flag("presence", welcome.settings.hasPresence)
            }
        }
    }

    public static func bye(_ bye: ChatBye) -> [UInt8] {
        WireWriter.object(reserving: 128) {
            $0.text("t", "bye")
            $0.number("code", bye.code.rawValue)
            $0.text("reason", bye.reason)
            $0.flag("retry", bye.mayRetry)
            if let after = bye.after { $0.number("after", after) }
        }
    }

    /// The positive answer to a request.
    public static func ok(_ number: UInt64, _ result: ChatResult = .done) -> [UInt8] {
        WireWriter.object(reserving: 96) {
            $0.text("t", "ok")
            $0.number("n", number)
            $0.result(result)
        }
    }

    /// The answer to a request that was refused.
    public static func no(_ number: UInt64, _ refusal: ChatRequestRefusal) -> [UInt8] {
        WireWriter.object(reserving: 128) {
            $0.text("t", "no")
            $0.number("n", number)
            $0.number("code", refusal.code.rawValue)
            $0.text("reason", refusal.reason)
            if let after = refusal.retryAfter { $0.number("retryAfter", after) }
        }
    }

    /// The frame with an event of the inbox.
    public static func event(_ body: [UInt8], sequence: UInt64) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(body.count + 48)
        JSONWriter.append(#"{"t":"in","q":"#, to: &out)
        JSONWriter.append(sequence, to: &out)
        JSONWriter.append(#","e":"#, to: &out)
        out.append(contentsOf: body)
        out.append(UInt8(ascii: "}"))
        return out
    }

    /// The frame with an event that is not stored, for connected devices.
    public static func transient(_ body: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(body.count + 16)
        JSONWriter.append(#"{"t":"ev","e":"#, to: &out)
        out.append(contentsOf: body)
        out.append(UInt8(ascii: "}"))
        return out
    }

    /// The frame with a package of events that a device has missed.
    public static func package(_ items: [(sequence: UInt64, body: [UInt8])], hasMore: Bool) -> [UInt8] {
        let size = items.reduce(48) { $0 + $1.body.count + 40 }
        return WireWriter.object(reserving: size) {
            $0.text("t", "pack")
            $0.flag("more", hasMore)
            $0.objects("in", items) {
                $0.number("q", $1.sequence)
                $0.json("e", $1.body)
            }
        }
    }
}

extension WireWriter {
    fileprivate mutating func result(_ result: ChatResult) {
        switch result {
        case .done: break
        case .sent(let id, let sequence):
            self.id("id", id)
            number("time", id.time)
            if let sequence { number("q", sequence) }
        case .edited(let time): number("time", time)
        case .process(let code): number("process", code)
        case .receipts(let items): objects("items", items) { $0.receipt($1) }
        case .receiptUsers(let users):
            objects("items", users) {
                $0.text("user", $1.user)
                $0.number("time", $1.time)
            }
        case .history(let bodies, let hasMore):
            list("messages", bodies) { $0.append($1) }
            flag("more", hasMore)
        case .settings(let list):
            objects("channels", list.channels) { $0.settings($1) }
            objects("types", list.kinds) { $0.settings($1) }
        case .groups(let groups): objects("groups", groups) { $0.group($1) }
        case .groupPage(let groups, let hasMore):
            objects("groups", groups) { $0.group($1) }
            flag("more", hasMore)
        case .members(let members, let hasMore):
            objects("members", members) { $0.member($1) }
            flag("more", hasMore)
        case .entrance(let entrance, let messages): self.entrance(entrance, messages)
        case .openInfo(let info):
            number("created", info.created)
            number("count", info.count)
            objects("members", info.members) {
                $0.text("user", $1.user)
                $0.number("entered", $1.entered)
            }
        case .openMetadata(let entries): objects("meta", entries) { $0.entry($1) }
        case .users(let users):
            objects("users", users) {
                $0.text("user", $1.user)
                $0.text("name", $1.name)
                $0.text("avatar", $1.avatar)
                if !$1.extra.isEmpty { $0.pairs("ext", $1.extra) }
            }
        case .failed(let users): texts("failed", users)
        case .subscriptions(let subscriptions):
            objects("users", subscriptions) {
                $0.text("user", $1.user)
                $0.number("subscribed", $1.subscribed)
                $0.number("expires", $1.expires)
            }
        case .blocklist(let users): texts("users", users)
        }
    }

    private mutating func entrance(_ entrance: ChatOpenEntrance, _ messages: [[UInt8]]) {
        number("created", entrance.created)
        number("count", entrance.count)
        number("entered", entrance.entered)
        flag("mutedAll", entrance.isMutedForAll)
        flag("muted", entrance.isMuted)
        flag("mutedHere", entrance.isMutedHere)
        flag("allowed", entrance.isAllowed)
        list("messages", messages) { $0.append($1) }
        flag("more", entrance.hasMore)
        objects("meta", entrance.metadata) { $0.entry($1) }
        if !entrance.left.isEmpty { texts("left", entrance.left) }
    }
}
