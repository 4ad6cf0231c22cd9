import ChatProtocol
import ConnectionEngine
import EngineTesting
import WireCoding

/// What a chat server does with one user, for the closed loop: an inbox with numbers that skip, packages that wait for their
/// acknowledgement, client ids that are known for ever, and restarts.
struct ChatModelServer {
    /// What became of a message, by its client id.
    enum Decision: Hashable {
        case taken(UInt64)
        case refused(Int)
    }

    /// Few, so that packages and gaps are frequent.
    private static let packageSize = 4

    // What a restart may keep.
    private var epoch = 1
    private var inbox: [(q: UInt64, event: UInt64)] = []
    private var lastPlace: UInt64 = 0
    /// Up to here the inbox keeps nothing any more.
    private var forgotten: UInt64 = 0
    private(set) var decisions: [String: Decision] = [:]
    private var lastDecided = 0
    /// Events of the inbox are numbered from 1, over all restarts.
    private var lastEvent: UInt64 = 0
    private var rooms = ChatModelRooms()

    // What belongs to a link.
    private var isWelcome = false
    private var written: UInt64 = 0
    private var packageEnd: UInt64?
    private var isLive = false
    private var decoder = ChatFrameDecoder()

    var now = Moment.zero
    var problem: String?
    /// How often a message came again, as evidence.
    private(set) var repeats = 0
    private(set) var packages = 0

    private mutating func deliver(_ frame: [UInt8]) -> SimulatedReaction<ChatInbound> {
        let inbound = frame.withUnsafeBytes { decoder.text($0) }
        return .deliver(inbound ?? .malformed(reason: "The model sent something unknown."))
    }

    mutating func linkLost() {
        (isWelcome, isLive, packageEnd) = (false, false, nil)
        rooms.leaveAll()
    }

    // What the client says.
    mutating func received(_ text: String, _ random: inout SeededRandom) -> [SimulatedReaction<ChatInbound>] {
        guard let frame = try? JSONText(text), let type = frame["t"]?.string, isWelcome || type == "hello" else {
            problem = "The client said this, welcomed: \(isWelcome): \(text)"
            return []
        }
        let number = UInt64(frame["n"]?.integer ?? 0)
        switch type {
        case "hello": return hello(frame, &random)
        case "ack": return acknowledged(UInt64(frame["q"]?.integer ?? 0))
        case "send": return send(frame, number, &random)
        case "open.enter": return enter(frame, number, &random)
        case "open.exit":
            rooms.leave(frame["ch"]?.string ?? "")
            return [deliver(ChatServerFrames.ok(number))]
        case "leave", "typing": return []
        // Now and then an answer that never comes.
        default: return Int.random(in: 0..<6, using: &random) == 0 ? [] : [deliver(ChatServerFrames.ok(number))]
        }
    }

    private mutating func hello(_ frame: JSONText, _ random: inout SeededRandom) -> [SimulatedReaction<ChatInbound>] {
        switch Int.random(in: 0..<30, using: &random) {
        case 0: return []
        case 1: return bye(31009)
        case 2: return bye(31024, retry: true)
        default: break
        }
        if isWelcome { problem = "The client said hello twice." }
        isWelcome = true
        var (place, isLost) = (forgotten, false)
        if let resume = frame["resume"] {
            let asked = UInt64(resume["q"]?.integer ?? 0)
            if resume["epoch"]?.string == String(epoch), asked >= forgotten {
                // Sometimes from further back, as a server does that has not heard the last acknowledgements.
                place = Bool.random(using: &random) ? asked : max(forgotten, asked - min(asked, 3))
            } else {
                isLost = true
            }
        }
        written = place
        let welcome = ChatWelcome(
            user: "ann", session: "s", time: 0, place: ChatPlace(epoch: String(epoch), sequence: place),
            isResumed: !isLost, hasLost: isLost, heartbeat: 1_000)
        return [deliver(ChatServerFrames.welcome(welcome)), nextPackage()]
    }

    private mutating func nextPackage() -> SimulatedReaction<ChatInbound> {
        packages += 1
        let missed = inbox.filter { $0.q > written }
        let items = missed.prefix(Self.packageSize)
        let hasMore = missed.count > items.count
        isLive = !hasMore
        packageEnd = items.last?.q
        written = items.last?.q ?? written
        return deliver(ChatServerFrames.package(items.map { ($0.q, Self.body($0.event)) }, hasMore: hasMore))
    }

    private mutating func acknowledged(_ q: UInt64) -> [SimulatedReaction<ChatInbound>] {
        if q > written { problem = "The client acknowledged \(q); only \(written) was written." }
        guard let end = packageEnd else { return [] }
        // The last words of a link may be about a part.
        guard q >= end else { return [] }
        packageEnd = nil
        return isLive ? [] : [nextPackage()]
    }

    /// Rules NS-10 to NS-12: first times come in the order of the commands, whatever was lost in between.
    private mutating func send(
        _ frame: JSONText, _ number: UInt64, _ random: inout SeededRandom
    ) -> [SimulatedReaction<ChatInbound>] {
        guard let clientID = frame["cid"]?.string, let index = Int(clientID.dropFirst()) else {
            problem = "A message without a client id."
            return []
        }
        if decisions[clientID] != nil {
            repeats += 1
        } else {
            if index <= lastDecided { problem = "The message \(clientID) arrived after the message c\(lastDecided)." }
            lastDecided = index
            let isRefused = Int.random(in: 0..<8, using: &random) == 0
            decisions[clientID] = isRefused ? .refused(22408) : .taken(UInt64(1_000_000 + index))
        }
        // Now and then an answer that never comes.
        guard Int.random(in: 0..<20, using: &random) > 0 else { return [] }
        switch decisions[clientID] {
        case .taken(let id): return [deliver(ChatServerFrames.ok(number, .sent(ChatMessageID(rawValue: id))))]
        case .refused(let code): return [deliver(ChatServerFrames.no(number, ChatRequestRefusal(ChatErrorCode(code), "No.")))]
        case nil: return []
        }
    }

    private mutating func enter(
        _ frame: JSONText, _ number: UInt64, _ random: inout SeededRandom
    ) -> [SimulatedReaction<ChatInbound>] {
        guard let room = frame["ch"]?.string, let count = frame["count"]?.integer else {
            problem = "Entering without a channel."
            return []
        }
        switch Int.random(in: 0..<25, using: &random) {
        case 0: return []
        case 1: return [deliver(ChatServerFrames.no(number, ChatRequestRefusal(.noSuchOpenChannel, "No.")))]
        default: break
        }
        let after = frame["after"]?.string.flatMap { ChatMessageID($0) }
        let (messages, hasMore) = rooms.enter(room, count: count, after: after)
        let entrance = ChatOpenEntrance(
            channel: room, created: 0, count: 1, entered: now.nanoseconds / 1_000_000, hasMore: hasMore)
        return [deliver(ChatServerFrames.ok(number, .entrance(entrance, messages: messages.map(\.body))))]
    }

    private mutating func bye(_ code: Int, retry: Bool = false) -> [SimulatedReaction<ChatInbound>] {
        let bye = ChatBye(code: ChatErrorCode(code), reason: "Bye.", mayRetry: retry)
        let failure = ConnectionFailure(.unexpectedDisconnect, "Closed.", closeCode: retry ? 4001 : 4000)
        return [deliver(ChatServerFrames.bye(bye)), .close(failure)]
    }

    // What happens by itself.
    mutating func somethingHappens(_ random: inout SeededRandom) -> [SimulatedReaction<ChatInbound>] {
        switch Int.random(in: 0..<100, using: &random) {
        case 0: return isWelcome ? bye(31010) : []
        case 1, 2: return isWelcome ? bye(32061, retry: true) : []
        case 3: return isWelcome ? [.close(ConnectionFailure(.unexpectedDisconnect, "Closed.", closeCode: 1001))] : []
        case 4:
            // A restart that forgets the inbox, and ends the link in doing so.
            guard !isWelcome else { return [] }
            epoch += 1
            (inbox, lastPlace, forgotten) = ([], 0, 0)
            return []
        case 5:
            // What is too old goes, but not from under a session that reads it.
            guard !isWelcome, let middle = inbox.dropFirst(inbox.count / 2).first else { return [] }
            forgotten = middle.q
            inbox.removeAll { $0.q <= middle.q }
            return []
        case 6..<46:
            let room = ChatModelRooms.names.randomElement(using: &random) ?? "room"
            guard let message = rooms.talk(in: room, at: now) else { return [] }
            return [deliver(ChatServerFrames.transient(ChatWireEvent.message(message).body))]
        default:
            lastEvent += 1
            lastPlace += UInt64.random(in: 1...3, using: &random)
            inbox.append((lastPlace, lastEvent))
            guard isWelcome, isLive else { return [] }
            written = lastPlace
            return [deliver(ChatServerFrames.event(Self.body(lastEvent), sequence: lastPlace))]
        }
    }

    private static func body(_ event: UInt64) -> [UInt8] {
        ChatWireEvent.message(
            ChatMessage(
                id: ChatMessageID(rawValue: event), conversation: .direct, from: "bob", to: "ann", type: "T",
                content: Array("{}".utf8))
        ).body
    }
}

/// Open channels with a short history. The messages of each are numbered from 1; the number is the message's type.
struct ChatModelRooms {
    static let names = ["hall", "room"]
    private static let kept = 5

    private struct Room {
        var messages: [ChatMessage] = []
        var lastNumber: UInt64 = 0
        var lastID: UInt64 = 0
        /// The last id that the history has lost.
        var forgotten: UInt64 = 0
    }

    private var rooms: [String: Room] = [:]
    private var entered: Set<String> = []

    mutating func leaveAll() { entered = [] }
    mutating func leave(_ name: String) { entered.remove(name) }

    /// The messages to begin with, and whether some are missing after `after`.
    mutating func enter(
        _ name: String, count: Int, after: ChatMessageID?
    ) -> (messages: [ChatMessage], hasMore: Bool) {
        entered.insert(name)
        let room = rooms[name] ?? Room()
        guard let after else { return (Array(room.messages.suffix(count)), false) }
        return (Array(room.messages.filter { $0.id > after }.suffix(count)), room.forgotten > after.rawValue)
    }

    /// A message, for whoever is in.
    mutating func talk(in name: String, at now: Moment) -> ChatMessage? {
        var room = rooms[name] ?? Room()
        room.lastNumber += 1
        // Later than the time at which anybody entered.
        room.lastID = max(room.lastID + 1, UInt64(now.nanoseconds / 100) + 10_000)
        let message = ChatMessage(
            id: ChatMessageID(rawValue: room.lastID), conversation: .open, from: "bob", to: name, type: "\(room.lastNumber)",
            content: Array("{}".utf8))
        room.messages.append(message)
        if room.messages.count > Self.kept { room.forgotten = room.messages.removeFirst().id.rawValue }
        rooms[name] = room
        return entered.contains(name) ? message : nil
    }
}
