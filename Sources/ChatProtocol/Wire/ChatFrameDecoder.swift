import ConnectionEngine
import WireCoding

/// Decodes the frames of a server, on the connection's event loop (chat-protocol.md, sections 1 to 9).
///
/// It reads the bytes in one pass, without building a tree. Contents are copied unchanged, and equal ids share one string. A frame of an
/// unknown type is decoded as nil; it still counts as a sign of life.
public struct ChatFrameDecoder: WebSocketDecoder {
    private var state: WireReader.State

    /// - Parameter rememberedNames: the largest number of cached texts (ids of users and channels, and message types). Messages with the
    ///   same id or type share one cached string.
    public init(rememberedNames: Int = 64) {
        state = WireReader.State(rememberedNames: rememberedNames, isStrict: false)
    }

    /// How a frame with damaged JSON is repaired: damaged elements of a package keep only their sequence numbers, and damaged elements of
    /// other lists become null (rules NC-40 and NC-41).
    private static let repair = JSONRepair.Plan(.init("in", elementKeys: ["q"]), .init("*")) { element in
        ChatPlaceScan.number(in: element).map { Array("{\"q\":\($0)}".utf8) } ?? Array("null".utf8)
    }

    public mutating func text(_ bytes: UnsafeRawBufferPointer) -> ChatInbound? {
        switch read(bytes) {
        case .success(let inbound): return inbound
        case .failure(let error):
            guard let repaired = JSONRepair(bytes, Self.repair),
                case .success(let inbound) = repaired.bytes.withUnsafeBytes({ read($0) })
            else { return .malformed(reason: error.description) }
            return inbound
        }
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) -> Result<ChatInbound?, JSONSyntaxError> {
        WireReader.with(bytes, state: &state) { reader in
            Result { () throws(JSONSyntaxError) in
                let inbound = try reader.inbound()
                try reader.scanner.expectEnd()
                return inbound
            }
        }
    }

    public mutating func binary(_ bytes: UnsafeRawBufferPointer) -> ChatInbound? {
        .malformed(reason: "The server sent a binary message, but the protocol uses text.")
    }

    public mutating func pong(_ payload: UnsafeRawBufferPointer) -> ChatInbound? {
        .pong(Array(payload))
    }
}

extension WireReader {
    fileprivate mutating func inbound() throws(JSONSyntaxError) -> ChatInbound? {
        var event: ChatWireEvent?
        var items: [ChatInboxItem]?
        guard try scanner.peek() == UInt8(ascii: "{") else {
            _ = try scanner.value()
            return .malformed(reason: "The frame is not a JSON object.")
        }
        return try object(
            special: { (member, reader) throws(JSONSyntaxError) in
                // The event is decoded as soon as the member `e` is found, even if the type of the frame is not read yet. So no part of the
                // frame is read twice.
                if reader.isKey(member, "e") {
                    event = try reader.event()
                    return true
                }
                if reader.isKey(member, "in") {
                    var last: UInt64?
                    items = try reader.array { (reader) throws(JSONSyntaxError) in
                        let item = try reader.item(after: last)
                        last = item?.sequence ?? last
                        return item
                    }
                    return true
                }
                return false
            },
            { (reader) throws(JSONSyntaxError) in reader.frame(event, items) })
    }

    /// Reads an element of a package. An element without a sequence number gets the number that follows the previous element's number, so
    /// that the package can be acknowledged (rule NC-41). This is the lowest number that it can have. The first element is left out if it
    /// has no number.
    private mutating func item(after last: UInt64?) throws(JSONSyntaxError) -> ChatInboxItem? {
        var event: ChatWireEvent?
        let item: ChatInboxItem? = try object(
            special: { (member, reader) throws(JSONSyntaxError) in
                guard reader.isKey(member, "e") else { return false }
                event = try reader.event()
                return true
            },
            { (reader) throws(JSONSyntaxError) in
                reader.whole("q").map {
                    ChatInboxItem(sequence: $0, event: event ?? .unknown(kind: "", problem: "The inbox entry has no event."))
                }
            })
        if let item { return item }
        return last.flatMap { $0 < .max ? $0 + 1 : nil }.map {
            ChatInboxItem(sequence: $0, event: .unknown(kind: "", problem: "The inbox entry has no sequence number."))
        }
    }

    private mutating func frame(_ event: ChatWireEvent?, _ items: [ChatInboxItem]?) -> ChatInbound? {
        let type = find("t")
        if `is`(type, "in") {
            guard let sequence = whole("q") else { return .malformed(reason: "An inbox entry has no sequence number.") }
            let event = event ?? .unknown(kind: "", problem: "The inbox entry has no event.")
            return .event(ChatInboxItem(sequence: sequence, event: event))
        }
        if `is`(type, "ev") {
            return event.map { .transient($0) } ?? .malformed(reason: "A frame for a transient event has no event.")
        }
        if `is`(type, "ok") {
            guard let number = whole("n") else { return .malformed(reason: "An `ok` frame has no request number `n`.") }
            return .answer(number: number, ChatAnswer(json: Array(scanner.bytes)))
        }
        if `is`(type, "pack") {
            guard let items else { return .malformed(reason: "A package of missed events has no list of events.") }
            return .package(items, hasMore: flag("more") ?? false)
        }
        if `is`(type, "no") {
            guard let number = whole("n") else { return .malformed(reason: "A `no` frame has no request number `n`.") }
            let code = ChatErrorCode(integer("code") ?? -1)
            return .refusal(
                number: number, ChatRequestRefusal(code, text("reason") ?? code.sentence, retryAfter: integer("retryAfter")))
        }
        if `is`(type, "welcome") { return welcome() }
        if `is`(type, "bye") {
            guard let code = integer("code") else { return .malformed(reason: "A `bye` frame has no error code.") }
            return .bye(
                ChatBye(
                    code: ChatErrorCode(code), reason: text("reason") ?? "", mayRetry: flag("retry") ?? false,
                    after: integer("after")))
        }
        return type?.kind == .string ? nil : .malformed(reason: "The frame has no type t.")
    }

    private mutating func welcome() -> ChatInbound {
        guard let user = text("user"), let place = place() else {
            return .malformed(reason: "The welcome frame lacks the user or the position in the inbox.")
        }
        let settings = object("settings") { reader in
            ChatServerSettings(
                modifiableMinutes: reader.integer("modifiableMinutes") ?? 1440, syncsDevices: reader.flag("deviceSync") ?? false,
                hasPresence: reader.flag("presence") ?? true)
        }
        return .welcome(
            ChatWelcome(
                user: user, session: text("session") ?? "", time: number("time") ?? 0, place: place,
                isResumed: flag("resumed") ?? false, hasLost: flag("lost") ?? false,
                heartbeat: integer("heartbeat") ?? 30_000, settings: settings ?? .init()))
    }
}
