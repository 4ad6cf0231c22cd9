import ChatProtocol
import ConnectionEngine
import EngineTesting
import WireCoding

/// The closed loop over a chat session: what its user asks for, and what must come of it.
struct ChatModelService: SimulatedService {
    typealias Session = ChatSession

    static let sendLimit = Duration.seconds(5)

    static var memory: ChatMemory {
        ChatMemory(
            host: "h", port: 1, usesTLS: false, appKey: "k", token: "t", device: ChatDevice(id: "d", system: "Linux"),
            sendLimit: sendLimit)
    }

    static var policy: ConnectionPolicy { .chat(timing: .fast) }

    private(set) var server = ChatModelServer()
    private(set) var user = ChatModelUser()
    private var now = Moment.zero
    private var lastMessage = 0
    /// Messages that somebody waits for, and since when attempts have gone on.
    private var messages: [RequestID: (clientID: String, since: Moment)] = [:]
    private var entries: [RequestID: String] = [:]
    private var isTerminal = true
    /// Client ids of which it was said that they were surely not sent.
    private var surelyNot: Set<String> = []
    private(set) var sent = 0
    private(set) var outcomes: [Int: Int] = [:]
    /// Whether the last package has come on this link.
    private var isLive = false
    /// Since when something is kept that the server was not told, on a link that could tell it.
    private var owedSince: Moment?

    mutating func timePasses(to now: Moment) throws(Violation) {
        self.now = now
        server.now = now
        if let problem = server.problem { throw Violation(problem) }
        if let owedSince, now.duration(since: owedSince) > .seconds(5) {
            throw Violation("Something is kept since \(owedSince.seconds), and the server does not know.")
        }
        // The limit of a message, the longest pause and the limit of an attempt.
        let patience = Self.sendLimit + .seconds(6.5)
        if !isTerminal, let late = messages.values.first(where: { now.duration(since: $0.since) > patience }) {
            throw Violation("\(late.clientID) was not answered since \(late.since.seconds).")
        }
    }

    mutating func linkOpened(_ random: inout SeededRandom) -> [SimulatedReaction<ChatInbound>] { [] }

    mutating func received(_ outbound: WebSocketOutbound, _ random: inout SeededRandom) -> [SimulatedReaction<ChatInbound>] {
        switch outbound {
        case .ping(let payload): return [.deliver(.pong(payload))]
        case .binary: return []
        case .text(let text):
            let reactions = server.received(text, &random)
            if let lie = surelyNot.first(where: { server.decisions[$0] != nil }) {
                server.problem = "\(lie) reached the server, but was said not to have been sent."
            }
            return reactions
        }
    }

    mutating func somethingHappens(_ random: inout SeededRandom) -> [SimulatedReaction<ChatInbound>] {
        server.somethingHappens(&random)
    }

    mutating func linkLost() {
        server.linkLost()
        (isLive, owedSince) = (false, nil)
    }

    mutating func clientSends(_ outbound: WebSocketOutbound) {
        guard case .text(let text) = outbound, let frame = try? JSONText(text), frame["t"]?.string == "ack" else { return }
        let q = UInt64(frame["q"]?.integer ?? 0)
        if q > user.kept[user.epoch, default: 0] { server.problem = "\(q) was acknowledged, but is not kept." }
        owedSince = nil
    }

    mutating func command(_ random: inout SeededRandom) -> ChatCommand {
        let room = ChatModelRooms.names.randomElement(using: &random) ?? "room"
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40:
            let (place, isNews) = user.keep(&random)
            if isNews, isLive, owedSince == nil { owedSince = now }
            return .acknowledge(place)
        case 40..<75:
            lastMessage += 1
            return .send(
                ChatMessageDraft(
                    clientID: "c\(lastMessage)", conversation: .direct, to: "bob", type: "T", content: Array("{}".utf8)))
        case 75..<83:
            user.wants(room)
            return .enter(ChatEntryRequest(room, count: 3))
        case 83..<88:
            user.leaves(room)
            return .exit(room)
        case 88..<92: return .request(.settings)
        case 92: return .leave(disablePush: false)
        case 93, 94: return .expire
        default: return .typing(to: "bob", type: "T")
        }
    }

    mutating func asked(_ command: ChatCommand, as id: RequestID) {
        if case .send(let draft) = command { messages[id] = (draft.clientID, now) }
        if case .enter(let entry) = command { entries[id] = entry.channel }
    }

    mutating func outcome(of job: Never, _ random: inout SeededRandom) -> Result<Never, ConnectionFailure> {}

    mutating func observe(_ id: RequestID, _ result: Result<ChatReply, ConnectionFailure>) throws(Violation) {
        if let room = entries.removeValue(forKey: id) { try user.entered(room, result) }
        guard let (clientID, _) = messages.removeValue(forKey: id) else { return }
        switch result {
        case .success(.sent(let reply)):
            guard reply.clientID == clientID, server.decisions[clientID] == .taken(reply.id.rawValue) else {
                throw Violation("\(clientID) was said to be sent as \(reply.id).")
            }
            sent += 1
        case .success:
            throw Violation("\(clientID) was answered with something else.")
        case .failure(let failure):
            outcomes[failure.chatCode?.rawValue ?? 0, default: 0] += 1
            switch failure.chatCode {
            case ChatErrorCode(22408):
                guard server.decisions[clientID] == .refused(22408) else { throw Violation("\(clientID) was not refused.") }
            case .noConnection, .sendTimedOut, .kicked, .userBanned:
                guard server.decisions[clientID] == nil else {
                    throw Violation("\(clientID) is said not to have been sent, but the server has it.")
                }
                surelyNot.insert(clientID)
            default:
                return
            }
        }
    }

    mutating func observe(_ event: ChatSessionEvent) throws(Violation) {
        if case .caughtUp = event { isLive = true }
        try user.observe(event)
    }

    mutating func observe(_ change: ConnectionChange) throws(Violation) {
        isTerminal = change.phase.isTerminal
        if change.phase != .connected { (isLive, owedSince) = (false, nil) }
        // Only while attempts go on does anything expire by itself.
        if change.previous.isTerminal { messages = messages.mapValues { ($0.clientID, now) } }
    }
}
